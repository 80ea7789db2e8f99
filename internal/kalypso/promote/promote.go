// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package promote reads what a decision about promotion needs: the newest commits of the source of a
// chain, and the reports on commits. The rule is in decision, and tracks are in record.
package promote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Reader reads histories for one run.
type Reader struct {
	record.Reader
	Forges *forge.Client
}

// Source is the source of a chain of environments.
type Source struct {
	Branch git.Branch
	// Path is the promoted folder: only commits that change it count. Empty means all.
	Path string
}

// Source returns the newest commits of a source along first parents, at most so many, the newest
// first. Errors: those of reading a branch, and a missing branch (remote.KindBranchNotFound) or
// folder.
func (r Reader) Source(ctx context.Context, s Source, most int) ([]record.Commit, error) {
	log, err := r.Snapshots.Log(ctx, s.Branch, len(tree.SplitPath(s.Path)))
	if err != nil {
		return nil, err
	}
	for depth := most; ; depth *= 10 {
		commits, err := log.Commits(ctx, depth+1) // the parent shows whether the last commit changed the folder
		if err != nil {
			return nil, err
		}
		if len(commits) == 0 {
			why, err := record.Missing(ctx, log, s.Branch)
			if err != nil {
				return nil, err
			}
			return nil, remote.Errorf(remote.KindBranchNotFound, "%s", why)
		}
		found, err := s.changes(ctx, log, commits)
		if err != nil || len(found) >= most || len(commits) <= depth {
			return found[:min(len(found), most)], err
		}
	}
}

// changes returns the commits that change the folder. The oldest one counts only if it is the first
// of the branch.
func (s Source) changes(ctx context.Context, log *git.Log, commits []git.Commit) ([]record.Commit, error) {
	found, err := log.At(ctx, commits, s.Path)
	if err != nil {
		return nil, err
	}
	folders := found[s.Path]
	if !folders[0].Mode.IsDir() {
		return nil, fmt.Errorf("the newest commit of %s has no folder %q. Correct the path, or remove it for the whole repository",
			s.Branch, s.Path)
	}
	var changing []record.Commit
	for i, c := range commits {
		var before tree.ID
		if i+1 < len(commits) {
			before = folders[i+1].ID
		}
		if len(tree.SplitPath(s.Path)) == 0 || folders[i].ID != before && (i+1 < len(commits) || len(c.Parents) == 0) {
			changing = append(changing, record.Described(c))
		}
	}
	return changing, nil
}

// Reports returns the reports on the commits of a repository: those of its forge, if it is known and
// has credentials, and given ones, by commit. Without a forge, no request is made. It does not
// connect yet. Errors: given is nil, and there is no forge to ask (forge.ErrNoForge,
// forge.ErrNoToken).
func (r Reader) Reports(ctx context.Context, repo string, given map[string][]decision.Report) (decision.Reports, error) {
	on, err := r.Forges.Repository(ctx, repo)
	switch {
	case err == nil:
	case given != nil && (errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken)):
		return func(commit string) ([]decision.Report, error) { return given[commit], nil }, nil
	default:
		return nil, err
	}
	return func(commit string) ([]decision.Report, error) {
		statuses, err := on.Reports(ctx, commit)
		if err != nil {
			return nil, err
		}
		reports := append([]decision.Report{}, given[commit]...)
		for i, s := range statuses {
			order := -time.Duration(i) // the latest comes first, and several may have the same second
			reports = append(reports, decision.Report{Context: s.Context, State: decision.State(s.State), Time: s.Time.Add(order),
				Creator: s.Creator})
		}
		return reports, nil
	}, nil
}

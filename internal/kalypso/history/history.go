// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package history reads the past and the present of the branches of environments:
//   - GitOps commits, by any author, with the commit of the control plane that each carried;
//   - the commits of that control plane, and the health that was reported on either;
//   - what runs where: the packages that those branches have now, what has changed them,
//     their health, and the present state of their sources.
//
// It reads no further than a caller asks, and never writes.
package history

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// The default depth of histories: DefaultSource commits of a source, DefaultGitOps of an
// environment's branch. Most is the limit for both.
const (
	DefaultSource = 2000
	DefaultGitOps = 200
	Most          = 20_000
)

// Reader reads histories for one run.
type Reader struct {
	Snapshots *git.Snapshots
	Forges    *forge.Client
}

// lazily reads so many elements of a history at first, because often only its beginning
// matters, and multiplies the number whenever more are needed.
const (
	firstRead = 20
	growth    = 10
)

// lazily returns a function that returns the elements of a history one by one. read returns
// the newest n elements; fewer if the history is shorter.
func lazily[T any](first, most int, read func(n int) ([]T, error)) func(i int) (T, bool, error) {
	var all []T
	asked := 0
	return func(i int) (T, bool, error) {
		var none T
		for len(all) <= i && len(all) == asked && asked < most {
			more := min(max(first, asked*growth), most)
			read, err := read(more)
			if err != nil {
				return none, false, err
			}
			all, asked = read, more
		}
		if len(all) <= i {
			return none, false, nil
		}
		return all[i], true, nil
	}
}

// Source is the source of promoted commits.
type Source struct {
	Branch git.Branch
	// Path is the promoted folder. Commits that do not change it are not candidates.
	Path string
	// Most is how many commits are read at most.
	Most int
}

// Source returns the history of a source, the newest commits first. It does not connect yet.
// Errors of the returned functions: those of reading a branch, and a missing branch
// (remote.KindBranchNotFound) or folder.
func (r Reader) Source(ctx context.Context, s Source) (promotion.SourceCommits, error) {
	levels := len(tree.SplitPath(s.Path))
	log, err := r.Snapshots.Log(ctx, s.Branch, levels)
	if err != nil {
		return nil, err
	}
	return lazily(firstRead, s.Most, func(n int) ([]promotion.SourceCommit, error) {
		commits, err := log.Commits(ctx, n+1) // the parent shows whether the last commit changed the folder
		if err != nil {
			return nil, err
		}
		if len(commits) == 0 {
			return nil, remote.Errorf(remote.KindBranchNotFound, "%s does not exist. Check the names, and that the branch has not been "+
				"deleted", s.Branch)
		}
		var same []bool
		if levels > 0 {
			if same, err = s.unchanged(ctx, log, commits); err != nil {
				return nil, err
			}
		}
		all := make([]promotion.SourceCommit, min(n, len(commits)))
		for i, c := range commits[:len(all)] {
			all[i] = promotion.SourceCommit{ID: c.ID.String(), Subject: c.Subject(), Author: c.Author.Name, Time: c.Time, Same: same != nil &&
				same[i]}
			for _, parent := range c.Parents {
				all[i].Parents = append(all[i].Parents, parent.String())
			}
		}
		return all, nil
	}), nil
}

// unchanged reports which commits do not change the folder.
func (s Source) unchanged(ctx context.Context, log *git.Log, commits []git.Commit) ([]bool, error) {
	folders, err := log.At(ctx, commits, s.Path)
	if err != nil {
		return nil, err
	}
	if !folders[0].Mode.IsDir() {
		return nil, fmt.Errorf("the newest commit of %s has no folder %q. Correct the path, or remove it for the whole repository",
			s.Branch, s.Path)
	}
	same := make([]bool, len(commits))
	for i, c := range commits {
		switch {
		case i+1 < len(commits):
			same[i] = folders[i].ID == folders[i+1].ID
		case len(c.Parents) == 0:
			same[i] = folders[i].ID.IsZero()
		}
	}
	return same, nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Source is where commits come from.
type Source struct {
	Branch git.Branch
	// Path is the promoted folder: commits that do not change it are not candidates.
	Path string
	// Most is how many commits are read.
	Most int
}

// Source returns the history of a source, the newest commits first. It connects to
// nothing yet. Errors, when it is asked: everything that reading a branch has, that the
// branch does not exist (remote.KindBranchNotFound), or the folder does not.
func (r Reader) Source(ctx context.Context, s Source) (promotion.SourceCommits, error) {
	levels := len(tree.SplitPath(s.Path))
	log, err := r.Snapshots.Log(ctx, s.Branch, levels)
	if err != nil {
		return nil, err
	}
	return lazily(firstRead, s.Most, func(n int) ([]promotion.SourceCommit, error) {
		commits, err := log.Commits(ctx, n+1) // the parent shows whether the last one changed it
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
		return nil, fmt.Errorf("the newest commit of %s has no folder %q. Correct the path, or leave it out for the whole repository",
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

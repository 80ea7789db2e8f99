// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// MaxShared is how many commits are read for each commit of the result, if environments share
// a branch.
const MaxShared = 8

// commits returns the newest commits of a branch, and those of them that belong to the
// environment. If environments share a branch by path, it leaves out the commits of the
// others, and reads more. own has as many commits as the result needs, and the one before
// them for comparison, which may be another environment's; fewer if there are no more.
func (b *branchReader) commits(ctx context.Context, branch *BranchHistory) (all, own []GitOpsCommit, err error) {
	most := b.at.Most + 1
	if all, err = branch.Commits(ctx, most); err != nil || b.depth == 0 {
		return all, all, err
	}
	if own, err = b.own(ctx, all); err != nil || len(own) == most || len(all) < most {
		return all, own, err
	}
	if all, err = branch.Commits(ctx, most*MaxShared); err != nil {
		return nil, nil, err
	}
	own, err = b.own(ctx, all)
	return all, own[:min(len(own), most)], err
}

// own returns those of some commits that have changed the environment's path, or its
// records. For the oldest commit this is known only if it is the first of the branch:
// otherwise it stays, for comparison.
func (b *branchReader) own(ctx context.Context, all []GitOpsCommit) ([]GitOpsCommit, error) {
	found, err := b.log.At(ctx, plain(all), b.at.Path)
	if err != nil {
		return nil, err
	}
	var own []GitOpsCommit
	for i, c := range all {
		var before tree.Entry
		said := ""
		switch {
		case i+1 < len(all):
			before, said = found[i+1], b.at.said(all[i+1])
		case len(c.Parents) > 0:
			return append(own, c), nil
		}
		if before.ID != found[i].ID || said != b.at.said(c) {
			own = append(own, c)
		}
	}
	return own, nil
}

// said identifies what a commit says of the path: by the ids of its records, and the
// tracking file.
func (at Deployed) said(c GitOpsCommit) string {
	said := []string{c.Tracked}
	for _, r := range c.Records {
		if at.isOf(r.Record) {
			said = append(said, r.File.String())
		}
	}
	slices.Sort(said)
	return strings.Join(said, " ")
}

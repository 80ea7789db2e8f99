// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// DeleteBranch deletes a branch if it points at that commit, by
// compare-and-swap: what somebody else has pushed to it is never lost. It reports
// whether the branch is gone now, also if it was gone before; false means
// that it stays since it points elsewhere.
func (c *Client) DeleteBranch(ctx context.Context, branch Branch, commit tree.ID) (gone bool, err error) {
	r, err := c.open(ctx, branch)
	if err != nil {
		return false, err
	}
	return attempt(ctx, c, branch, func() (bool, error) { return r.deleteBranch(ctx, branch.Name, commit) })
}

func (r *repo) deleteBranch(ctx context.Context, branch string, commit tree.ID) (gone bool, err error) {
	to, err := r.openReceiver(ctx)
	if err != nil {
		return false, err
	}
	defer to.close()
	head := to.branch(branch)
	switch {
	case head != commit || head.IsZero():
		return head.IsZero(), nil
	case !to.advertised.Capabilities.Supports(capability.DeleteRefs):
		return false, &remote.Error{Kind: remote.KindRefused, Message: r.name + " does not let anybody delete branches. Delete " + branch +
			" on the server"}
	}
	err = to.push(ctx, command{branch: branch, from: commit}, &pack{})
	if errors.Is(err, remote.ErrMoved) {
		return false, nil // somebody was faster
	}
	return err == nil, err
}

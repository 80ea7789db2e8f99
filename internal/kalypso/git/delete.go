// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// DeleteBranch deletes a branch if it points at that commit, by
// compare-and-swap: what somebody else has pushed to it is never lost. It reports
// whether the branch is gone now, also where it was gone before; false means
// that it stays since it points elsewhere.
func (c *Client) DeleteBranch(ctx context.Context, branch Branch, commit tree.ID) (gone bool, err error) {
	r, err := c.open(branch)
	if err != nil {
		return false, err
	}
	err = c.retry(ctx, branch, func() error {
		gone, err = r.deleteBranch(ctx, branch.Name, commit)
		return err
	})
	return gone, err
}

func (r *repo) deleteBranch(ctx context.Context, branch string, commit tree.ID) (gone bool, err error) {
	to, err := r.openReceiver(ctx)
	if err != nil {
		return false, err
	}
	defer to.close()
	if head := branchOf(to.advertised, branch); head != commit || head.IsZero() {
		return head.IsZero(), nil
	}
	err = to.delete(ctx, branch, commit)
	if err == nil || ctx.Err() != nil {
		return err == nil, err
	}
	// As for a push: where the branch is now tells what happened.
	head, headErr := r.head(ctx, branch)
	switch {
	case headErr != nil || head == commit:
		return false, err
	default:
		return head.IsZero(), nil
	}
}

// delete sends the one command, without a pack, and returns the server's answer.
func (to *receiver) delete(ctx context.Context, branch string, commit tree.ID) error {
	if !to.advertised.Capabilities.Supports(capability.DeleteRefs) {
		return &remote.Error{Kind: remote.KindRefused, Message: to.repo.name + " does not let anybody delete branches. Delete " + branch + " on the server"}
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(to.advertised.Capabilities)
	for _, c := range []capability.Capability{capability.Sideband64k, capability.DeleteRefs} {
		if to.advertised.Capabilities.Supports(c) {
			_ = request.Capabilities.Set(c) // fails for capabilities with arguments only
		}
	}
	request.Commands = []*packp.Command{{Name: plumbing.NewBranchReferenceName(branch), Old: plumbing.Hash(commit), New: plumbing.ZeroHash}}
	var said progress
	request.Progress = &said

	report, err := to.session.ReceivePack(ctx, request)
	if ctx.Err() == nil && report != nil && report.Error() != nil {
		return fmt.Errorf("the branch was not deleted: %w", to.repo.refused(branch, report, &said))
	}
	if err == nil && report == nil {
		err = io.ErrUnexpectedEOF // go-git takes an empty answer for a good one
	}
	if err != nil {
		return to.repo.explain(ctx, err)
	}
	to.repo.client.log(ctx, "deleted a branch", map[string]any{"repo": to.repo.name, "branch": branch, "commit": commit.String()})
	return nil
}

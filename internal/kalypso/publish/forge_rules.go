// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// checkRules reports the rules of the forge that will refuse a change. It ignores rules that it
// cannot read, because the apply shows the refusal of the forge.
func (p *Publisher) checkRules(ctx context.Context, c *computed, v *view) message.Messages {
	var m message.Messages
	if p.forges == nil || !v.isRead() {
		return m
	}
	branch := c.location.Of()
	repo, err := p.forges.Repository(ctx, branch.Repo)
	if err != nil { // CheckForge reports this error
		return m
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	write := c.write(v, p.git.Signs())
	reasons, err := repo.Refusals(ctx, write)
	switch {
	case err != nil:
	case len(reasons) == 0:
		if write.Creates || c.Was == nil && !write.Proposes {
			m.Add(checkBranch(ctx, repo, branch))
		}
	case p.appliesWith(ctx, repo, branch, write):
		m.Fail(message.RuleRefuses, message.Sentence(errors.Join(reasons...)))
	default:
		m.Warn(message.RuleRefuses, message.Sentence(errors.Join(reasons...))+
			"\nIf the credentials of the apply may bypass the ruleset, the apply succeeds.")
	}
	return m
}

// write returns what an apply will do to the branch.
func (c *computed) write(v *view, signed bool) forge.Write {
	w := forge.Write{Branch: c.location.Branch, Creates: v.found.Head.IsZero(), Signed: signed}
	if s := c.Request; s != nil {
		w.Proposes, w.AutoMerge = true, s.AutoMerge
		if inv := c.Inventory; !inv.Proposal.IsOpen() {
			w.Head = s.Branch(c.Fleet.Environment, cmp.Or(inv.Instance, "000000000000"), inv.Branches+1) // an apply chooses the instance
		}
	}
	return w
}

// appliesWith reports whether an apply with the credentials of this plan writes with the rights
// of the forge's token. Otherwise the apply has other credentials, or git has, as a deploy key.
func (p *Publisher) appliesWith(ctx context.Context, repo *forge.Repository, branch git.Branch, w forge.Write) bool {
	_, token, err := repo.Login(ctx)
	return err == nil && (w.Proposes || p.git.PushesWith(ctx, branch.Repo, token)) && p.git.CheckWrite(ctx, branch) == nil
}

// checkBranch warns about a branch that has a new name, or whose protection may refuse pushes.
func checkBranch(ctx context.Context, repo *forge.Repository, branch git.Branch) message.Messages {
	var m message.Messages
	switch protected, err := repo.Protected(ctx, branch.Name); {
	case remote.Is(err, remote.KindBranchNotFound):
		m.Warn(message.BranchRenamed, problem.Sentence(err)+" The apply would make a new branch with the old name. Set branch to the new name.")
	case err == nil && protected:
		m.Warn(message.TakesNoPushes, fmt.Sprintf(
			"%s is protected, and the apply writes to it without a pull request. If the credentials may not push there, the apply will fail: "+
				"add a pull_request block, or let the credentials push.", branch))
	}
	return m
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// checkServers reports for which reasons the servers will refuse a change: for a new resource, the
// credentials of the Git server and of the forge; for each change, the rules of the forge. It
// ignores rules that it cannot read, because the apply shows the refusal of the forge. It only warns
// if the apply may have other rights.
func (p *Publisher) checkServers(ctx context.Context, c *computed, v *view) message.Messages {
	var m message.Messages
	if !v.isRead() {
		return m
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	branch := c.location.Of()
	pushed := sync.OnceValue(func() error { return p.git.CheckWrite(ctx, branch) })
	if c.Was == nil && pushed() != nil {
		m.Warn("The GitOps repository cannot be written", "The apply will need to push to this repository. "+message.Sentence(pushed()))
	}
	if p.forges == nil {
		return m
	}
	repo, err := p.forges.Repository(ctx, branch.Repo)
	if err != nil { // CheckForge reports this error
		return m
	}
	if c.Was == nil && c.Request != nil {
		if err := repo.Reachable(ctx); err != nil {
			m.Warn("The forge cannot be asked", "The apply will need the forge for the pull request. "+problem.Sentence(err))
		}
	}
	write := c.comingWrite(v, p.git.Signs())
	reasons, err := repo.Refusals(ctx, write)
	switch {
	case err != nil:
	case len(reasons) == 0:
		if write.Creates || c.Was == nil && !write.Proposes {
			m.Add(checkBranch(ctx, repo, branch))
		}
	case (write.Proposes || p.pushesAs(ctx, repo, branch)) && pushed() == nil:
		m.Fail(message.RuleRefuses, message.Sentence(errors.Join(reasons...)))
	default:
		m.Warn(message.RuleRefuses, message.Sentence(errors.Join(reasons...))+
			"\nIf the credentials of the apply may bypass the ruleset, the apply succeeds.")
	}
	return m
}

// comingWrite returns what an apply will do to the branch.
func (c *computed) comingWrite(v *view, signed bool) forge.Write {
	w := forge.Write{Branch: c.location.Branch, Creates: v.found.Head.IsZero(), Signed: signed}
	if s := c.Request; s != nil {
		w.Proposes, w.AutoMerge = true, s.AutoMerge
		if inv := c.Inventory; !inv.Proposal.IsOpen() {
			w.Head = s.Branch(c.Fleet.Environment, cmp.Or(inv.Instance, "000000000000"), inv.Branches+1) // an apply chooses the instance
		}
	}
	return w
}

// pushesAs asks the forge for its token, and reports whether this plan pushes with the rights of the
// token. Otherwise git has other credentials, such as a deploy key.
func (p *Publisher) pushesAs(ctx context.Context, repo *forge.Repository, branch git.Branch) bool {
	_, token, err := repo.Login(ctx)
	return err == nil && p.git.PushesWith(ctx, branch.Repo, token)
}

// checkBranch warns about a branch that has a new name, or whose protection may refuse pushes.
func checkBranch(ctx context.Context, repo *forge.Repository, branch git.Branch) message.Messages {
	var m message.Messages
	switch protected, newName, err := repo.Protected(ctx, branch.Name); {
	case newName != "":
		m.Warn("The branch has a new name", fmt.Sprintf("Branch %s has the new name %s. The apply would make a new branch with the old name. "+
			"Set branch to the new name.", branch.Name, newName))
	case err == nil && protected:
		m.Warn("The branch is protected", fmt.Sprintf(
			"%s is protected, and the apply writes to it without a pull request. If the credentials may not push there, the apply will fail: "+
				"add a pull_request block, or let the credentials push.", branch))
	}
	return m
}

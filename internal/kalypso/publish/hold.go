// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// heldBy names the setting that holds a resource, so that nothing may be written; empty for none. hold is that
// of the resource.
func (p *Publisher) heldBy(hold bool) string {
	switch {
	case p.HoldAll:
		return "hold of the provider (KALYPSO_HOLD)"
	case hold:
		return "hold"
	}
	return ""
}

// planOnHold returns the plan of a resource on hold: nothing is computed, read or written, and
// every computed value stays as the state has it. The messages do not name the place yet.
func (p *Publisher) planOnHold(job Job) (*Plan, message.Messages) {
	var m message.Messages
	by := p.heldBy(job.Hold)
	why := fmt.Sprintf("While %s is set", by)
	if job.IsUnverified && !p.HoldAll {
		why = "No release is verified yet (release.commit is null; the reason of kalypso_promotion says what is missing). Until then"
	}
	plan := &Plan{Location: git.Location{Path: "."}, Memory: job.Memory,
		Attributes: Attributes{Packages: engine.Digests{}, Summary: "nothing is written while the environment is on hold", Status: Held}}
	if job.Was != nil {
		plan.Location, plan.Attributes = job.Was.Location, job.Was.Attributes
	}
	switch given := job.givenPlace(plan.Location); {
	case job.Was == nil:
		plan.Location = given
		if !job.Repo.Given || !job.Branch.Given {
			m.Fail(message.OnHold, fmt.Sprintf("Environment %s is new, so its resource needs repo and branch while %s is set, because the fleet "+
				"is not read. Set both, or create the resource after the hold.", job.Fleet.Environment, by))
		}
		m.Warn(message.OnHold, fmt.Sprintf("%s, the apply writes nothing to %s. The first plan after that shows what it writes.", why, given))
	case !given.Same(plan.Location) || job.isOtherEnvironment():
		m.Fail(message.OnHold, fmt.Sprintf("The environment and the place cannot change while %s is set: the packages stay in %s. Set "+
			"environment, repo, branch and path back, or remove %[1]s.", by, plan.Location))
	case job.Detail != job.Was.Detail:
		m.Fail(message.OnHold, fmt.Sprintf("detail cannot change while %s is set. Set it to %q, or remove %[1]s.", by, job.Was.Detail))
	default:
		m.Warn(message.OnHold, fmt.Sprintf("%s, the apply writes nothing to %s, and does not repair drift there. The first plan after that "+
			"shows what differs.", why, plan.Location))
	}
	return plan, m
}

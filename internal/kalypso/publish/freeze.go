// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// maxFrozen is how many lines of packages a refusal has.
const maxFrozen = 10

// checkFreeze refuses a change of packages while a freeze is in force, unless acknowledge has the
// code of the change. Records and other files may change. It only refuses: no planned value
// depends on the time.
func (p *Publisher) checkFreeze(c *computed, seen *view) message.Messages {
	var m message.Messages
	freeze, isFrozen := calendar.InForce(c.Freezes, p.now())
	if !isFrozen || !c.decision.Changes {
		return m
	}
	before, after, unjudged := judged(c.Inventory, c.decision, seen, c.result)
	for _, path := range c.decision.Left {
		before.RemoveFolder(ownership.KeyOf(c.Inventory.Location, path))
	}
	changed := append(limits.Compare(before, after).All(), unjudged...)
	if c.decision.Moves {
		changed = packageKeys(after)
	}
	code := codeOf(c.decision, c.Inventory, seen, c.Removal, c.newlyKept()...)
	if len(changed) == 0 || c.Acknowledged(code) {
		return m
	}
	refusal := fmt.Sprintf("No package may change: %s. The apply would change %s:\n%sWait until the freeze ends. If the change "+
		"cannot wait, set acknowledge = %q in limits. The code is valid only for this change of the current content of the repository.",
		freeze, wording.Count(len(changed), "package"), limits.List(changed, maxFrozen), code)
	m.Fail(message.Frozen, refusal+c.otherCode(refusal, code))
	return m
}

// checkFrozenDestroy refuses a destroy that removes packages while a freeze is in force. No code
// permits it, because a destroy has no configuration.
func (p *Publisher) checkFrozenDestroy(job Job) message.Messages {
	var m message.Messages
	freeze, isFrozen := calendar.InForce(job.Freezes, p.now())
	nothing := job.nothing(job.Inventory.Location)
	if !isFrozen || len(ownership.Decide(nothing, job.Inventory).Removes(job.Inventory)) == 0 {
		return m
	}
	m.Fail(message.Frozen, fmt.Sprintf("No package may be removed: %s. Wait until the freeze ends. To destroy the "+
		"resource earlier, "+
		"remove the block freeze, apply, and then destroy.", freeze))
	return m
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// maxFrozen is how many lines of packages a refusal has.
const maxFrozen = 10

// checkFreeze refuses a change of packages while a freeze is in force, unless acknowledge has the
// code of the change in this freeze. Records and other files may change. It only refuses: no planned
// value depends on the time. It calls look, which reads the branch, only for a change in a freeze.
func (p *Publisher) checkFreeze(c *computed, look func() *view) message.Messages {
	var m message.Messages
	freeze, isFrozen := calendar.InForce(c.Freezes, p.now())
	if !isFrozen || !c.decision.Changes && !c.updatesAutoMerge() {
		return m
	}
	seen := look()
	changed := c.touched(seen)
	sum := sha256.Sum256([]byte(c.code(seen) + freeze.String()))
	code := hex.EncodeToString(sum[:])[:codeDigits] // a code for limits does not permit the change in a freeze
	if len(changed) == 0 || c.Acknowledged(code) {
		return m
	}
	refusal := fmt.Sprintf("No package may change: %s. The apply would change %s:\n%sWait until the freeze ends. If the change "+
		"cannot wait, set acknowledge = %q in limits. The code is valid only for this change of the current content of the repository.",
		freeze, wording.Count(len(changed), "package"), limits.List(changed, maxFrozen), code)
	m.Fail(message.Frozen, refusal+c.otherCode(refusal, code))
	return m
}

// updatesAutoMerge reports whether an apply updates an open request that the forge then merges.
func (c *computed) updatesAutoMerge() bool {
	return c.Request != nil && c.Request.AutoMerge != "" && c.updatesRequest(c.location)
}

// touched returns the packages that an apply adds, changes or removes in the branch, or by a merge of
// its request. It also returns cluster types whose present packages are not known.
func (c *computed) touched(seen *view) []string {
	if c.decision.Moves {
		before := packageKeys(c.Inventory.Packages)
		if c.Inventory.Detail == engine.DetailClusterType {
			before = slices.Collect(maps.Keys(c.Inventory.Packages))
		}
		return wording.Sorted(slices.Concat(before, packageKeys(c.result.Digests(engine.DetailPackage))))
	}
	before, after, unjudged := judged(c.Inventory, c.decision, seen, c.result)
	return wording.Sorted(append(c.compare(before, after).All(), unjudged...))
}

// warnOfMerge warns of an open request while a freeze is in force: its merge changes packages.
func (p *Publisher) warnOfMerge(job Job) message.Messages {
	var m message.Messages
	if freeze, isFrozen := calendar.InForce(job.Freezes, p.now()); isFrozen && job.Inventory.Proposal.IsOpen() {
		m.Warn(message.Frozen, fmt.Sprintf("%s is open, and %s. A merge would change packages, also an automatic merge. Do not merge it, or "+
			"close it.", job.Was.PullRequestURL, freeze))
	}
	return m
}

// checkFrozenDestroy refuses a destroy that removes packages while a freeze is in force. No code
// permits it, because a destroy has no configuration.
func (p *Publisher) checkFrozenDestroy(job Job) message.Messages {
	var m message.Messages
	freeze, isFrozen := calendar.InForce(job.Freezes, p.now())
	if !isFrozen || len(job.nothing(job.Inventory.Location).Removes(job.Inventory)) == 0 {
		return m
	}
	m.Fail(message.Frozen, fmt.Sprintf("No package may be removed: %s. Wait until the freeze ends. To destroy the resource "+
		"earlier, remove the block freeze, apply, and then destroy.", freeze))
	return m
}

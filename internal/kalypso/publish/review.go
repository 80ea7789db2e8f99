// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// review tells what a reviewer should know of a change, and stops one that the
// settings do not allow.
func (p *Publisher) review(job Job, decision Decision, now current, result *engine.Result) Messages {
	m := job.reviewFindings(result)
	if job.judged(decision) {
		m.add(job.reviewLimits(job.Inventory, decision, now, p.render(job.Was), result))
	}
	return m
}

// judged reports whether limits count: something changes, or is still proposed.
func (job Job) judged(decision Decision) bool {
	return decision.Changes || job.Inventory.Proposal != nil
}

// reviewFindings tells what was found in the fleet that is probably not meant so:
// as one error what has to fail, as one warning the rest.
func (s *Settings) reviewFindings(result *engine.Result) Messages {
	var m Messages
	kept, failing := s.Findings.Apply(result.Findings())
	m.Errors = FailingFindings(failing)
	if len(failing) == 0 && len(kept) > 0 {
		m.warn("Findings", findings.Report(kept)+
			"\n\nignore_findings silences a code, or one finding as \"CODE:subject\"; fail_on makes it an error.")
	}
	return m
}

// FailingFindings returns one error that tells all findings that have to fail.
func FailingFindings(failing []findings.Finding) []Message {
	if len(failing) == 0 {
		return nil
	}
	return []Message{{Summary: "Findings that fail_on does not allow", Detail: findings.Report(failing) +
		"\n\nMend what they are about, or silence them one by one with ignore_findings = [\"CODE:subject\"]."}}
}

// released tells what seems to go and stays in the repository. Folders that are kept
// where nothing else may stand would be drift, and gone with the next apply.
func released(desired Desired, decision Decision, inv *Inventory) Messages {
	var m Messages
	if len(decision.Released) > 0 {
		var names []string
		for _, path := range decision.Released {
			names = append(names, keyOf(inv.Location, path))
		}
		slices.Sort(names)
		if desired.Exclusive && desired.Removal == Retain && !decision.Moves {
			m.fail("Kept folders are in the way of exclusive", fmt.Sprintf(
				"on_removal = \"retain\" would keep %s, and exclusive = true wants nothing else in %s. Take one of the two back.", strings.Join(names, ", "), inv.Location))
			return m
		}
		m.warn("No longer watched", fmt.Sprintf(
			"The plan takes these out of packages, since they are no longer this resource's: %s. They are not removed from the repository.", strings.Join(names, ", ")))
	}
	return m
}

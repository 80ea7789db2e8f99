// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// guard returns the guard of packages for these settings. packages returns the applied
// packages. The guard calls it only if the settings protect packages.
func (s *Settings) guard(packages func() engine.Digests) ownership.Guard {
	var g ownership.Guard
	if len(s.Limits.Protect) > 0 {
		g.Protected = s.Limits.Protected(packageKeys(packages()))
	}
	return g
}

// packageKeys returns the keys of packages, sorted, without those of other files.
func packageKeys(digests engine.Digests) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(digests)), func(key string) bool { return !engine.IsPackage(key) })
}

func (s *Settings) checkDestroy(g ownership.Guard) message.Messages {
	var m message.Messages
	if s.Removal == ownership.Forbid {
		m.Fail(message.Forbidden, fmt.Sprintf(
			"Environment %s must not be destroyed: on_removal = \"forbid\". To destroy it, set on_removal to empty, delete or retain, apply that "+
				"first, and try again.%s", s.Fleet.Environment, ifRenamed))
	}
	if len(g.Protected) > 0 {
		m.Fail("Protected packages would be removed", fmt.Sprintf(
			"Environment %s must not be destroyed: limits.protect keeps %s.\n%s\nTo destroy it, remove the pattern from protect, apply that "+
				"first, and try again.%s",
			s.Fleet.Environment, wording.Count(len(g.Protected), "package"), limits.List(g.Protected, message.MaxListed), ifRenamed))
	}
	if s.Hold {
		m.Fail(message.OnHold, fmt.Sprintf(
			"Environment %s must not be destroyed while hold = true. Remove hold, apply that change first, and try again.", s.Fleet.Environment))
	}
	return m
}

// LookAgain updates the inventory for the plan of a destroy, and reports whether this
// succeeded. After a failure, the destroy itself reports the problem.
func (p *Publisher) LookAgain(ctx context.Context, was *Applied, inv *ownership.Inventory) bool {
	if p.git == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, m := p.Refresh(ctx, was, inv)
	return !m.Failed()
}

// PlanDestroy reports the effect of a destroy, or the reason why the resource cannot be
// destroyed.
func (p *Publisher) PlanDestroy(job Job) message.Messages {
	return p.planDestroy(job).About(job.Fleet.Environment, message.Place(job.Inventory.Location, job.Fleet.ClusterTypes))
}

// ifRenamed ends each message about the removal of packages.
const ifRenamed = " If the resource was only renamed, add a moved block: Terraform then removes nothing."

func (p *Publisher) planDestroy(job Job) message.Messages {
	var m message.Messages
	s, inv := job.Settings, job.Inventory
	nothing := job.nothing(inv.Location)
	retains := s.Removal == ownership.Retain
	if !retains {
		nothing.Removal = ownership.Delete // Forbid is reported below
	}
	decision := ownership.Decide(nothing, inv)
	ours, left := decision.Removes(inv), message.LeftText(decision, inv)
	if retains {
		ours = decision.Kept
	}
	if m = message.ProblemsOf(decision); m.Failed() {
		return m
	}
	if len(ours) == 0 && !s.Hold {
		if !retains {
			m.Add(p.planKept(job, siteOf(inv), decision.Kept))
		}
		if left != "" {
			m.Warn("Removes nothing", left)
		}
		return m
	}
	m = s.checkDestroy(s.guard(inv.NamedPackages))
	if m.Add(p.checkFrozenDestroy(job)); m.Failed() {
		return m
	}
	if !retains {
		m.Add(p.planKept(job, siteOf(inv), decision.Kept))
		m.Add(p.planIntent(job.intent(site{}, nil, ours)))
	}
	what := counted(inv, ours)
	if m.Failed() {
		return m
	}
	if left != "" {
		left = "\n\n" + left
	}
	switch {
	case retains:
		m.Warn("Leaves "+what+" unchanged", fmt.Sprintf(
			"on_removal = \"retain\": the packages stay in %s, and clusters keep running them. No resource manages them then. The record %s "+
				"still lists them: a resource of the same environment and place takes them over.%s", inv.Location, ownership.RecordPath(inv.Instance),
			left))
	case s.Request != nil:
		m.Warn("Proposes to remove "+what, fmt.Sprintf("Destroying opens a pull request that removes the packages from %s. %s%s%s",
			inv.Location, s.Removal.Means(), ifRenamed, left))
	default:
		m.Warn("Removes "+what, fmt.Sprintf("Destroying removes the packages from %s with one commit. %s%s%s", inv.Location,
			s.Removal.Means(), ifRenamed, left))
	}
	return m
}

// counted describes the content of some of our folders: "3 packages in 2 cluster types". It
// returns "" if the folders have no packages.
func counted(inv *ownership.Inventory, folders []string) string {
	packages := 0
	for key := range inv.Packages {
		clusterType, _, _ := strings.Cut(key, "/")
		if slices.Contains(folders, inv.Location.Join(clusterType)) && engine.IsPackage(key) {
			packages++
		}
	}
	switch {
	case len(folders) == 0:
		return ""
	case inv.Detail == engine.DetailClusterType:
		return wording.Count(len(folders), "cluster type")
	}
	return wording.Count(packages, "package") + " in " + wording.Count(len(folders), "cluster type")
}

// stays explains why a resource at another location cannot replace the resource of the guard:
// no resource would manage the old place any more.
func stays(g ownership.Guard, place string) message.Messages {
	var m message.Messages
	if g.Place != "" && g.Place != place {
		m.Fail(message.ReplacedElsewhere, fmt.Sprintf(
			"%s becomes %s while the resource is replaced. Apply only the move, without -replace: this writes the new place first and then takes "+
				"care of the old one.", g.Place, place))
	}
	return m
}

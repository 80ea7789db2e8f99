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
)

// Guard is what keeps a resource from being destroyed or replaced. It is noted, since
// Terraform shows the second half of a replacement nothing else of the first.
type Guard struct {
	// Instance is who noted it, and Environment and Place are what was applied, in words.
	Instance    string `json:"instance,omitempty"`
	Environment string `json:"environment,omitempty"`
	Place       string `json:"place,omitempty"`
	// Forbids is true where removals are forbidden, Held where the branch is on hold.
	Forbids bool `json:"forbids,omitempty"`
	Held    bool `json:"held,omitempty"`
	// Protected are the packages that are never removed.
	Protected []string `json:"protected,omitempty"`
}

// guard returns what guards packages, which packages tells, that are applied by these
// settings. Nothing has to tell them where none is protected.
func (s *Settings) guard(packages func() engine.Digests) Guard {
	g := Guard{Environment: s.Fleet.Environment, Forbids: s.Removal == Forbid, Held: s.Hold}
	if len(s.Limits.Protect) > 0 {
		g.Protected = s.Limits.Protected(packageKeys(packages()))
	}
	return g
}

// packages returns the digests of the packages that an inventory holds, one by one.
func (p *Publisher) packages(job Job) engine.Digests {
	switch inv := job.Inventory; {
	case inv.Held && inv.Detail == engine.DetailClusterType: // the state's inputs were never written
		noted := engine.Digests{}
		for _, key := range inv.Guard.Protected {
			noted[key] = "?"
		}
		return noted
	case inv.Detail == engine.DetailClusterType:
		return p.render(job.Was).Digests(engine.DetailPackage)
	}
	return job.Inventory.Packages
}

// packageKeys returns the keys of packages alone, sorted.
func packageKeys(digests engine.Digests) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(digests)), func(key string) bool { return !engine.IsPackage(key) })
}

// CheckReplaced says what keeps the resource that noted the guard from being replaced.
func (g Guard) CheckReplaced() Messages { return g.check("replaced", "") }

// check says what keeps from what is about to be done: "destroyed", "replaced". renamed
// ends the advice.
func (g Guard) check(done, renamed string) Messages {
	var m Messages
	if g.Forbids {
		m.fail(forbidden, fmt.Sprintf(
			"Environment %s must not be %s: on_removal = \"forbid\". If it is meant, set on_removal to empty, delete or retain, apply that first, and try again.%s", g.Environment, done, renamed))
	}
	if len(g.Protected) > 0 {
		m.fail(guarded, fmt.Sprintf(
			"Environment %s must not be %s: limits.protect keeps %s.\n%s\nIf it is meant, take the pattern out of protect, apply that first, and try again.%s",
			g.Environment, done, wording.Count(len(g.Protected), "package"), limits.List(g.Protected), renamed))
	}
	if g.Held {
		m.fail(OnHold, fmt.Sprintf(
			"Environment %s must not be %s while hold = true. Take hold away, apply that first, and try again.", g.Environment, done))
	}
	return m
}

// LookAgain brings what is noted up to date for the plan of a destroy, and reports
// whether it could: else the destroy tells.
func (p *Publisher) LookAgain(ctx context.Context, was *Applied, inv *Inventory) bool {
	if p.git == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	_, m := p.Refresh(ctx, was, inv)
	return !m.Failed()
}

// PlanDestroy says what a destroy of what was applied does, or why there can be none.
func (p *Publisher) PlanDestroy(job Job) Messages {
	return p.planDestroy(job).About(job.Fleet.Environment, Place(job.Inventory.Location, job.Fleet.ClusterTypes))
}

// ifRenamed ends what says that packages go: that a resource with the same place comes
// may have been seen too late.
const ifRenamed = " If the resource was only renamed, add a moved block: nothing is removed then."

func (p *Publisher) planDestroy(job Job) Messages {
	var m Messages
	s, inv := job.Settings, job.Inventory
	if p.succession.isFollowed(inv.Instance) {
		return m // by a resource that has taken its place
	}
	nothing := job.nothing(inv.Location)
	nothing.Removal = Delete
	decision := Decide(nothing, inv)
	ours, left := decision.drops(inv), decision.leftText(inv)
	if len(ours) == 0 && left != "" {
		m.warn(removeNothing, left)
		m.add(p.abandoned(job))
		return m
	}
	if m = s.guard(func() engine.Digests { return p.packages(job) }).check("destroyed", ifRenamed); m.Failed() {
		return m
	}
	stay := p.inherited(job)
	if job.Followed { // nothing is removed, but what that one does not want
		if heir, _ := p.succession.heir(placeKey(s.Fleet.Environment, inv.Location), inv); heir != nil {
			stay = slices.AppendSeq(stay, maps.Keys(heir.wants))
		}
	}
	ours = slices.DeleteFunc(ours, func(path string) bool { return slices.Contains(stay, path) })
	m.add(p.abandoned(job))
	if s.Removal != Retain {
		m.add(p.planShare(part{instance: inv.Instance, environment: s.Fleet.Environment, from: inv.site(), drops: ours, isDestroyed: true}))
	}
	what := inv.counted(ours)
	if what == "" || m.Failed() {
		return m
	}
	if left != "" {
		left = "\n\n" + left
	}
	switch {
	case s.Removal == Retain:
		m.warn(naming(leaves, what), fmt.Sprintf(
			"on_removal = \"retain\": the packages stay in %s, and clusters keep running them. Nobody looks after them then.%s", inv.Location, left))
	case s.Request != nil:
		m.warn(naming(proposes, what), fmt.Sprintf("Destroying opens a pull request that removes the packages from %s. %s%s%s", inv.Location, s.Removal.means(), ifRenamed, left))
	default:
		m.warn(naming(removes, what), fmt.Sprintf("Destroying removes the packages from %s with one commit. %s%s%s", inv.Location, s.Removal.means(), ifRenamed, left))
	}
	return m
}

// counted tells how much there is in some of our folders: "3 packages in 2 cluster types";
// empty for nothing.
func (inv *Inventory) counted(folders []string) string {
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

// leftText says what a destroy leaves that the state names, and why; empty for nothing.
func (d Decision) leftText(inv *Inventory) string {
	var parts []string
	if theirs := inv.Owned.claims(inv.claimants()); len(theirs) > 0 {
		parts = append(parts, fmt.Sprintf("Another resource owns what this one leaves unchanged: %s.", owners(inv.Location, theirs)))
	}
	if len(d.Unknown) > 0 {
		parts = append(parts, fmt.Sprintf("It leaves %s unchanged: no record names it, and it is not what the last apply wrote.", listPaths(inv.Location, d.Unknown, inv.files(d.Unknown))))
	}
	return strings.Join(parts, "\n\n")
}

// stays says why the resource that noted the guard cannot be replaced by one at another
// location: nothing would know the old place any more.
func (g Guard) stays(place string) Messages {
	var m Messages
	if g.Place != "" && g.Place != place {
		m.fail(replacedElsewhere, fmt.Sprintf(
			"%s becomes %s while the resource is replaced. Apply the move alone, without -replace: it writes the new place first and then takes care of the old one.", g.Place, place))
	}
	return m
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// reviewLimits stops a change that exceeds the limits, counted against what the
// inventory says is there. What the decision releases stays there. was is what was rendered last.
func (s *Settings) reviewLimits(inv *Inventory, decision Decision, now current, was, result *engine.Result) Messages {
	var m Messages
	if inv.isNew() {
		m.add(s.reviewProtection(result.Digests(engine.DetailPackage)))
		return m
	}
	before, after, unjudged := judged(inv, now, was, result)
	for _, path := range decision.Released {
		before.RemoveFolder(keyOf(inv.Location, path))
	}
	change := limits.Compare(before, after)
	for _, target := range result.Fleet.Targets {
		change.Targets = append(change.Targets, target.FullName)
	}
	if len(unjudged) == 0 {
		m.add(s.reviewProtection(before, after))
	}
	code := decision.code(inv, s.Removal)
	if err := s.Limits.Refuse(change, s.Acknowledged(code), code); err != nil {
		m.fail(exceeds, err.Error()+s.otherCode(err.Error(), code))
	}
	if len(unjudged) > 0 && s.Limits.Any() && !s.Acknowledged(code) {
		m.fail(unjudgeable, fmt.Sprintf(
			"What is in the repository is not known package by package in these cluster types: %s. Another version of the provider wrote them, or too much was changed by hand. "+
				"Look at what the plan changes; if it is meant, set acknowledge = %q in limits.", strings.Join(unjudged, ", "), code))
	}
	return m
}

// reviewProtection warns of patterns that protect none of some packages.
func (s *Settings) reviewProtection(packages ...engine.Digests) Messages {
	var m Messages
	var keys []string
	for _, digests := range packages {
		keys = append(keys, packageKeys(digests)...)
	}
	if idle := s.Limits.Idle(keys); len(idle) > 0 {
		m.warn(protectsNothing, fmt.Sprintf("limits.protect has the %s, and no package is called so, neither now nor by this plan. Look for a misspelled name: keys are <cluster type>/<deployment target>.", list("pattern", idle)))
	}
	return m
}

// codeDigits are enough that nobody finds another change with the same code.
const codeDigits = 32

// code returns the code that acknowledges a decision and no other: a digest of what
// stands in every path that is looked after, and of what shall stand there. Records do
// not count, since they name the provider's version.
func (d Decision) code(inv *Inventory, removal Removal) string {
	known := inv.known()
	paths := slices.AppendSeq(slices.Collect(maps.Keys(known)), maps.Keys(d.Change.Edits))
	slices.Sort(paths)
	var b strings.Builder
	for _, at := range []git.Location{inv.Location, d.Location} { // whatever the URL: that of a laptop is another than that of CI
		fmt.Fprintf(&b, "%q %q\n", at.Branch, at.Path)
	}
	for _, taken := range d.TakenOver {
		fmt.Fprintf(&b, "%q of %q\n", taken.Path, taken.Instance)
	}
	fmt.Fprintf(&b, "%t %q\n", d.Moves, removal)
	for _, path := range slices.Compact(paths) {
		if edit, wanted := d.Change.Edits[path]; !isRecord(path) {
			fmt.Fprintf(&b, "%q %s %t %s\n", path, tree.ID(known[path].ID), wanted, edit.Want.ID)
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:codeDigits]
}

// judged returns both sides of a change as packages that are the fleet's own,
// whatever the inventory's detail. What else stands in its folders is no package, as
// far as it is known what was written there.
// Cluster types of which packages are not known are named and on neither side.
func judged(inv *Inventory, now current, was, result *engine.Result) (before, after engine.Digests, unjudged []string) {
	before, after = maps.Clone(inv.Packages), result.Digests(engine.DetailPackage)
	for path := range inv.Foreign {
		before.RemoveFolder(keyOf(inv.Location, path))
	}
	if inv.Detail == engine.DetailClusterType {
		for path, e := range now.paths {
			if key := keyOf(inv.Location, path); e.Mode == tree.ModeDir && before[key] != "" {
				before.RemoveFolder(key)
				before.AddFolder(engine.DetailPackage, key, e.ID, e.Dir.Entries)
			}
		}
		for _, path := range now.unknown {
			key := keyOf(inv.Location, path)
			before.RemoveFolder(key)
			after.RemoveFolder(key)
			unjudged = append(unjudged, key)
		}
	}
	if was.Folders != nil && !inv.Unmerged { // else the branch holds what was rendered before it
		ours := was.Digests(engine.DetailPackage)
		maps.DeleteFunc(before, func(key, _ string) bool { return ours[key] == "" && after[key] == "" })
	}
	return before, after, unjudged
}

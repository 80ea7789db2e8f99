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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// reviewLimits stops a change that exceeds the limits. It compares the change with the
// inventory's present content, and with the folders that a new resource finds.
func (c *computed) reviewLimits(seen *view) message.Messages {
	var m message.Messages
	before, after, unjudged := judged(c.Inventory, c.decision, seen, c.result)
	if c.Inventory.IsNew() && len(before) == 0 {
		m.Add(c.reviewProtection(after))
		return m
	}
	change := c.compare(before, after)
	if len(unjudged) == 0 {
		m.Add(c.reviewProtection(before, after))
	}
	code := c.code(seen)
	if err := c.Limits.Refuse(change, c.Acknowledged(code), code); err != nil {
		m.Fail("The change exceeds the limits", err.Error()+c.otherCode(err.Error(), code))
	}
	if len(unjudged) > 0 && c.Limits.Any() && !c.Acknowledged(code) {
		m.Fail("The limits cannot be checked", fmt.Sprintf(
			"The present packages in the repository are not known in these cluster types: %s. The branch could not be read, or the packages "+
				"move to another place. Look at the diff. If you want the change, set acknowledge = %q in limits.",
			strings.Join(unjudged, ", "), code))
	}
	return m
}

// compare returns the changes between the sides of judged. It removes from before the folders that
// the decision releases, because they stay in the branch.
func (c *computed) compare(before, after engine.Digests) *limits.Tally {
	for _, path := range c.decision.Left {
		before.RemoveFolder(ownership.KeyOf(c.Inventory.Location, path))
	}
	return limits.Compare(before, after)
}

// code returns the code that acknowledges the change.
func (c *computed) code(seen *view) string {
	return codeOf(c.decision, c.Inventory, seen, c.Removal)
}

// reviewProtection warns of patterns that protect none of some packages.
func (s *Settings) reviewProtection(packages ...engine.Digests) message.Messages {
	var m message.Messages
	var keys []string
	for _, digests := range packages {
		keys = append(keys, packageKeys(digests)...)
	}
	if idle := s.Limits.Idle(keys); len(idle) > 0 {
		m.Warn("A pattern protects nothing",
			fmt.Sprintf("limits.protect has the %s, and no package matches, neither now nor after this plan. Look "+
				"for a misspelled name: keys are <cluster type>/<deployment target>.", message.List("pattern", idle)))
	}
	return m
}

// codeDigits is long enough that nobody can construct another change with the same code.
const codeDigits = 32

// codeOf returns the code that acknowledges only this decision. It is a digest of the present
// and the desired content of every watched or found path. Records do not count, because they
// contain the provider's version.
func codeOf(d ownership.Decision, inv *ownership.Inventory, seen *view, removal ownership.Removal) string {
	known := ownership.Objects{}
	maps.Copy(known, inv.Owned)
	if seen.isRead() {
		for path := range seen.wanted {
			if _, ours := known[path]; !ours {
				known[path] = ownership.Object{ID: seen.found.ID(path)}
			}
		}
	}
	paths := slices.AppendSeq(slices.Collect(maps.Keys(known)), maps.Keys(d.Change.Edits))
	slices.Sort(paths)
	var b strings.Builder
	for _, at := range []git.Location{inv.Location, d.Location} { // without the URL: laptops and CI may use different URLs
		fmt.Fprintf(&b, "%q %q\n", at.Branch, at.Path)
	}
	for _, taken := range d.TakenOver {
		fmt.Fprintf(&b, "%q of %q\n", taken.Path, taken.Instance)
	}
	fmt.Fprintf(&b, "%t %q\n", d.Moves, removal)
	for _, path := range slices.Compact(paths) {
		if edit, wanted := d.Change.Edits[path]; !ownership.IsRecord(path) {
			fmt.Fprintf(&b, "%q %s %t %s\n", path, known[path].ID, wanted, edit.Want.ID)
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:codeDigits]
}

// judged returns both sides of a change as packages, for any detail of the inventory. It takes
// packages from seen if the inventory knows only their cluster type, and for found folders
// that are not ours yet. It also names the cluster types whose packages are not known. These
// packages are on neither side.
func judged(inv *ownership.Inventory, decision ownership.Decision, seen *view, result *engine.Result) (before, after engine.Digests,
	unjudged []string) {
	before, after = seen.packages(), result.Digests(engine.DetailPackage)
	known := maps.Clone(inv.Packages)
	if inv.Detail == engine.DetailClusterType {
		for path, object := range inv.Owned {
			name := ownership.KeyOf(inv.Location, path)
			if !object.IsFolder() || known[name] == "" {
				continue
			}
			known.RemoveFolder(name)
			_, read := decision.Change.Edits[path]
			switch dir := result.Folders[name]; {
			case dir != nil && dir.ID == object.ID:
				known.AddFolder(engine.DetailPackage, name, dir.ID, dir.Entries)
			case slices.Contains(decision.Left, path) || read && !decision.Moves && seen.isRead():
			default:
				after.RemoveFolder(name)
				unjudged = append(unjudged, name)
			}
		}
		slices.Sort(unjudged)
	}
	maps.Copy(before, known)
	return before, after, unjudged
}

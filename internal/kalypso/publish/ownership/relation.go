// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership

import (
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// relation is what a folder is to a resource that names it.
type relation string

const (
	mine     relation = "mine"     // its record lists the folder, and nobody else's lists it as owned
	free     relation = "free"     // nothing is there, and no record lists it as owned
	same     relation = "same"     // no record lists it, and it has the wanted content
	released relation = "released" // its environment has released it
	wave     relation = "wave"     // another wave of its environment owns it
	taken    relation = "taken"    // another wave of its environment owns it, and had it from this resource
	other    relation = "other"    // another resource lists it, or it has other content and no record
	around   relation = "around"   // another resource lists a folder around it or in it
	doubled  relation = "doubled"  // two records list it as owned
)

// answer is what becomes of a folder that a resource names.
type answer int

const (
	refuse answer = iota
	take
	ask // take, if somebody has acknowledged the code of the takeover
)

// answers is the table of the guide "Folders": the answer to most resources, to a resource that owns nothing
// at the place yet, and to one that was imported and has not written yet. A new wave looks exactly like a
// second workspace, or like a checkout without its state.
var answers = map[relation]struct{ usually, toNew, toImported answer }{
	mine:     {take, take, take},
	free:     {take, take, take},
	same:     {take, take, take},
	released: {take, take, take},
	wave:     {take, ask, take},
	taken:    {ask, ask, take},
	other:    {refuse, refuse, take},
	around:   {refuse, refuse, refuse},
	doubled:  {refuse, refuse, refuse},
}

// relate returns what a named folder is to the resource, and the lines of others that say so.
func (d *deciding) relate(key string) (relation, []Claim) {
	at := record.PathOf(d.Location, key)
	ours, owned, given := d.claims.on(at, d.Instance)
	near := d.claims.around(at, d.Instance)
	isWithin := slices.ContainsFunc(near, func(c Claim) bool { return c.Line() == record.Owned }) // a merge can cause this
	others := slices.Concat(owned, given)
	switch {
	case len(ours)+len(owned) > 1:
		return doubled, slices.Concat(ours, owned)
	case len(ours) == 1 && !isWithin:
		return mine, given // these lines do not count, and go
	case len(near) > 0:
		return around, near
	case len(owned) == 0 && d.was.Folders[key] == record.Released:
		return mine, given
	case len(owned) == 0 && !d.seen.Content.Has(key): // a released line protects nothing there
		return free, given
	case len(others) == 0 && d.seen.Content[key].ID == d.Content[key].ID:
		return same, nil
	case len(others) == 0 || slices.ContainsFunc(others, func(c Claim) bool { return !d.mayGive(c, key) }):
		return other, others
	case len(owned) == 0:
		return released, others
	}
	if _, had := d.Applied[key]; had {
		return taken, others
	}
	return wave, others
}

// mayGive reports whether a line of another resource lets the resource have the folder without an import.
func (d *deciding) mayGive(c Claim, key string) bool {
	if c.Line() == record.Released && !d.seen.Content.Has(key) {
		return true
	}
	return c.Key == key && c.Environment == d.Environment && (c.Line() == record.Released || d.IsPart && c.IsPart)
}

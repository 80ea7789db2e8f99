// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// checkPart says what is wrong with cluster_types, for a fleet that is computed. A name
// that the resource had before may have left the fleet, and what it wrote goes then; one
// that is new to the list is misspelled.
func (job Job) checkPart(loc git.Location, result *engine.Result) Messages {
	var m Messages
	if !job.Fleet.IsPart() {
		return m
	}
	if job.Exclusive {
		m.Errors = append(m.Errors, Message{Setting: "exclusive", Summary: NotAlone.Title, Detail: NotAloneDetail})
	}
	var known, gone []string
	for _, ct := range result.Fleet.ClusterTypes {
		known = append(known, ct.Name)
	}
	for _, name := range sorted(job.Fleet.ClusterTypes) {
		if _, found := slices.BinarySearch(known, name); found {
			continue
		}
		if job.had(loc, name) {
			gone = append(gone, name)
			continue
		}
		text := fmt.Sprintf("cluster_types names %q, and the fleet has no such cluster type.", name)
		if near := spelling.Nearest(name, known); near != "" {
			text += fmt.Sprintf(" Did you mean %q?", near)
		}
		m.Errors = append(m.Errors, Message{Setting: "cluster_types", Summary: unknownPart.Title, Detail: text})
	}
	if len(gone) > 0 {
		m.warn(leftFleet, fmt.Sprintf("cluster_types names what is not in the fleet any more: %s. Take it out of the list once that is applied.", list("cluster type", gone)))
	}
	return m
}

// had reports whether the resource has had a cluster type before.
func (job Job) had(loc git.Location, name string) bool {
	if job.Was == nil {
		return false
	}
	_, owned := job.Inventory.Owned[job.Inventory.Location.Join(name)]
	return owned || slices.Contains(job.Was.Fleet.ClusterTypes, name) || job.Inventory.Records[job.Inventory.Instance].names(loc.Join(name))
}

// offers are the folders that a decision leaves to other resources of the environment and
// place, and that none of them has yet, by name.
func (d Decision) offers(desired Desired, inv *Inventory) (names []string) {
	owners := inv.claimants()
	for _, path := range d.Released {
		if slices.Contains(desired.Leave, path) && !engine.IsOwnedFile(path) && !owners.claim(path) {
			names = append(names, keyOf(desired.Location, path))
		}
	}
	return names
}

// planRelease says which cluster types leave the resource, and which of those that left it
// before nobody has taken over.
func planRelease(desired Desired, decision Decision, inv *Inventory) Messages {
	var m Messages
	if names := decision.offers(desired, inv); len(names) > 0 {
		m.warn(releases, fmt.Sprintf("Released, and left as they stand: %s. The fleet has them, and cluster_types does not name them any more. "+
			"Another resource of this environment and place takes them over once its cluster_types names them; until then nobody looks after them.", list("cluster type", names)))
	}
	m.add(inv.untaken(desired))
	return m
}

// untaken warns of what was released and has no owner since.
func (inv *Inventory) untaken(desired Desired) Messages {
	var m Messages
	mine := inv.Records[inv.Instance]
	left := slices.DeleteFunc(slices.Clone(mine.Released), func(name string) bool {
		_, wanted := desired.Paths[mine.location().Join(name)]
		return wanted
	})
	if len(left) > 0 {
		m.warn(untaken, fmt.Sprintf("Nobody looks after %s in %s: this resource has released them, and no other one of the environment and place has taken them over. Clusters that read them keep running what they hold. "+
			"Name them in the cluster_types of one, or remove the folders where no cluster reads them.", list("cluster type", left), inv.Location))
	}
	return m
}

// abandoned warns of what a resource that is destroyed has released, and that nobody has
// taken over or gets in this run: it stays, and clusters keep running it.
func (p *Publisher) abandoned(job Job) Messages {
	inv, wanted := job.Inventory, Desired{Paths: map[string]tree.Entry{}}
	place := placeKey(job.Fleet.Environment, inv.Location)
	for _, path := range p.succession.gained(place, foldersAt(inv.Location, inv.Records[inv.Instance].Released)) {
		wanted.Paths[path] = tree.Entry{}
	}
	return inv.untaken(wanted)
}

// planSplitMove refuses to move and to release cluster types in one go: what is released at
// the old place would have to stay there, and the move empties it. Nor does a resource move
// that has released some which nobody has yet: the offer is in its record, which moves.
func planSplitMove(desired Desired, inv *Inventory) Messages {
	var m Messages
	var leaving, open []string
	owners, mine := inv.claimants(), inv.Records[inv.Instance]
	for _, path := range desired.Leave {
		old := inv.Location.Join(keyOf(desired.Location, path))
		object, known := inv.Owned[old]
		if object.isFolder() || !known && mine.names(old) && !owners.claim(old) {
			leaving = append(leaving, keyOf(inv.Location, old))
		}
	}
	if len(leaving) > 0 {
		m.fail(splitMove, fmt.Sprintf("%s becomes %s, and cluster_types no longer names %s. What leaves the resource is released at the place where it stands, and a move empties that. "+
			"Apply one of the two first, then the other.", inv.Location, desired.Location, list("cluster type", leaving)))
	}
	if mine.at(inv.Location) {
		open = slices.DeleteFunc(slices.Clone(mine.Released), func(name string) bool {
			path := inv.Location.Join(name)
			return inv.Emptied[path] || owners.claim(path)
		})
	}
	if len(open) > 0 {
		m.fail(splitMove, fmt.Sprintf("%s becomes %s, and nobody has taken over yet what this resource has released there: %s. A move would take the offer along, and the folders would be nobody's. "+
			"Name them in the cluster_types of another resource, or of this one again, and apply that first.", inv.Location, desired.Location, list("cluster type", open)))
	}
	return m
}

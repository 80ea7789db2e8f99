// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
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
		m.warn(untaken, fmt.Sprintf("Nobody looks after %s in %s: this resource has released them, and no other one of the environment and place has taken them over. "+
			"Name them in the cluster_types of one, or remove the folders where no cluster reads them.", list("cluster type", left), inv.Location))
	}
	return m
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
		if object.Mode == tree.ModeDir && !object.ID.isZero() || !known && mine.names(old) && !owners.claim(old) {
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

// part is what one resource of a run writes of a place.
type part struct {
	// instance is its own; empty for one that is new.
	instance string
	names    []string
	// drops are what it has had and takes out of the branch.
	drops []string
	// isPart is false where it writes all of the fleet.
	isPart bool
}

// String names the resource in a message, by its first cluster types.
func (p part) String() string {
	name := "one that this plan creates"
	if p.instance != "" {
		name = recordPath(p.instance)
	}
	return fmt.Sprintf("%s (%s)", name, wording.First(sorted(p.names), maxNamed))
}

// share notes what a resource of this run wants of a place, and returns the others of the
// run that share it. A resource is known by its instance; a new one by what it wants.
func (s *succession) share(place string, wants part) (others []part) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := wants.instance
	if key == "" {
		key = "new: " + strings.Join(wants.names, "/")
	}
	if s.parts[place] == nil {
		s.parts[place] = map[string]part{}
	}
	s.parts[place][key] = wants
	for _, at := range slices.Sorted(maps.Keys(s.parts[place])) {
		if other := s.parts[place][at]; at != key && (wants.isPart || other.isPart) {
			others = append(others, other)
		}
	}
	return others
}

// dropped notes that what a resource of this run takes out of the branch is out of it.
func (s *succession) dropped(place, instance string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if done, known := s.parts[place][instance]; known {
		done.drops = nil
		s.parts[place][instance] = done
	}
}

// common returns the names of one list that another one has, too.
func common(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(others, name) })
}

// gain notes folders of a place that a resource which is there already is to get: by the
// records, whoever has them now.
func (s *succession) gain(place string, folders []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.gains[place] == nil {
		s.gains[place] = map[string]bool{}
	}
	for _, path := range folders {
		s.gains[place][path] = true
	}
}

// gained returns which folders of an inventory others at the place get, as far as this run
// knows, sorted.
func (s *succession) gained(place string, inv *Inventory) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.DeleteFunc(inv.leaves(), func(path string) bool { return !s.gains[place][path] && !s.gains[place][anyFolder] })
}

// planGain notes which of the folders that an update wants it did not have, or has lost.
func (p *Publisher) planGain(job Job, loc git.Location, folders []string) {
	if job.Was == nil {
		return
	}
	owners := job.Inventory.claimants()
	p.succession.gain(placeKey(job.Fleet.Environment, loc), slices.DeleteFunc(folders, func(path string) bool {
		_, had := job.Inventory.Owned[path]
		return had && !owners.claim(path)
	}))
}

// planGainLater notes what a resource that is on hold is to get once it is not any more.
func (p *Publisher) planGainLater(job Job) {
	var folders []string
	for _, name := range job.Fleet.ClusterTypes {
		folders = append(folders, job.Was.Location.Join(name))
	}
	p.planGain(job, job.Was.Location, folders)
}

// PlanUnknown notes what a resource is to get of which the plan cannot compute the fleet: by
// its cluster_types, and everything where they are not known either.
func (p *Publisher) PlanUnknown(environment string, loc git.Location, clusterTypes []string, known bool) {
	folders := []string{anyFolder}
	if known {
		folders = nil
		for _, name := range clusterTypes {
			folders = append(folders, loc.Join(name))
		}
	}
	p.succession.gain(placeKey(environment, loc), folders)
}

// anyFolder stands for every folder that there is at a place.
const anyFolder = ""

// Inherited returns which folders of a resource whose destroy is planned others at its
// place get: the destroy leaves them as they stand.
func (p *Publisher) Inherited(job Job) []string {
	return p.succession.gained(placeKey(job.Fleet.Environment, job.Inventory.Location), job.Inventory)
}

// inherited returns what a destroy leaves: what its plan has found, and what is known now.
func (p *Publisher) inherited(job Job) []string { return sorted(append(p.Inherited(job), job.Left...)) }

// planShare refuses what two resources of the run both want of a place, of these folders,
// and what one of them wants and the other takes out of the branch: their fleets differ, and
// Terraform may apply either first.
func (p *Publisher) planShare(job Job, loc git.Location, folders, drops []string) Messages {
	var m Messages
	wants := part{instance: job.Inventory.Instance, isPart: job.Fleet.IsPart()}
	if job.Replaces != nil {
		wants.instance = job.Replaces.Instance
	}
	for _, path := range folders {
		wants.names = append(wants.names, keyOf(loc, path))
	}
	for _, path := range drops {
		wants.drops = append(wants.drops, keyOf(loc, path))
	}
	fail := func(topic problem.Topic, text string) {
		m.Errors = append(m.Errors, Message{Setting: "cluster_types", Summary: topic.Title, Detail: text})
	}
	for _, other := range p.succession.share(placeKey(job.Fleet.Environment, loc), wants) {
		if both := common(wants.names, other.names); len(both) > 0 {
			fail(twice, fmt.Sprintf("Two resources of this environment and place want %s: this one, %s, and %s. A cluster type has one owner: take it out of the cluster_types of one of them.",
				list("cluster type", both), wants, other))
		}
		if torn := common(wants.drops, other.names); len(torn) > 0 {
			fail(disagree, tornText(torn, wants, other))
		}
		if torn := common(wants.names, other.drops); len(torn) > 0 {
			fail(disagree, tornText(torn, other, wants))
		}
	}
	return m
}

// tornText says what one resource takes out of the branch and another one gets.
func tornText(names []string, drops, gets part) string {
	return fmt.Sprintf("One resource of this environment and place, %s, whose fleet has no %s any more, takes that out of the branch, and another one, %s, whose fleet has it, gets it in the same run. "+
		"Where the other one is applied first or fails, the folder would stay without its packages. Set hold = true on the first for one apply, in which the other one takes over; then take hold away.",
		drops, list("cluster type", names), gets)
}

// drops returns the folders of an inventory that the decision takes out of the branch.
func (d Decision) drops(inv *Inventory) (paths []string) {
	for path, edit := range d.Change.Edits {
		if object := inv.Owned[path]; object.Mode == tree.ModeDir && !object.ID.isZero() && (!edit.Writes() || edit.Want.ID == emptiedFolder.ID) {
			paths = append(paths, path)
		}
	}
	return sorted(paths)
}

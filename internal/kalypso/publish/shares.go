// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

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

// gained returns which of some folders others at the place get, as far as this run knows.
func (s *succession) gained(place string, folders []string) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.DeleteFunc(folders, func(path string) bool { return !s.gains[place][path] && !s.gains[place][anyFolder] })
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
	p.planGain(job, job.Was.Location, foldersAt(job.Was.Location, job.Fleet.ClusterTypes))
}

// PlanUnknown notes what a resource is to get of which the plan cannot compute the fleet: by
// its cluster_types, and everything where they are not known either.
func (p *Publisher) PlanUnknown(environment string, loc git.Location, clusterTypes []string, known bool) {
	folders := []string{anyFolder}
	if known {
		folders = foldersAt(loc, clusterTypes)
	}
	p.succession.gain(placeKey(environment, loc), folders)
}

// anyFolder stands for every folder that there is at a place.
const anyFolder = ""

// Inherited returns which folders of a resource whose destroy is planned others at its
// place get: the destroy leaves them as they stand.
func (p *Publisher) Inherited(job Job) []string {
	return p.succession.gained(placeKey(job.Fleet.Environment, job.Inventory.Location), job.Inventory.leaves())
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
		if object := inv.Owned[path]; object.isFolder() && (!edit.Writes() || edit.Want.ID == emptiedFolder.ID) {
			paths = append(paths, path)
		}
	}
	return sorted(paths)
}

// foldersAt returns the folders of cluster types at a place.
func foldersAt(loc git.Location, clusterTypes []string) []string {
	all := make([]string, len(clusterTypes))
	for i, name := range clusterTypes {
		all[i] = loc.Join(name)
	}
	return all
}

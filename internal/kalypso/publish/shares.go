// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// part is what one resource of a run writes, and what it removes.
type part struct {
	// instance is its own; empty for one that is new.
	instance, environment string
	// names are the folders that it wants at a place; anyFolder stands for all there.
	at    site
	names []string
	// drops are folders that it has had and takes out of the branch.
	from  site
	drops []string
	// isPart is false where it writes all of the fleet.
	isPart, isDestroyed bool
}

// site is a location as it was found in this run.
type site struct {
	git.Location
	head    ObjectID
	records Records
}

// site is where an inventory was found.
func (inv *Inventory) site() site { return site{inv.Location, inv.Head, inv.Records} }

// String names the resource in a message, by its first cluster types.
func (p part) String() string {
	name := "one that this plan creates"
	if p.instance != "" {
		name = recordPath(p.instance)
	}
	return fmt.Sprintf("%s (%s)", name, wording.First(keysOf(p.at.Location, p.names), maxNamed))
}

// keysOf returns the names of folders of a location, sorted.
func keysOf(loc git.Location, paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		if names[i] = keyOf(loc, path); path == anyFolder {
			names[i] = "not known yet"
		}
	}
	return sorted(names)
}

// share notes what a resource of this run writes and removes, and returns the others. A
// resource is known by its instance; a new one by what it wants.
func (s *succession) share(wants part) (others []part) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := wants.instance
	if key == "" {
		key = "new: " + placeKey(wants.environment, wants.at.Location) + strings.Join(wants.names, "/")
	}
	s.parts[key] = wants
	for _, other := range slices.Sorted(maps.Keys(s.parts)) {
		if other != key {
			others = append(others, s.parts[other])
		}
	}
	return others
}

// dropped notes that what a resource of this run takes out of the branch is out of it.
func (s *succession) dropped(instance string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if done, known := s.parts[instance]; known {
		done.drops = nil
		s.parts[instance] = done
	}
}

// common returns the folders of one list that another one has, too.
func common(folders, others []string) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(folder string) bool { return folder == anyFolder || !slices.Contains(others, folder) })
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
// its cluster_types, and everything where they are not known either, or not set (nil). It
// says what another resource of the run removes of that.
func (p *Publisher) PlanUnknown(instance, environment string, loc git.Location, clusterTypes []string, known bool) Messages {
	folders := []string{anyFolder}
	if known && clusterTypes != nil {
		folders = foldersAt(loc, clusterTypes)
	}
	if clusterTypes != nil || !known {
		p.succession.gain(placeKey(environment, loc), folders)
	}
	return p.planShare(part{instance: instance, environment: environment, at: site{Location: loc}, names: folders, isPart: true})
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

// part returns what a job writes at a place, of these folders, and removes.
func (job Job) part(at site, folders, drops []string) part {
	wants := part{instance: job.Inventory.Instance, environment: job.Fleet.Environment, at: at, names: folders, from: job.Inventory.site(), drops: drops, isPart: job.Fleet.IsPart()}
	if job.Replaces != nil {
		wants.instance = job.Replaces.Instance
	}
	return wants
}

// planShare refuses what two resources of the run both want of a place that they share, and
// what one of them wants and another one takes out of the branch: Terraform may apply either
// first.
func (p *Publisher) planShare(wants part) Messages {
	var m Messages
	fail := func(setting string, topic problem.Topic, text string) {
		m.Errors = append(m.Errors, Message{Setting: setting, Summary: topic.Title, Detail: text})
	}
	for _, other := range p.succession.share(wants) {
		shared := (wants.isPart || other.isPart) && placeKey(other.environment, other.at.Location) == placeKey(wants.environment, wants.at.Location)
		if both := common(wants.names, other.names); shared && len(both) > 0 {
			fail("cluster_types", twice, fmt.Sprintf("Two resources of this environment and place want %s: this one, %s, and %s. A cluster type has one owner: take it out of the cluster_types of one of them.",
				list("cluster type", keysOf(wants.at.Location, both)), wants, other))
		}
		for _, pair := range [][2]part{{wants, other}, {other, wants}} {
			drops, gets := pair[0], pair[1]
			switch torn := drops.torn(gets); {
			case len(torn) == 0:
			case shared && drops.from.Same(gets.at.Location):
				fail("cluster_types", disagree, tornText(keysOf(gets.at.Location, torn), drops, gets))
			default:
				fail("", removedAndWanted, removedText(keysOf(drops.from.Location, torn), drops, gets))
			}
		}
	}
	return m
}

// torn returns which folders a resource takes out of a branch and another one wants there,
// however it spells the URL: their branch holds the record of the first, or is at the same
// commit. What is destroyed is handed over to who comes to the same place.
func (p part) torn(gets part) []string {
	here := gets.at
	if p.isDestroyed && placeKey(p.environment, p.from.Location) == placeKey(gets.environment, here.Location) || p.from.Branch != here.Branch {
		return nil
	}
	sameRepo := p.from.Of().Same(here.Of()) || !here.head.isZero() && here.head == p.from.head
	return slices.DeleteFunc(slices.Clone(p.drops), func(folder string) bool {
		wanted := slices.Contains(gets.names, folder) || slices.Contains(gets.names, anyFolder) && here.Join(path.Base(folder)) == folder
		return !wanted || !sameRepo && !here.records[p.instance].names(folder)
	})
}

// removedText says what one resource of a plan removes and another one wants.
func removedText(names []string, drops, gets part) string {
	who := func(p part, at site) string {
		name := "a new one"
		if p.instance != "" {
			name = recordPath(p.instance)
		}
		return fmt.Sprintf("environment %q in %s (%s)", p.environment, at.Location, name)
	}
	return fmt.Sprintf("One resource of this plan removes %s, and another one wants the same in what is, or may be, the same place. The first is %s, the second %s. Terraform may do either first, so the folders would be gone for a time, or for good. "+
		"In the plan, the first is the kalypso_gitops_commit that is destroyed, moves, or has no such cluster type any more. If both are one resource that got another key, add a block moved { from = …, to = … } with the two addresses. "+
		"Else apply the first alone, with -target: the folders are gone then until the second is applied. Or empty the cluster_types of the first and apply that: what leaves the list stays unchanged.",
		list("cluster type", names), who(drops, drops.from), who(gets, gets.at))
}

// tornText says what one resource takes out of the branch and another one gets.
func tornText(names []string, drops, gets part) string {
	return fmt.Sprintf("One resource of this environment and place, %s, whose fleet has no %s any more, takes that out of the branch, and another one, %s, whose fleet has it, gets it in the same run. "+
		"Where the other one is applied first or fails, the folder would stay without its packages. Set hold = true on the first for one apply, in which the other one takes over; then take hold away.",
		drops, list("cluster type", names), gets)
}

// drops returns the folders that a decision takes out of the branch; of a move, those of the
// place that it leaves.
func (job Job) drops(decision Decision) []string {
	inv := job.Inventory
	if decision.Moves && job.Removal != Retain {
		decision = Decide(job.nothing(inv.Location), inv)
	}
	return decision.drops(inv)
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// intent lists the folders that a resource of a plan names and those that the plan removes.
type intent struct {
	// instance is the resource's instance; empty for a new resource.
	instance, environment string
	// names are the wanted folders at a place; anyFolder is every folder of the place.
	at    site
	names []string
	// removes are the folders that the resource removes from the branch.
	from    site
	removes []string
	// isUnknown is true if the fleet is not known, so that the resource may remove the folders.
	isUnknown bool
}

// site is a location with its content in this run.
type site struct {
	git.Location
	head    tree.ID
	records ownership.Records
}

// anyFolder is every folder of a place. A resource with an unknown fleet may name any folder.
const anyFolder = ""

// intents are the intents of all resources of one plan.
type intents struct {
	mutex sync.Mutex
	by    map[string]intent
}

// add notes the intent of a resource, and returns the intents of the others. It recognizes
// a resource by its instance. Each plan of a creation is a resource of its own, because
// Terraform plans it once in a run.
func (all *intents) add(wants intent) []intent {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	key := cmp.Or(wants.instance, fmt.Sprintf("new %d", len(all.by)))
	if all.by == nil {
		all.by = map[string]intent{}
	}
	all.by[key] = wants
	return all.besides(key)
}

// others returns the intents of all resources except one.
func (all *intents) others(key string) []intent {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	return all.besides(key)
}

// besides is others for a caller that has the lock.
func (all *intents) besides(key string) (others []intent) {
	for _, other := range slices.Sorted(maps.Keys(all.by)) {
		if other != key {
			others = append(others, all.by[other])
		}
	}
	return others
}

// planIntent refuses two resources of a plan that name the same folder (rule 3), and a
// resource that removes a folder that another resource names (rule 8): Terraform may apply
// either resource first.
func (p *Publisher) planIntent(wants intent) message.Messages {
	var m message.Messages
	for _, other := range p.intents.add(wants) {
		if both := wants.shared(wants.names, wants.at, other, other.names); len(both) > 0 {
			m.Errors = append(m.Errors, message.Message{Setting: "cluster_types", Summary: "Two resources name one folder", Detail: fmt.Sprintf(
				"Two resources of this plan name %s in %s, or folders that contain each other: %s, and %s. A folder has one owner. Remove the cluster "+
					"type from the cluster_types of one resource, or write below another path.",
				message.List("cluster type", ownership.KeysOf(wants.at.Location, both)), wants.at.Location, wants, other)})
		}
		for _, pair := range [][2]intent{{wants, other}, {other, wants}} {
			removes, names := pair[0], pair[1]
			if removes.isUnknown && names.isUnknown { // otherwise the plan of two unknown lists would always fail
				continue
			}
			if both := removes.shared(removes.removes, removes.from, names, names.namesOf(removes.removes)); len(both) > 0 {
				m.Fail("Removed and wanted in one plan", removes.removedText(names, both))
			}
		}
	}
	return m
}

// removedText names the folders that one resource of a plan removes and another resource
// names, and the cures.
func (i intent) removedText(names intent, folders []string) string {
	first := "Otherwise apply the second resource first, with -target: this apply takes the folders over."
	mine := i.from.records[i.instance].Record
	isListed := !slices.ContainsFunc(folders, func(folder string) bool { return !mine.Lists(folder) })
	switch { // a resource takes over only folders that a record of its environment lists
	case i.environment != names.environment:
		first = "Otherwise apply the first resource alone, with -target: its folders do not exist until you apply the second resource."
	case !isListed:
		first = fmt.Sprintf("Otherwise apply the first resource alone, with -target: its folders do not exist until you apply the second one. "+
			"To keep the folders, first put the lines of these cluster types back into the file %s of the branch, then apply the second one, with "+
			"-target: this apply takes them over.", ownership.RecordPath(i.instance))
	}
	what := "removes"
	if i.isUnknown {
		what = "may remove (its fleet or its list is not known yet)"
		first = "Otherwise apply the source of the fleet or the list first, with -target."
	}
	return fmt.Sprintf("One resource of this plan %s %s, and another one names them at the same place (or possibly the same). The first is "+
		"%s, the second is %s. Terraform may apply either first, so clusters could lose the content of the folders. "+
		"In the plan, the first is the kalypso_gitops_commit that is destroyed, that moves, or whose fleet has no such cluster type any more. "+
		"If both are one resource with a new name or key, add a block moved { from = …, to = … } with the two addresses. "+
		"%s Or empty the cluster_types of the first and apply this change: folders that leave the list stay unchanged.", what,
		message.List("cluster type", ownership.KeysOf(i.from.Location, folders)), i, names, first)
}

// namesOf returns the folders that a resource names. If the resource names every folder of its
// place, namesOf returns those of the given folders that are in the place.
func (i intent) namesOf(folders []string) []string {
	if !slices.Contains(i.names, anyFolder) {
		return i.names
	}
	return slices.DeleteFunc(slices.Clone(folders), func(folder string) bool { return i.at.Join(path.Base(folder)) != folder })
}

// shared returns the folders at a place that another resource names too, in any environment
// and with any spelling of the URL. The two branches are the same if the spelling shows it or
// if both are at the same commit. They also count as the same if the other branch has the
// record of the first resource.
func (i intent) shared(folders []string, at site, other intent, names []string) []string {
	there := other.at
	if at.Branch != there.Branch {
		return nil
	}
	same := at.Of().Same(there.Of()) || !there.head.IsZero() && there.head == at.head
	named := meeting(names)
	return slices.DeleteFunc(slices.Clone(folders), func(folder string) bool {
		return folder == anyFolder || !named(folder) || !same && !there.records[i.instance].Lists(folder)
	})
}

// meeting returns a function. This function reports whether a folder is one of the given
// folders, or lies in one of them or around one.
func meeting(folders []string) func(folder string) bool {
	around := map[string]bool{}
	for _, folder := range folders {
		for at := folder; at != "."; at = path.Dir(at) {
			around[at] = true
		}
	}
	return func(folder string) bool {
		if around[folder] {
			return true
		}
		for at := path.Dir(folder); at != "."; at = path.Dir(at) {
			if slices.Contains(folders, at) {
				return true
			}
		}
		return false
	}
}

// String names the resource in a message.
func (i intent) String() string {
	name, at := "a new resource", i.at
	if i.instance != "" {
		name = ownership.RecordPath(i.instance)
	}
	if at.Location == (git.Location{}) {
		at = i.from
	}
	return fmt.Sprintf("environment %q in %s (%s)", i.environment, at.Location, name)
}

// intent returns the folders that a job names at a place, and those that it removes.
func (job Job) intent(at site, names, removes []string) intent {
	wants := intent{instance: job.Inventory.Instance, environment: job.Fleet.Environment, at: at, names: names, from: siteOf(job.Inventory),
		removes: removes}
	if job.Replaces != nil {
		wants.instance = job.Replaces.Instance
	}
	return wants
}

// PlanUnknown notes the folders that a resource names if the plan cannot compute its fleet.
// They come from cluster_types. If cluster_types is not known or not set (nil), every folder
// counts. The resource may remove all its folders. PlanUnknown reports folders that another
// resource of the plan removes or names.
func (p *Publisher) PlanUnknown(inv *ownership.Inventory, environment string, loc git.Location, clusterTypes []string,
	known bool) message.Messages {
	wants := intent{instance: inv.Instance, environment: environment, at: site{Location: loc}, names: []string{anyFolder}, from: siteOf(inv),
		removes: inv.Folders(), isUnknown: true}
	if known && clusterTypes != nil {
		wants.names = ownership.FoldersAt(loc, clusterTypes)
	}
	return p.planIntent(wants)
}

func siteOf(inv *ownership.Inventory) site { return site{inv.Location, inv.Head, inv.Records} }

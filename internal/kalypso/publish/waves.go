// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// checkPart reports mistakes in cluster_types, for a computed fleet. A name that the resource
// had before may have left the fleet; its folder is then removed. A new name that the fleet
// does not have is misspelled.
func (job Job) checkPart(loc git.Location, result *engine.Result) message.Messages {
	var m message.Messages
	if !job.Fleet.IsPart() {
		return m
	}
	var known, gone []string
	for _, ct := range result.Fleet.ClusterTypes {
		known = append(known, ct.Name)
	}
	for _, name := range wording.Sorted(job.Fleet.ClusterTypes) {
		if _, found := slices.BinarySearch(known, name); found {
			continue
		}
		if job.had(loc, name) {
			gone = append(gone, name)
			continue
		}
		text := fmt.Sprintf("cluster_types names %q, and the fleet has no such cluster type.", name)
		if near := wording.Nearest(name, known); near != "" {
			text += fmt.Sprintf(" Did you mean %q?", near)
		}
		m.Errors = append(m.Errors, message.Message{Setting: "cluster_types", Summary: "Unknown cluster type", Detail: text})
	}
	if len(gone) > 0 {
		m.Warn("A cluster type has left the fleet",
			fmt.Sprintf("cluster_types has names that are not in the fleet any more: %s. Remove them from the list after "+
				"this apply.", message.List("cluster type", gone)))
	}
	return m
}

// had reports whether the resource already had a cluster type before.
func (job Job) had(loc git.Location, name string) bool {
	if job.Was == nil {
		return false
	}
	_, owned := job.Inventory.Owned[job.Inventory.Location.Join(name)]
	return owned || slices.Contains(job.Was.Fleet.ClusterTypes, name) || job.Inventory.Records[job.Inventory.Instance].Lists(loc.Join(name))
}

// planKept names the folders that the record of a resource lists and its configuration does
// not name (rule 6). It leaves out those that another resource of the plan takes over, as far
// as Terraform has planned that one.
func (p *Publisher) planKept(job Job, at site, kept []string) message.Messages {
	var m message.Messages
	for _, other := range p.intents.others(job.Inventory.Instance) {
		if other.environment == job.Fleet.Environment {
			taken := job.intent(at, nil, nil).shared(kept, at, other, other.names)
			kept = slices.DeleteFunc(slices.Clone(kept), func(folder string) bool { return slices.Contains(taken, folder) })
		}
	}
	if len(kept) > 0 {
		folders := message.List("cluster type", ownership.KeysOf(at.Location, kept))
		m.Warn("The configuration no longer names "+folders, fmt.Sprintf("The record of this resource still lists %s in %s. A resource of the "+
			"same environment and place that names them in cluster_types takes them over, also in the same apply. Without one, the folders stay "+
			"unchanged: no resource updates them or reports drift there, and clusters keep running their packages. When no cluster reads them, "+
			"delete them in the branch.", folders, at.Location))
	}
	return m
}

// planSplitMove refuses to move and to leave cluster types in one apply: a folder that leaves
// the list stays in its place, but a move empties the old place. For the same reason, a
// resource must not move within its branch while its record lists folders that it does not
// name: the record moves along.
func planSplitMove(desired ownership.Desired, inv *ownership.Inventory) message.Messages {
	var m message.Messages
	var stay []string
	others := inv.Claimants()
	for _, path := range desired.Leave {
		if old := inv.Location.Join(ownership.KeyOf(desired.Location, path)); inv.Owned[old].IsFolder() && !others.Claim(old) {
			stay = append(stay, old)
		}
	}
	if desired.Location.Of().Same(inv.Location.Of()) {
		stay = append(stay, inv.Kept()...)
	}
	if len(stay) > 0 {
		m.Fail("A move would leave folders without an owner",
			fmt.Sprintf("%s becomes %s, and the old place keeps %s: this resource owns them, and its configuration, "+
				"or the last saved apply, does not name them. A move would leave them there without an owner. "+
				"Name them in the cluster_types of another resource of this environment and place, or of this one, and apply that at the old place "+
				"first. Delete folders that are not in the fleet any more in the branch. Then move.", inv.Location, desired.Location,
				message.List("cluster type", ownership.KeysOf(inv.Location, stay))))
	}
	return m
}

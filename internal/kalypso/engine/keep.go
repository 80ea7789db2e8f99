// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Keeping returns the result with the present packages of the branch in place of the packages that
// have failed, by their keys. A failed package that is not present is left out; its deployment
// target then keeps its packages on the cluster types that it has left (see Former). So does a
// deployment target that may be in a broken file. A cluster type without packages then has a folder
// only if present has its name, too.
func (r *Result) Keeping(present map[string]tree.Entry) (*Result, error) {
	kept := *r
	kept.packages = slices.Clone(r.packages)
	assigned, lacking, owners := map[string]bool{}, map[string]*fleet.Target{}, r.Fleet.Remembered()
	for i, p := range kept.packages {
		key := p.assignment.Key()
		assigned[key] = true
		if len(p.problems) > 0 {
			kept.packages[i].entry = present[key]
			if present[key].Mode == "" {
				lacking[p.assignment.Target.FullName] = p.assignment.Target
			}
		}
	}
	for key, e := range present {
		name, below, isBelow := strings.Cut(key, "/")
		i := slices.IndexFunc(r.clusterTypes, func(ct *manifest.ClusterType) bool { return ct.Name == name })
		target := lacking[below]
		if target == nil && r.Fleet.MayHave(below) {
			target = &fleet.Target{FullName: below, Workspace: owners[below]}
		}
		if isBelow && IsPackage(key) && i >= 0 && target != nil && !assigned[key] {
			a := placement.NewAssignment(r.Fleet, r.clusterTypes[i], target)
			kept.packages = append(kept.packages, rendered{assignment: a, entry: e, isFormer: true})
			kept.Former = append(kept.Former, a)
		}
	}
	slices.SortFunc(kept.packages, func(a, b rendered) int { return placement.Compare(a.assignment, b.assignment) })
	slices.SortFunc(kept.Former, placement.Compare)
	var err error
	kept.Folders, err = folders(r.Fleet.Environment, r.clusterTypes, kept.packages)
	for _, f := range r.Failures {
		name := f.Assignment.ClusterType.Name
		if dir := kept.Folders[name]; dir != nil && len(dir.Entries) == 1 && present[name].Mode == "" {
			delete(kept.Folders, name)
		}
	}
	return &kept, err
}

// Kept returns the keys of failed packages: those that Keeping has kept, and those that it has left
// out.
func (r *Result) Kept() (kept, left []string) {
	for _, p := range r.packages {
		switch key := p.assignment.Key(); {
		case len(p.problems) == 0:
		case p.entry.Mode != "":
			kept = append(kept, key)
		default:
			left = append(left, key)
		}
	}
	return kept, left
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// describe tells a reviewer what leads from the packages of the base branch
// to a result: which packages and placements, and which values of configuration.
// old is what the packages came from, as far as that is known.
func describe(before engine.Digests, old, result *engine.Result) forge.Description {
	var c forge.Description
	after := engine.Digests{}
	if result.Folders != nil {
		after = result.Digests(engine.DetailPackage)
	}
	was, is := assignments(old), assignments(result)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for key := range all {
		kind := forge.Changed
		switch _, existed := before[key]; {
		case !engine.IsPackage(key) || before[key] == after[key]:
			continue
		case !existed:
			kind = forge.Added
		case after[key] == "":
			kind = forge.Removed
		}
		clusterType, target, _ := strings.Cut(key, "/")
		a := is[key]
		if a == nil {
			a = was[key]
		}
		p := forge.PackageChange{ClusterType: clusterType, Package: target, Kind: kind}
		if a != nil {
			p.Policies = a.Policies
		}
		c.Packages = append(c.Packages, p)
		c.Edges = append(c.Edges, forge.Edge{Target: target, ClusterType: clusterType, Kind: kind})
		if from, to := was[key], is[key]; kind == forge.Changed && from != nil && to != nil {
			c.Config = append(c.Config, configChanges(p, old.Leaves(from), result.Leaves(to))...)
		}
	}
	if result.Placement != nil {
		c.Unassigned = result.Placement.UnassignedTargets
	}
	return c
}

// assignments returns the assignments of a result by their keys.
func assignments(result *engine.Result) map[string]*placement.Assignment {
	all := map[string]*placement.Assignment{}
	if result.Placement != nil {
		for _, a := range result.Placement.Assignments {
			all[a.Key()] = a
		}
	}
	return all
}

// configChanges returns the values that differ between two configurations of a package,
// those of credentials by their digests.
func configChanges(p forge.PackageChange, from, to []composition.Leaf) []forge.ConfigChange {
	changes := map[string]*forge.ConfigChange{}
	at := func(leaf composition.Leaf) *forge.ConfigChange {
		c := changes[leaf.Path]
		if c == nil {
			c = &forge.ConfigChange{ClusterType: p.ClusterType, Target: p.Package, Key: leaf.Path}
			changes[leaf.Path] = c
		}
		c.ConfigMap = leaf.SetBy
		return c
	}
	for _, leaf := range from {
		at(leaf).Before = leaf.Text()
	}
	for _, leaf := range to {
		at(leaf).After = leaf.Text()
	}
	var all []forge.ConfigChange
	for _, c := range changes { // the body sorts them
		if c.Before != c.After {
			name := nameOf(c.Key, from, to)
			c.Before, c.After = shown(name, c.Before), shown(name, c.After)
			all = append(all, *c)
		}
	}
	return all
}

// nameOf returns the name that a value goes by: its path, or what the field name beside
// it says, as in lists of names and values.
func nameOf(path string, configs ...[]composition.Leaf) string {
	element, isValue := strings.CutSuffix(path, ".value")
	for _, leaves := range configs {
		for _, leaf := range leaves {
			if isValue && leaf.Path == element+".name" {
				return leaf.Text()
			}
		}
	}
	return path
}

// shown returns a value as a reviewer may see it; one that is not set stays so.
func shown(name, value string) string {
	if value == "" {
		return ""
	}
	return credential.Shown(name, value)
}

// configSince adds to a change the values that differ from the base branch since
// earlier, where the old side of the change is what was proposed and not merged.
func configSince(earlier []forge.ConfigChange, c forge.Description) []forge.ConfigChange {
	type place struct{ clusterType, target, key string }
	at := func(v forge.ConfigChange) place { return place{v.ClusterType, v.Target, v.Key} }
	stays := map[string]bool{}
	for _, p := range c.Packages {
		stays[placement.Key(p.ClusterType, p.Package)] = p.Kind == forge.Changed
	}
	all := map[place]forge.ConfigChange{}
	for _, v := range earlier {
		if stays[placement.Key(v.ClusterType, v.Target)] {
			all[at(v)] = v
		}
	}
	for _, v := range c.Config {
		if first, ok := all[at(v)]; ok {
			v.Before = first.Before
		}
		all[at(v)] = v
	}
	return slices.DeleteFunc(slices.Collect(maps.Values(all)), func(v forge.ConfigChange) bool { return v.Before == v.After })
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/pattern"
)

// Fence is what may come over a link to a source. Kinds are names, the others are patterns. A list
// that is nil allows all.
type Fence struct {
	Kinds      []string `yaml:"kinds,omitempty"`
	Workspaces []string `yaml:"workspaces,omitempty"`
	Names      []string `yaml:"names,omitempty"`
}

// Takes reports whether the fence lets an object of a workspace in.
func (f Fence) Takes(m Meta, workspace string) bool {
	has := func(patterns []string, text string) bool {
		return patterns == nil || text != "" && slices.ContainsFunc(patterns, func(p string) bool { return pattern.Matches(p, text) })
	}
	return (f.Kinds == nil || slices.Contains(f.Kinds, string(m.Kind))) && has(f.Workspaces, workspace) && has(f.Names, m.Name)
}

// CouldTake reports whether the fence lets an object of this kind and name in, under some
// workspace. A meta without a name stands for some name.
func (f Fence) CouldTake(m Meta) bool {
	if slices.Contains([]Kind{KindWorkload, KindWorkloadRegistration, KindSchedulingPolicy}, m.Kind) { // they may have one
		f.Workspaces = nil
	}
	if m.Name == "" {
		f.Names = nil
	}
	return f.Takes(m, "")
}

// Link is an object that leads to a source, and what may come from there.
type Link struct {
	// Object is the object, as kind/name. By are the objects that lead to the object's own source;
	// empty if the platform team brings it.
	Object string   `yaml:"object"`
	By     []string `yaml:"by,omitempty"`
	// Allow are the fences of the source. One of them has to take an object.
	Allow []Fence `yaml:"allow"`
	// Trusted is set if the source is the platform team's.
	Trusted bool `yaml:"trusted,omitempty"`
}

// Links are the links of an environment.
type Links []Link

// CouldBring reports whether the source of an object, as kind/name, may bring an object of this kind
// and name under some workspace. All links of one chain from the platform team have to let it in.
func (all Links) CouldBring(object string, m Meta) bool {
	seen := map[string]bool{}
	var ask func(object string) bool
	ask = func(object string) bool {
		again := seen[object]
		seen[object] = true
		return !again && slices.ContainsFunc(all, func(l Link) bool {
			takes := func(f Fence) bool { return f.CouldTake(m) }
			return l.Object == object && slices.ContainsFunc(l.Allow, takes) && (len(l.By) == 0 || slices.ContainsFunc(l.By, ask))
		})
	}
	return ask(object)
}

// IsTrusted reports whether the source of an object, as kind/name, is the platform team's.
func (all Links) IsTrusted(object string) bool {
	return slices.ContainsFunc(all, func(l Link) bool { return l.Trusted && l.Object == object })
}

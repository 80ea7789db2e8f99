// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package overview writes the page of an environment in its branch. The page shows at a
// glance what is assigned where, as Markdown that every forge shows. It depends on the
// fleet and its placement alone.
package overview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// suffix ends the name of every overview.
const suffix = ".md"

// maxListed is how many rows and names of one sort are listed.
const maxListed = 500

// CheckName says what is wrong with the name of an overview, or nil. It is one segment of
// a path, and ends in .md: so no forge takes it for something else, and no reconciler for
// a manifest.
func CheckName(name string) error {
	if err := tree.CheckName(name); err != nil {
		return err
	}
	if len(name) <= len(suffix) || !strings.HasSuffix(name, suffix) {
		return fmt.Errorf("%q is not the name of a Markdown file, such as FLEET.md", name)
	}
	return nil
}

// here begins the keys of overviews in digests. A cluster type may be called FLEET.md, too,
// and no folder is called so.
const here = "./"

// Key returns the key of an overview in digests.
func Key(name string) string { return here + name }

// OfKey returns the name of the overview that a key of digests belongs to. It is not ok if
// the key belongs to something else.
func OfKey(key string) (name string, ok bool) { return strings.CutPrefix(key, here) }

// Taken returns the cluster type whose folder some file system takes for the file of an
// overview; empty for none.
func Taken(name string, f *fleet.Fleet) string {
	for _, clusterType := range f.ClusterTypes {
		if tree.Fold(clusterType.Name) == tree.Fold(name) {
			return clusterType.Name
		}
	}
	return ""
}

// Markdown returns the overview of an environment. Cost: linear in the placement.
func Markdown(f *fleet.Fleet, placed *placement.Placement) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Environment %s\n\n", markdown.Code(f.Environment))
	fmt.Fprintf(&b, "%s of %s on %s. Change it where the fleet is modelled: edits here are undone.\n",
		wording.Count(len(placed.Assignments), "package"), wording.Count(len(f.Targets), "deployment target"),
		wording.Count(len(f.ClusterTypes), "cluster type"))
	section(&b, "Cluster types", clusterTypes(f, placed))
	section(&b, "What is assigned", assignments(f, placed))
	section(&b, "What no policy assigns", unassigned(placed))
	section(&b, "Picture", picture(placed))
	return []byte(b.String())
}

// section writes a section, unless there is nothing in it.
func section(b *strings.Builder, title, content string) {
	if content != "" {
		fmt.Fprintf(b, "\n## %s\n\n%s", title, content)
	}
}

func clusterTypes(f *fleet.Fleet, placed *placement.Placement) string {
	packages := map[string]int{}
	for _, a := range placed.Assignments {
		packages[a.ClusterType.Name]++
	}
	var rows [][]string
	for _, ct := range f.ClusterTypes {
		var labels []string
		for _, key := range slices.Sorted(maps.Keys(ct.Labels)) {
			labels = append(labels, key+"="+ct.Labels[key])
		}
		rows = append(rows, []string{link(ct.Name, ct.Name), markdown.Codes(labels, maxListed), fmt.Sprint(packages[ct.Name])})
	}
	return markdown.Table([]string{"Cluster type", "Labels", "Packages"}, rows, maxListed)
}

func assignments(f *fleet.Fleet, placed *placement.Placement) string {
	workspaces := map[string]string{}
	for _, t := range f.Targets {
		workspaces[t.FullName] = t.Workspace
	}
	var matrix markdown.Matrix
	for _, a := range placed.Assignments {
		matrix.Set(a.Target.FullName, a.ClusterType.Name, "[✔](<"+a.Key()+">)")
	}
	return matrix.Markdown(map[string]func(string) string{
		"Workspace": func(target string) string { return markdown.Code(workspaces[target]) },
	})
}

func unassigned(placed *placement.Placement) string {
	var b strings.Builder
	for i, target := range placed.UnassignedTargets {
		if i == maxListed {
			fmt.Fprintf(&b, "- and %d more\n", len(placed.UnassignedTargets)-maxListed)
			break
		}
		fmt.Fprintf(&b, "- %s\n", markdown.Code(target))
	}
	return b.String()
}

func picture(placed *placement.Placement) string {
	var drawing markdown.Flowchart
	for _, a := range placed.Assignments {
		drawing.Edge(a.Target.FullName, a.ClusterType.Name, "", false)
	}
	if drawing.Empty() {
		return ""
	}
	return strings.Join(drawing.Lines(), "\n") + "\n"
}

// link shows a name as code that leads to a folder beside the overview. Names of objects
// have no character that means something in a link.
func link(name, folder string) string { return "[" + markdown.Code(name) + "](<" + folder + ">)" }

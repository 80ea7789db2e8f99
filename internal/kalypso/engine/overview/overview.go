// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package overview writes the page of an environment in its branch. The page shows the
// assignments as Markdown that every forge (Git server) shows. It depends only on the fleet
// and its placement.
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

// maxListed is how many rows, or names of one sort, the page lists.
const maxListed = 500

// CheckName returns why the name of an overview is not valid, or nil. The name is one
// segment of a path and ends in .md, so every forge shows a page, and no reconciler reads a
// manifest.
func CheckName(name string) error {
	if err := tree.CheckName(name); err != nil {
		return err
	}
	if len(name) <= len(suffix) || !strings.HasSuffix(name, suffix) {
		return fmt.Errorf("%q is not the name of a Markdown file, such as FLEET.md", name)
	}
	return nil
}

// here begins the keys of overviews in digests. The key of a cluster type named FLEET.md
// begins with its folder, which is never ".".
const here = "./"

// Key returns the key of an overview in digests.
func Key(name string) string { return here + name }

// OfKey returns the name of the overview with a key of digests. ok is false if the key
// belongs to another file.
func OfKey(key string) (name string, ok bool) { return strings.CutPrefix(key, here) }

// Taken returns the cluster type whose folder has the same name as an overview on some file
// systems; "" if no cluster type does.
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
	fmt.Fprintf(&b, "%s of %s on %s. Change the manifests of the fleet: an apply overwrites edits here.\n",
		wording.Count(len(placed.Assignments), "package"), wording.Count(len(f.Targets), "deployment target"),
		wording.Count(len(f.ClusterTypes), "cluster type"))
	section(&b, "Cluster types", clusterTypes(f, placed))
	section(&b, "Assignments", assignments(f, placed))
	section(&b, "Unassigned deployment targets", markdown.List(placed.UnassignedTargets, maxListed))
	section(&b, "Picture", picture(placed))
	return []byte(b.String())
}

// section writes a section, unless its content is empty.
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
		rows = append(rows, []string{"[" + markdown.Code(ct.Name) + "](<" + ct.Name + ">)", markdown.Codes(labels, maxListed),
			fmt.Sprint(packages[ct.Name])})
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

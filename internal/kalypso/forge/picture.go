// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Edge is the placement of a deployment target on a cluster type.
type Edge struct {
	Target, ClusterType string
	Kind                ChangeKind
}

// maxEdges is how many placements a picture shows; with more nobody could read it.
const maxEdges = 50

// picture draws the placements that change as a Mermaid flowchart, which GitHub
// and Gitea show as a picture. There is none without edges or with too many.
func (d Description) picture() block {
	if len(d.Edges) == 0 || len(d.Edges) > maxEdges {
		return block{}
	}
	edges := slices.SortedStableFunc(slices.Values(d.Edges), func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.ClusterType, b.ClusterType))
	})
	drawing := flowchart{nodes: map[string]string{}}
	for _, edge := range edges {
		from := drawing.node("t", edge.Target)
		to := drawing.node("c", edge.ClusterType)
		arrow := "-->"
		if edge.Kind == Removed {
			arrow = "-.->"
		}
		drawing.lines = append(drawing.lines, fmt.Sprintf("  %s %s|%s| %s", from, arrow, mermaid(string(edge.Kind)), to))
	}
	return block{head: "### Placements\n\n```mermaid\nflowchart LR", rows: append(drawing.lines, "```"), whole: true}
}

// flowchart gathers the lines of a flowchart, nodes before their first edge.
type flowchart struct {
	nodes map[string]string // name to identifier
	lines []string
}

// node returns the identifier of a node, which it writes when it is first needed.
// Identifiers are our own: "end" and other words of Mermaid cannot be names.
func (f *flowchart) node(prefix, name string) string {
	key := prefix + " " + name
	if id, ok := f.nodes[key]; ok {
		return id
	}
	id := fmt.Sprintf("%s%d", prefix, len(f.nodes))
	f.nodes[key] = id
	shape := [2]string{"(", ")"}
	if prefix == "c" {
		shape = [2]string{"[", "]"}
	}
	f.lines = append(f.lines, fmt.Sprintf(`  %s%s"%s"%s`, id, shape[0], mermaid(name), shape[1]))
	return id
}

// mermaid writes a label: what is no letter, digit or harmless sign becomes a
// character code, which Mermaid shows as that character.
func mermaid(label string) string {
	var b strings.Builder
	for _, r := range shorten(line(label), maxValue) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -._/", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

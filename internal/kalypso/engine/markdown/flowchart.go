// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package markdown

import (
	"cmp"
	"fmt"
)

// MaxEdges is how many edges a picture shows. A larger picture is not readable.
const MaxEdges = 50

// Flowchart is a picture of deployment targets on cluster types in Mermaid's language,
// which GitHub, Gitea and GitLab show as a picture. The zero value is an empty one.
type Flowchart struct {
	nodes map[string]string // the identifiers of the drawn nodes
	lines []string
	edges int
}

// Edge draws an arrow from a deployment target to a cluster type, and both nodes before
// their first edge. The arrow has a label if label is not empty, and is dotted if dotted is
// true.
func (f *Flowchart) Edge(target, clusterType, label string, dotted bool) {
	from, to := f.node("t", target), f.node("c", clusterType)
	arrow := "-->"
	if dotted {
		arrow = "-.->"
	}
	if label != "" {
		arrow += "|" + mermaid(label) + "|"
	}
	f.lines = append(f.lines, fmt.Sprintf("  %s %s %s", from, arrow, to))
	f.edges++
}

// Empty reports whether the picture has no edge, or too many.
func (f *Flowchart) Empty() bool { return f.edges == 0 || f.edges > MaxEdges }

// Lines returns the picture in its fence; nil if the picture is empty.
func (f *Flowchart) Lines() []string {
	if f.Empty() {
		return nil
	}
	return append(append([]string{"```mermaid", "flowchart LR"}, f.lines...), "```")
}

// node returns the identifier of a node, and draws the node at its first use. Identifiers
// are our own, because names cannot be "end" and other words of Mermaid.
func (f *Flowchart) node(prefix, name string) string {
	key := prefix + " " + name
	if id, ok := f.nodes[key]; ok {
		return id
	}
	if f.nodes == nil {
		f.nodes = map[string]string{}
	}
	id := fmt.Sprintf("%s%d", prefix, len(f.nodes))
	f.nodes[key] = id
	shape := [2]string{"(", ")"}
	if prefix == "c" {
		shape = [2]string{"[", "]"}
	}
	f.lines = append(f.lines, fmt.Sprintf(`  %s%s"%s"%s`, id, shape[0], cmp.Or(mermaid(name), "–"), shape[1]))
	return id
}

// mermaid writes a label. It writes every character except letters, digits and harmless
// signs as a character code, which Mermaid shows as the character.
func mermaid(label string) string { return coded(Shorten(Line(label), maxValue), " -._/", "#%d;") }

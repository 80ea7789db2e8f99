// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "go.yaml.in/yaml/v3"

const (
	// maxDepth is how deep a document may nest, aliases included.
	maxDepth = 1000
	// maxAliased is how many nodes the aliases of one document may stand for, and
	// maxAliasedBytes how many bytes: a few lines of aliases of aliases could otherwise stand
	// for billions.
	maxAliased      = 100_000
	maxAliasedBytes = maxDocument
)

// checkShape reports a document that nests too deeply, or whose aliases expand
// to too much or into themselves, and reports whether it is sound. What passes
// can be followed through every alias without further care.
func (d *document) checkShape() bool {
	if d.inList {
		return true // it was checked with its list, which may hold the anchors of its aliases
	}
	fault := d.shapeFault()
	if fault.node != nil {
		d.report(fault.node, "Invalid YAML", "%s", fault.reason)
	}
	return fault.node == nil
}

// shapeFault is where and why a document is not sound; without a node, it is.
type shapeFault struct {
	node   *yaml.Node
	reason string
}

func (d *document) shapeFault() shapeFault {
	m := meter{extents: map[*yaml.Node]extent{}}
	m.measure(d.root, 1)
	return m.fault
}

// extent is how large a node is with its aliases expanded.
type extent struct{ nodes, bytes, depth int }

// meter measures a document once, node by node.
type meter struct {
	// extents are those of the nodes with anchors. An anchor comes before its aliases, so
	// an alias without an extent lies within its own anchor.
	extents map[*yaml.Node]extent
	aliased extent
	fault   shapeFault
}

func (m *meter) measure(n *yaml.Node, depth int) extent {
	if m.fault.node != nil {
		return extent{}
	}
	if n.Kind == yaml.AliasNode {
		return m.alias(n, depth)
	}
	if depth > maxDepth {
		m.fault = shapeFault{n, "The document nests too deeply. Flatten it."}
		return extent{}
	}
	e := extent{nodes: 1, bytes: len(n.Value), depth: 1}
	for _, child := range n.Content {
		c := m.measure(child, depth+1)
		e.nodes += c.nodes
		e.bytes += c.bytes
		e.depth = max(e.depth, 1+c.depth)
	}
	if n.Anchor != "" {
		m.extents[n] = e
	}
	return e
}

func (m *meter) alias(n *yaml.Node, depth int) extent {
	e, complete := m.extents[n.Alias]
	m.aliased.nodes += e.nodes
	m.aliased.bytes += e.bytes
	switch {
	case !complete:
		m.fault = shapeFault{n, "The alias *" + n.Value + " stands for something that contains it. Write out what is meant."}
	case m.aliased.nodes > maxAliased || m.aliased.bytes > maxAliasedBytes:
		m.fault = shapeFault{n, "The document's aliases stand for too much. Use fewer of them."}
	case depth+e.depth-1 > maxDepth:
		m.fault = shapeFault{n, "The document nests too deeply. Flatten it."}
	}
	return e
}

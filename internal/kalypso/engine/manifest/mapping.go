// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// entry is one key of a mapping with its value.
type entry struct {
	key string
	// at is the key's node.
	at    *yaml.Node
	value *yaml.Node
}

// entries returns the entries of a mapping: its own keys in their order, then those of its
// merge keys (<<) that it does not have itself. Keys that are not strings and duplicate
// keys are problems.
func (d *document) entries(mapping *yaml.Node, path string) []entry {
	all := make([]entry, 0, len(mapping.Content)/2)
	first := make(map[string]*yaml.Node, len(mapping.Content)/2)
	for at, value := range yamlnode.Own(mapping) {
		key, ok := d.key(at, path)
		switch {
		case !ok:
		case first[key] != nil:
			d.report(at, "Duplicate key", "%s is there twice, first in line %d. Remove one of them.", field(path, key), d.at(first[key]).Line)
		default:
			first[key] = at
			all = append(all, entry{key, at, value})
		}
	}
	for _, from := range yamlnode.Merged(mapping) {
		merged, isMapping := d.mapping(from, field(path, "<<"))
		for i := 0; isMapping && i < len(merged.entries); i++ {
			if e := merged.entries[i]; first[e.key] == nil {
				first[e.key] = e.at
				all = append(all, e)
			}
		}
	}
	return all
}

// mapping is a mapping of a document.
type mapping struct {
	doc     *document
	node    *yaml.Node
	path    string
	entries []entry
}

// mapping returns a node as a mapping, and whether it is one. Another node is a problem.
func (d *document) mapping(n *yaml.Node, path string) (*mapping, bool) {
	if n.Kind != yaml.MappingNode {
		d.report(n, "Wrong type", "%s is %s, but a mapping is needed.", place(path), describe(n))
		return nil, false
	}
	return &mapping{d, n, path, d.entries(n, path)}, true
}

// at returns the node of a field's value, or of the mapping where the field is missing.
func (m *mapping) at(name string) *yaml.Node {
	for _, e := range m.entries {
		if e.key == name {
			return e.value
		}
	}
	return m.node
}

// has reports whether a field is there and not null.
func (m *mapping) has(name string) bool {
	n := m.at(name)
	return n != m.node && !isNull(n)
}

// text returns the text of a field; empty if the field is missing.
func (m *mapping) text(name string) string {
	if !m.has(name) {
		return ""
	}
	return m.doc.text(m.at(name), field(m.path, name))
}

// report notes a problem of a field, whose name begins the message.
func (m *mapping) report(name, summary, format string, args ...any) {
	m.doc.report(m.at(name), summary, "%s "+format, append([]any{field(m.path, name)}, args...)...)
}

// field returns the path of a field of a mapping.
func field(path, name string) string {
	if path == "" {
		return shorten(name)
	}
	return path + "." + shorten(name)
}

// place names a mapping in a sentence.
func place(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Bounds of what strangers may have written: bytes of a text that is a name, a URL or the
// like; mappings that are merged into one, each of which may have as many, once; values of
// a package, and bytes of the key of one, as Kubernetes takes no longer ones.
const (
	maxText   = 4096
	maxMerged = 8
	maxValues = 1000
	maxKey    = 253
)

// The YAML library decodes in time and memory that grow with the square of the keys of a
// mapping. So nodes are read here, and only those that are asked for.

// at returns what stands at a path of keys below a node, aliases and merges followed; nil
// for nothing.
func at(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		n = valueOf(n, key, true)
	}
	return resolved(n)
}

// resolved returns what an alias stands for, and any other node as it is.
func resolved(n *yaml.Node) *yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.AliasNode:
		return n.Alias
	case n.Kind == yaml.DocumentNode && len(n.Content) == 1:
		return resolved(n.Content[0])
	}
	return n
}

// valueOf returns the value of a key of a mapping: its own, or one of those that are merged
// into it.
func valueOf(n *yaml.Node, key string, merging bool) *yaml.Node {
	if n = resolved(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			return n.Content[i+1]
		}
	}
	if merging {
		for _, from := range mergedInto(n) {
			if value := valueOf(from, key, false); value != nil {
				return value
			}
		}
	}
	return nil
}

// mergedInto returns the mappings that are merged into one.
func mergedInto(n *yaml.Node) []*yaml.Node {
	var all []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			continue
		}
		from := resolved(n.Content[i+1])
		if from.Kind == yaml.SequenceNode {
			all = append(all, from.Content[:min(len(from.Content), maxMerged-len(all))]...)
		} else {
			all = append(all, from)
		}
		if len(all) == maxMerged {
			break
		}
	}
	return all
}

// textOf returns a scalar as it is written, whatever its type: a template that has
// forgotten quotes around 1.10 means 1.10. It is empty for anything else, and for what is
// too long to be a name.
func textOf(n *yaml.Node) string {
	if n = resolved(n); n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" || len(n.Value) > maxText {
		return ""
	}
	return n.Value
}

// textsOf returns a mapping of texts; empty for null. Errors: it is something else, has
// values that are, or more than is told of a package or a file may hold.
func textsOf(n *yaml.Node) (map[string]string, error) {
	texts := map[string]string{}
	if n = resolved(n); n == nil || n.Tag == "!!null" {
		return texts, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("not a mapping (line %d)", n.Line)
	}
	size := 0
	for _, m := range append([]*yaml.Node{n}, mergedInto(n)...) {
		if m = resolved(m); m.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			key, value := m.Content[i], resolved(m.Content[i+1])
			if key.Tag == "!!merge" || key.Kind != yaml.ScalarNode {
				continue
			}
			if _, known := texts[key.Value]; known {
				continue
			}
			switch {
			case value.Kind != yaml.ScalarNode:
				return nil, fmt.Errorf("a value that is no text (line %d)", key.Line)
			case len(key.Value) > maxKey:
				return nil, fmt.Errorf("a key of more than %d bytes (line %d)", maxKey, key.Line)
			case len(texts) == maxValues:
				return nil, fmt.Errorf("more than %d values", maxValues)
			}
			if size += len(key.Value) + len(value.Value); size > MaxFile { // of aliases
				return nil, fmt.Errorf("more than %d MiB", MaxFile>>20)
			}
			if texts[key.Value] = value.Value; value.Tag == "!!null" {
				texts[key.Value] = ""
			}
		}
	}
	return texts, nil
}

// odd says where, at a path of keys below a node, something else than a mapping stands;
// empty where nothing does.
func odd(n *yaml.Node, path ...string) string {
	for i := range len(path) + 1 {
		if found := at(n, path[:i]...); found != nil && found.Kind != yaml.MappingNode && found.Tag != "!!null" {
			return fmt.Sprintf(" (line %d)", found.Line)
		}
	}
	return ""
}

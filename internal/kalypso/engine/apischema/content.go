// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// resolve returns the node that an alias stands for, and any other node as it is.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// IsList reports whether objects of a kind are lists of others, as those of List and
// ConfigMapList are where they have items.
func IsList(kind string) bool { return strings.HasSuffix(kind, "List") }

// Objects returns the objects of a document: itself, or the items of a List, and theirs;
// nothing of one that is null.
func Objects(document *yaml.Node) []*yaml.Node {
	n := document
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	if n = resolve(n); typeOf(n) == null {
		return nil
	}
	return appendObjects(nil, n)
}

func appendObjects(all []*yaml.Node, n *yaml.Node) []*yaml.Node {
	var kind, items *yaml.Node
	for _, e := range entriesOf(n) {
		switch e.key.Value {
		case "kind":
			kind = e.value
		case "items":
			items = e.value
		}
	}
	isList := kind != nil && typeOf(kind) == text && IsList(kind.Value)
	if !isList || items == nil || items.Kind != yaml.SequenceNode {
		return append(all, resolve(n))
	}
	for _, item := range items.Content {
		all = appendObjects(all, item)
	}
	return all
}

// entry is a field of a mapping.
type entry struct{ key, value *yaml.Node }

// entriesOf returns what stands in a mapping: its own keys in their order, then those of
// its merge keys (<<) that it does not have itself, as the library decodes it.
func entriesOf(n *yaml.Node) []entry {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		return nil
	}
	all := make([]entry, 0, len(n.Content)/2)
	var merged []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		switch {
		case key.ShortTag() != "!!merge":
			all = append(all, entry{key, value})
		case value.Kind == yaml.SequenceNode:
			for _, source := range value.Content {
				merged = append(merged, entriesOf(source)...)
			}
		default:
			merged = append(merged, entriesOf(value)...)
		}
	}
	for _, e := range merged {
		if !slices.ContainsFunc(all, func(a entry) bool { return a.key.Value == e.key.Value }) {
			all = append(all, e)
		}
	}
	return all
}

// typeOf returns the type of a node, as the object has it in JSON, where dates are texts.
func typeOf(n *yaml.Node) types {
	switch n = resolve(n); n.Kind {
	case yaml.MappingNode:
		return object
	case yaml.SequenceNode:
		return list
	default:
		return typeOfScalar(n)
	}
}

func typeOfScalar(n *yaml.Node) types {
	switch n.ShortTag() {
	case "!!null":
		return null
	case "!!bool":
		return boolean
	case "!!int":
		return integer
	case "!!float":
		return number
	default:
		return text
	}
}

// isBooleanWord reports whether a word is a boolean to some who read YAML.
func isBooleanWord(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 &&
		slices.Contains([]string{"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N"}, n.Value)
}

// isWhole reports whether a number is an integer, as 3.0 is.
func isWhole(n *yaml.Node) bool {
	var f float64
	return n.Decode(&f) == nil && f == math.Trunc(f) && !math.IsInf(f, 0)
}

// contentOf returns a node as JSON has it, for the library that validates: without fields
// that are null, where the schema is one by which they are missing.
func (v *Value) contentOf(n *yaml.Node) any {
	n = resolve(n)
	switch typeOf(n) {
	case object:
		all := map[string]any{}
		for _, e := range entriesOf(n) {
			property := v.field(e.key.Value)
			if typeOf(e.value) != null || property == nil || property.isNullable {
				all[e.key.Value] = property.contentOf(e.value)
			}
		}
		return all
	case list:
		all := make([]any, len(n.Content))
		var items *Value
		if v != nil {
			items = v.items
		}
		for i, element := range n.Content {
			all[i] = items.contentOf(element)
		}
		return all
	case text:
		return n.Value
	default:
		var value any
		if n.Decode(&value) != nil {
			return n.Value
		}
		if f, ok := value.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			return n.Value // which JSON does not have
		}
		return value
	}
}

// field returns the schema of a field; nil where there is none.
func (v *Value) field(name string) *Value {
	if v == nil {
		return nil
	}
	if property := v.properties[name]; property != nil {
		return property
	}
	return v.additional
}

// completed returns a value with what its schema fills in where it is missing.
func (v *Value) completed(content any) any {
	switch content := content.(type) {
	case map[string]any:
		for name, property := range v.properties {
			if _, there := content[name]; !there && property.fallback != nil {
				content[name] = copied(property.fallback)
			}
		}
		for name, value := range content {
			if property := v.field(name); property != nil {
				property.completed(value)
			}
		}
	case []any:
		for _, element := range content {
			if v.items != nil {
				v.items.completed(element)
			}
		}
	}
	return content
}

// copied returns a value that shares nothing with another one.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, value := range v {
			all[key] = copied(value)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, element := range v {
			all[i] = copied(element)
		}
		return all
	}
	return v
}

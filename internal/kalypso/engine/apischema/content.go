// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// isList reports whether objects of a kind are lists of other objects, if they have items:
// List, ConfigMapList.
func isList(kind string) bool { return strings.HasSuffix(kind, "List") }

// Objects returns the object of a document, or the items of a List, which may be Lists
// themselves. It returns nil for a null document.
func Objects(document *yaml.Node) []*yaml.Node {
	if typeOf(document) == null {
		return nil
	}
	return appendObjects(nil, document)
}

func appendObjects(all []*yaml.Node, n *yaml.Node) []*yaml.Node {
	items := yamlnode.At(n, "items")
	if items == nil || items.Kind != yaml.SequenceNode || !isList(yamlnode.Text(n, "kind")) {
		return append(all, yamlnode.Resolve(n))
	}
	for _, item := range items.Content {
		all = appendObjects(all, item)
	}
	return all
}

// typeOf returns the type that a node has in JSON, in which dates are texts.
func typeOf(n *yaml.Node) types {
	switch n = yamlnode.Resolve(n); n.Kind {
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

// isBooleanWord reports whether some YAML parsers read a word as a boolean.
func isBooleanWord(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 &&
		slices.Contains([]string{"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N"}, n.Value)
}

// isWhole reports whether a number is an integer, as 3.0 is.
func isWhole(n *yaml.Node) bool {
	var f float64
	return n.Decode(&f) == nil && f == math.Trunc(f) && !math.IsInf(f, 0)
}

// contentOf returns a node as JSON, for the library that validates. It leaves out null
// fields that the schema treats as missing, and fills in the defaults of missing fields.
func (v *Value) contentOf(n *yaml.Node) any {
	n = yamlnode.Resolve(n)
	switch typeOf(n) {
	case object:
		all := map[string]any{}
		for _, e := range yamlnode.Fields(n) {
			property := v.field(e.Key.Value)
			if typeOf(e.Value) != null || property == nil || property.isNullable {
				all[e.Key.Value] = property.contentOf(e.Value)
			}
		}
		v.fillIn(all)
		return all
	case list:
		all := make([]any, len(n.Content))
		for i, element := range n.Content {
			all[i] = v.element().contentOf(element)
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
			return n.Value // JSON has no such numbers
		}
		return value
	}
}

// field returns the schema of a field, and element the schema of the elements. Both return
// nil if the schema does not exist.
func (v *Value) field(name string) *Value {
	if v == nil {
		return nil
	}
	if property := v.properties[name]; property != nil {
		return property
	}
	return v.additional
}

func (v *Value) element() *Value {
	if v == nil {
		return nil
	}
	return v.items
}

// fillIn adds the defaults of the fields that an object lacks.
func (v *Value) fillIn(content map[string]any) {
	if v == nil {
		return
	}
	for name, property := range v.properties {
		if _, there := content[name]; !there && property.fallback != nil {
			content[name] = property.fallback
		}
	}
}

// completed returns a default, completed with the defaults of its fields.
func (v *Value) completed(content any) any {
	switch content := content.(type) {
	case map[string]any:
		for name, value := range content {
			v.field(name).completed(value)
		}
		v.fillIn(content) // last: defaults of fields are complete
	case []any:
		for _, element := range content {
			v.element().completed(element)
		}
	}
	return content
}

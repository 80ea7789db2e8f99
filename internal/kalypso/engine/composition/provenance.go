// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlv1 "go.yaml.in/yaml/v2"
)

// Leaf is a scalar, or an empty list or map, of a composed configuration.
type Leaf struct {
	// Path leads to the leaf: "a.b[2].c". A key below the top level that contains one of .[]"
	// is quoted: `a["b.c"]`.
	Path  string
	Value any
	// SetBy is the name of the ConfigMap that sets the value.
	SetBy string
	// Overrode are the names of the ConfigMaps whose value was replaced, in the order of the
	// merge.
	Overrode []string
}

// Text returns the value in the form of YAML, a string unchanged.
func (l Leaf) Text() string {
	if text, isString := l.Value.(string); isString {
		return text
	}
	text, err := yamlv1.Marshal(l.Value)
	if err != nil {
		return fmt.Sprint(l.Value)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// provenance says which ConfigMap set a value and all values below it, except those in children.
// All methods do nothing for nil, so that a merge that records nothing costs nothing.
type provenance struct {
	setBy    string
	overrode []string
	children map[any]*provenance // by key of a map or index of a list
}

// child returns the provenance of the value under the key. If the key existed before, the value has
// that of the whole. Otherwise the ConfigMap by has set it.
func (p *provenance) child(key any, existed bool, by string) *provenance {
	if p == nil {
		return nil
	}
	if c, known := p.children[key]; known {
		return c
	}
	c := &provenance{setBy: by}
	if existed {
		c.setBy, c.overrode = p.setBy, p.overrode
	}
	if p.children == nil {
		p.children = map[any]*provenance{}
	}
	p.children[key] = c
	return c
}

// replace records that the ConfigMap by replaced all values here.
func (p *provenance) replace(by string) {
	if p == nil {
		return
	}
	overrode := map[string]bool{}
	p.addTo(overrode)
	*p = provenance{setBy: by, overrode: slices.Sorted(maps.Keys(overrode))}
}

// addTo adds every ConfigMap that set a part of the value.
func (p *provenance) addTo(names map[string]bool) {
	names[p.setBy] = true
	for _, name := range p.overrode {
		names[name] = true
	}
	for _, c := range p.children {
		c.addTo(names)
	}
}

// leavesOf returns the leaves of the values, sorted by key, lists in their order.
func leavesOf(values map[string]any, root *provenance) []Leaf {
	var leaves []Leaf
	for _, key := range slices.Sorted(maps.Keys(values)) {
		leaves = appendLeaves(leaves, key, values[key], root.children[key])
	}
	return leaves
}

func appendLeaves(leaves []Leaf, path string, v any, o *provenance) []Leaf {
	below := func(key any) *provenance {
		if c, known := o.children[key]; known {
			return c
		}
		return &provenance{setBy: o.setBy, overrode: o.overrode}
	}
	before := len(leaves)
	switch v := v.(type) {
	case []any:
		for i, element := range v {
			leaves = appendLeaves(leaves, indexPath(path, i), element, below(i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			leaves = appendLeaves(leaves, keyPath(path, key), v[key], below(key))
		}
	case map[any]any:
		for _, key := range sortedKeys(v) {
			leaves = appendLeaves(leaves, keyPath(path, fmt.Sprint(key)), v[key], below(key))
		}
	}
	if len(leaves) > before {
		return leaves
	}
	return append(leaves, Leaf{Path: path, Value: v, SetBy: o.setBy, Overrode: o.overrode})
}

// inMergeOrder sorts Overrode of each leaf by the order of the layers.
func inMergeOrder(leaves []Leaf, layers []layer) []Leaf {
	rank := map[string]int{}
	for i, l := range slices.Backward(layers) {
		rank[l.configMap] = i // the first one
	}
	for _, leaf := range leaves {
		slices.SortFunc(leaf.Overrode, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	}
	return leaves
}

// sortedKeys returns the keys in an order that does not depend on the map: by text, then by
// type.
func sortedKeys(m map[any]any) []any {
	return slices.SortedFunc(maps.Keys(m), func(a, b any) int {
		return cmp.Or(
			strings.Compare(fmt.Sprint(a), fmt.Sprint(b)),
			strings.Compare(fmt.Sprintf("%T", a), fmt.Sprintf("%T", b)),
		)
	})
}

// keyPath extends a path by a key; at the top level the key is the path.
func keyPath(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || strings.ContainsAny(key, `.[]"`):
		return path + "[" + strconv.Quote(key) + "]"
	}
	return path + "." + key
}

func indexPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// isBelow reports whether a path leads to the ancestor, or below it.
func isBelow(path, ancestor string) bool {
	rest, found := strings.CutPrefix(path, ancestor)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"maps"
	"slices"
)

// merge merges the new value over the old one (docs/guides/semantics.md, section 3.4). It
// changes neither of them, because configurations share values. If at is not nil, it records
// which parts of the result come from the ConfigMap by.
func merge(old, new any, at *provenance, by string) any {
	switch new := new.(type) {
	case []any:
		if old, ok := old.([]any); ok {
			return mergeLists(old, new, at, by)
		}
	case map[string]any:
		switch old := old.(type) {
		case map[string]any:
			return mergeMaps(old, new, at, by)
		case map[any]any:
			return mergeMaps(old, anyKeys(new), at, by)
		}
	case map[any]any:
		switch old := old.(type) {
		case map[string]any:
			return mergeMaps(anyKeys(old), new, at, by)
		case map[any]any:
			return mergeMaps(old, new, at, by)
		}
	}
	at.replace(by)
	return new
}

func mergeMaps[K comparable](old, new map[K]any, at *provenance, by string) map[K]any {
	result := make(map[K]any, len(old)+len(new))
	maps.Copy(result, old)
	for key, value := range new {
		before, existed := old[key]
		child := at.child(key, existed, by)
		if existed {
			value = merge(before, value, child, by)
		}
		result[key] = value
	}
	return result
}

// mergeLists merges each map with a name into every map with the same name, including maps
// of the same list. It appends everything else.
func mergeLists(old, new []any, at *provenance, by string) []any {
	result := slices.Clone(old)
	named := map[any][]int{} // positions in the result
	for i, element := range result {
		if name, ok := nameOf(element); ok {
			named[name] = append(named[name], i)
		}
	}
	for _, element := range new {
		name, hasName := nameOf(element)
		if hasName && len(named[name]) > 0 {
			for _, i := range named[name] {
				result[i] = merge(result[i], element, at.child(i, true, by), by)
			}
			continue
		}
		at.child(len(result), false, by)
		if hasName {
			named[name] = append(named[name], len(result))
		}
		result = append(result, element)
	}
	return result
}

// nameOf returns the name of a map. Null, lists and maps are not names.
func nameOf(element any) (name any, ok bool) {
	switch m := element.(type) {
	case map[string]any:
		name = m["name"]
	case map[any]any:
		name = m["name"]
	}
	switch name.(type) {
	case nil, []any, map[string]any, map[any]any:
		return nil, false
	}
	return name, true
}

func anyKeys(m map[string]any) map[any]any {
	result := make(map[any]any, len(m))
	for key, value := range m {
		result[key] = value
	}
	return result
}

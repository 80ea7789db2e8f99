// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"reflect"
)

// uniq is Sprig's, except that it does not compare every text and number with every other
// one. The meter takes this into account in its charge, see compareStructures.
func uniq(list any) ([]any, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, fmt.Errorf("cannot find uniq on type %s", v.Kind())
	}
	result := []any{}
	seen := map[any]bool{}
	var structures []any
	for i := range v.Len() {
		element := v.Index(i).Interface()
		if isPlain(element) {
			if !seen[element] {
				seen[element] = true
				result = append(result, element)
			}
			continue
		}
		if !containsEqual(structures, element) {
			structures = append(structures, element)
			result = append(result, element)
		}
	}
	return result, nil
}

// isPlain reports whether equal values of this type are also deeply equal.
func isPlain(v any) bool {
	switch v.(type) {
	case nil, bool, string, int, int64, float64:
		return true
	}
	return false
}

func containsEqual(all []any, wanted any) bool {
	for _, v := range all {
		if reflect.DeepEqual(v, wanted) {
			return true
		}
	}
	return false
}

// compareStructures charges for comparing every list and map of a list with every
// other one.
func (m *meter) compareStructures(list reflect.Value) {
	for list.Kind() == reflect.Interface {
		list = list.Elem()
	}
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		return // the function says so
	}
	structures := 0
	for i := range list.Len() {
		if !isPlain(list.Index(i).Interface()) {
			structures++
		}
	}
	m.product(structures, m.deep(list.Interface()).steps())
}

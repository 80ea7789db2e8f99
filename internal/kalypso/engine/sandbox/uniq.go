// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"reflect"
	"slices"
)

// uniq is Sprig's, except that it does not compare every text and number with every other
// one.
func uniq(list any) ([]any, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, fmt.Errorf("cannot find uniq on type %s", v.Kind())
	}
	result, structures, seen := []any{}, []any{}, map[any]bool{}
	for i := range v.Len() {
		element := v.Index(i).Interface()
		if isPlain(element) {
			if !seen[element] {
				seen[element] = true
				result = append(result, element)
			}
		} else if !slices.ContainsFunc(structures, func(s any) bool { return reflect.DeepEqual(s, element) }) {
			structures, result = append(structures, element), append(result, element)
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

// countStructures returns how many elements of a list uniq compares with each other.
func countStructures(list any) (n int) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return 0 // the function reports the error
	}
	for i := range v.Len() {
		if !isPlain(v.Index(i).Interface()) {
			n++
		}
	}
	return n
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// size is about how many bytes a value takes in memory, or written with indentation.
type size int

// elementBytes is what each value takes besides its text, and indentBytes one level of
// indentation.
const (
	elementBytes = 16
	indentBytes  = 4
)

// CheckValue returns why a value cannot be written, or nil. Such a value is too large,
// nested too deep, or contains itself.
func CheckValue(v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(*exceededError) //nolint:errcheck,forcetypeassert // any other panic continues.
		}
	}()
	sizeOf(v)
	return nil
}

// sizeOf returns the size of a value, and refuses a value beyond the bounds.
func sizeOf(v any) int {
	var s size
	s.add(v, 0)
	return checkSize(int(s))
}

// checkSize refuses the size of a value beyond the bound.
func checkSize(bytes int) int {
	if bytes > maxValue {
		exceeded("a text, list or map of more than %d MiB is refused", maxValue>>20)
	}
	return bytes
}

// add adds a value and all values in it. A part that occurs several times counts each time,
// as in the output.
func (s *size) add(v any, depth int) {
	*s += size(elementBytes + indentBytes*depth)
	checkSize(int(*s))
	if depth > maxDepth {
		exceeded("a list or map that is nested more than %d levels deep, or in itself, is refused", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64:
	case string:
		*s += size(len(v))
	case []int:
		*s += size(elementBytes * len(v))
	case []any:
		for _, element := range v {
			s.add(element, depth+1)
		}
	case map[string]any:
		for key, value := range v {
			*s += size(len(key))
			s.add(value, depth+1)
		}
	default:
		s.addOf(reflect.ValueOf(v), depth)
	}
}

// addOf adds the content of values of the rarer types.
func (s *size) addOf(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		*s += size(v.Len())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			s.add(v.Index(i).Interface(), depth+1)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			s.add(entries.Key().Interface(), depth+1)
			s.add(entries.Value().Interface(), depth+1)
		}
	default:
	}
}

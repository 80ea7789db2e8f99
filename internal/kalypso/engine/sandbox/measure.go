// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// size is how large a value is in its written form.
type size struct {
	// elements counts the value and all values in it.
	elements int
	// bytes is about the length of the text, with indentation.
	bytes int
}

// steps is the cost to go through the value.
func (s size) steps() int { return 1 + s.elements/4 + s.bytes/bytesPerStep }

// Rough sizes of the text for a scalar and for one level of indentation.
const (
	scalarBytes = 8
	indentBytes = 4
)

// CheckValue returns why a value cannot be written, or nil. Such a value is too large,
// nested too deep, or contains itself.
func CheckValue(v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(*exceededError) //nolint:errcheck,forcetypeassert // any other panic continues.
		}
	}()
	new(size).add(v, 0)
	return nil
}

// add adds a value and all values in it. A part that occurs several times counts each time,
// as in the output. add refuses values beyond the bounds, such as values that contain
// themselves.
func (s *size) add(v any, depth int) {
	s.elements++
	s.bytes += scalarBytes + indentBytes*depth
	switch {
	case s.elements > maxElements:
		exceeded("a value of more than 1 million elements cannot be written or compared")
	case depth > maxDepth:
		exceeded("a value that is nested more than 2000 levels deep, or in itself, cannot be written or compared")
	}
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64:
	case string:
		s.bytes += len(v)
	case []any:
		for _, element := range v {
			s.add(element, depth+1)
		}
	case map[string]any:
		s.elements += mapValues
		for key, value := range v {
			s.bytes += len(key)
			s.add(value, depth+1)
		}
	default:
		s.addOf(reflect.ValueOf(v), depth)
	}
	if s.bytes > maxText {
		exceeded("a value of more than 16 MiB cannot be written or compared")
	}
}

// addOf adds the content of values of the rarer types.
func (s *size) addOf(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		s.bytes += v.Len()
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			s.add(v.Index(i).Interface(), depth+1)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			s.add(entries.Key().Interface(), depth+1)
			s.add(entries.Value().Interface(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanInterface() {
				s.add(field.Interface(), depth+1)
			}
		}
	case reflect.Pointer:
		if depth > 0 {
			// The output would be an address, which differs from run to run.
			exceeded("convert a semantic version inside a list or map to text with toString first")
		}
	default:
	}
}

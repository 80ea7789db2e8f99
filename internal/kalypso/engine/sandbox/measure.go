// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// size is how large a value comes out when it is written.
type size struct {
	// elements are the values in it, itself among them.
	elements int
	// bytes are about those of its text, indented.
	bytes int
}

// steps is the cost to go through the value.
func (s size) steps() int { return 1 + s.elements/4 + s.bytes/bytesPerStep }

// Rough sizes of the text for a scalar and for one level of indentation.
const (
	scalarBytes = 8
	indentBytes = 4
)

// CheckValue says why a value cannot be written, or nil: it is too large, or it is
// nested too deep or in itself.
func CheckValue(v any) error {
	_, err := measure(v)
	return err
}

// measure returns the size of a value. A part that occurs several times counts each time,
// as in the output. measure refuses values beyond the bounds, and so those that contain
// themselves; then the size is that of the part it has seen.
func measure(v any) (size, error) {
	var s size
	err := s.add(v, 0)
	return s, err
}

func (s *size) add(v any, depth int) error {
	s.elements++
	s.bytes += scalarBytes + indentBytes*depth
	switch {
	case s.elements > maxElements:
		return &exceededError{"a value of more than 1 million elements cannot be written or compared"}
	case depth > maxDepth:
		return &exceededError{"a value that is nested more than 2000 levels deep, or in itself, cannot be written or compared"}
	}
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64:
	case string:
		s.bytes += len(v)
	case []any:
		for _, element := range v {
			if err := s.add(element, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, value := range v {
			s.bytes += len(key)
			if err := s.add(value, depth+1); err != nil {
				return err
			}
		}
	default:
		if err := s.addOf(reflect.ValueOf(v), depth); err != nil {
			return err
		}
	}
	if s.bytes > maxText {
		return &exceededError{"a value of more than 16 MiB cannot be written or compared"}
	}
	return nil
}

// addOf adds the content of values of the rarer types.
func (s *size) addOf(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.String:
		s.bytes += v.Len()
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := s.add(v.Index(i).Interface(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if err := s.add(entries.Key().Interface(), depth+1); err != nil {
				return err
			}
			if err := s.add(entries.Value().Interface(), depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanInterface() {
				if err := s.add(field.Interface(), depth+1); err != nil {
					return err
				}
			}
		}
	case reflect.Pointer:
		if depth > 0 {
			// It would be written as an address, which differs from run to run.
			return &exceededError{"a semantic version inside a list or map has to be made text with toString first"}
		}
	default:
	}
	return nil
}

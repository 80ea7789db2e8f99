// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// guard makes a function charge for its arguments and its result, and refuse
// those beyond the bounds. The check, if there is one, comes first. The
// common types of functions are spelled out: by reflection alone, templates take
// a quarter longer.
func (m *meter) guard(function any, shallow bool, check func(args []reflect.Value)) any {
	look := func(v any) { m.deep(v) }
	if shallow {
		look = m.shallow
	}
	if check != nil {
		return m.guardAny(function, look, shallow, check)
	}
	switch f := function.(type) {
	case func(string) string:
		return func(s string) string {
			m.text(s)
			return m.makes(f(s))
		}
	case func(string, string) string:
		return func(a, b string) string {
			m.text(a)
			m.text(b)
			return m.makes(f(a, b))
		}
	case func(string, string, string) string:
		return func(a, b, c string) string {
			m.text(a)
			m.text(b)
			m.text(c)
			return m.makes(f(a, b, c))
		}
	case func(string, string) bool:
		return func(a, b string) bool {
			m.text(a)
			m.text(b)
			return f(a, b)
		}
	case func(int, string) string:
		return func(n int, s string) string {
			m.text(s)
			return m.makes(f(n, s))
		}
	case func(any) string:
		return func(v any) string {
			look(v)
			return m.makes(f(v))
		}
	case func(any) (string, error):
		return func(v any) (string, error) {
			look(v)
			text, err := f(v)
			return m.makes(text), err
		}
	case func(...any) string:
		return func(values ...any) string {
			m.each(values, look)
			return m.makes(f(values...))
		}
	case func(any, ...any) any:
		return func(first any, values ...any) any {
			look(first)
			m.each(values, look)
			return m.result(f(first, values...))
		}
	case func(map[string]any, string) any:
		return func(dict map[string]any, key string) any {
			m.text(key)
			return m.result(f(dict, key))
		}
	}
	return m.guardAny(function, look, shallow, check)
}

// each charges for the arguments of a function that puts them together.
func (m *meter) each(values []any, look func(any)) {
	m.elements(len(values))
	for _, v := range values {
		look(v)
	}
}

// result checks and charges for the result of a function.
func (m *meter) result(v any) any {
	switch v := v.(type) {
	case string:
		m.makes(v)
	case []any:
		m.elements(len(v))
		m.keep(len(v) * elementBytes)
	case nil, bool, int, int64, float64:
		m.charge(1)
	default:
		m.shallow(v)
		if value := reflect.ValueOf(v); value.Kind() == reflect.Slice || value.Kind() == reflect.Map {
			m.keep(value.Len() * elementBytes)
		}
	}
	return v
}

// returned charges for the result of a function. It charges for everything in the result
// if the function may have made all of it.
func (m *meter) returned(v any, shallow bool) {
	if t := reflect.TypeOf(v); !shallow && t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		switch t.Elem().Kind() {
		case reflect.Interface, reflect.Slice, reflect.Map:
			m.keep(m.deep(v).elements * valueBytes)
			return
		default:
		}
	}
	m.result(v)
}

// guardAny guards a function of any type.
func (m *meter) guardAny(function any, look func(any), shallow bool, check func(args []reflect.Value)) any {
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		if check != nil {
			check(args)
		}
		var results []reflect.Value
		if f.Type().IsVariadic() {
			variadic := args[len(args)-1]
			m.elements(variadic.Len())
			for i := range variadic.Len() {
				look(variadic.Index(i).Interface())
			}
			lookAt(args[:len(args)-1], look)
			results = f.CallSlice(args)
		} else {
			lookAt(args, look)
			results = f.Call(args)
		}
		m.returned(results[0].Interface(), shallow)
		return results
	}).Interface()
}

func lookAt(args []reflect.Value, look func(any)) {
	for _, arg := range args {
		look(arg.Interface())
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import "reflect"

// guard makes a function charge for its arguments and its result, and refuse values beyond
// the bounds. The check runs first, if it is not nil. The code spells out the common types
// of functions: with reflection alone, templates in Helm's style take a tenth longer.
func (m *meter) guard(name string, function any, check func(arguments)) any {
	g := guard{m, shallowFunctions[name], passingFunctions[name]}
	if check == nil {
		switch f := function.(type) {
		case func(string) string:
			return guarded(g, f)
		case func(any) string:
			return guarded(g, f)
		case func(...any) string:
			return func(values ...any) string {
				g.each(values)
				text := f(values...)
				g.made(text)
				return text
			}
		case func(any, ...any) any:
			return func(first any, values ...any) any {
				g.look(first)
				g.each(values)
				v := f(first, values...)
				g.made(v)
				return v
			}
		}
	}
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		if check != nil {
			check(args)
		}
		single, call := args, f.Call
		if f.Type().IsVariadic() {
			last := len(args) - 1
			single, call = args[:last], f.CallSlice
			m.elements(args[last].Len())
			for i := range args[last].Len() {
				g.look(args[last].Index(i).Interface())
			}
		}
		for _, arg := range single {
			g.look(arg.Interface())
		}
		results := call(args)
		g.made(results[0].Interface())
		return results
	}).Interface()
}

// guard charges for the calls of one function.
type guard struct {
	*meter
	// shallow reports whether the function reads only the outermost level of its arguments.
	shallow bool
	// passes reports whether the function returns an argument or a part of one.
	passes bool
}

func guarded[A, R any](g guard, f func(A) R) func(A) R {
	return func(a A) R {
		g.look(a)
		result := f(a)
		g.made(result)
		return result
	}
}

// look charges for an argument.
func (g guard) look(v any) {
	if g.shallow {
		g.outermost(v)
	} else {
		g.deep(v)
	}
}

// each charges for the arguments of a variadic function.
func (g guard) each(values []any) {
	g.elements(len(values))
	for _, v := range values {
		g.look(v)
	}
}

// made checks and charges for a result.
func (g guard) made(v any) {
	if s, isText := v.(string); isText && !g.passes {
		g.room(len(s))
		g.charge(len(s) / bytesPerStep)
		g.keep(len(s))
		return
	}
	n := g.outermost(v)
	switch kind := reflect.ValueOf(v).Kind(); {
	case g.passes, kind != reflect.Slice && kind != reflect.Map:
	case !g.shallow && isNested(v): // the function may have made all levels
		g.keep(g.deep(v).elements * valueBytes)
	case kind == reflect.Map:
		g.keep(max(n, mapValues) * valueBytes)
	default:
		g.keep(n * elementBytes)
	}
}

// isNested reports whether the elements of a list or map may be lists or maps.
func isNested(v any) bool {
	kind := reflect.TypeOf(v).Elem().Kind()
	return kind == reflect.Interface || kind == reflect.Slice || kind == reflect.Map
}

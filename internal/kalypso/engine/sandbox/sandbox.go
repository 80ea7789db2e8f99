// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package sandbox executes Go templates that strangers wrote. It offers text/template with
// those of Sprig's functions that return the same from run to run. It bounds work, memory
// and output. It counts work in steps and not by a clock, so a template ends the same way
// on every machine.
//
// A Language says what templates see and can call. Its Parse checks a source and puts
// hooks into its parse trees: at the beginning of a loop or a called template, and where a
// value is written or compared. An Executor runs the programs within a Budget. Hooks, and
// wrappers around all functions, charge the Budget.
package sandbox

import (
	"maps"
	"reflect"
	"slices"
	"text/template"
)

// Language is the language of templates. It is safe for concurrent use.
type Language struct {
	// data is the name of the type of templates' data in errors of text/template, and fields
	// are the names in it that messages offer: those of embedded structs, which exist for
	// older templates, are not among them.
	data   string
	fields []string
	// texts are the fields that are texts.
	texts map[string]bool
	// own are the functions beside Sprig's, or in their place.
	own template.FuncMap
	// functions are the names of all functions but the builtin ones, scalar those
	// that return a text, a number or a boolean.
	functions, scalar map[string]bool
}

// NewLanguage returns the language of templates that see a struct like data and
// can call these functions beside Sprig's, or in their place. The functions
// return one value, or a value and an error, depend on their arguments alone, and leave
// those as they are.
func NewLanguage(data any, functions template.FuncMap) *Language {
	l := &Language{
		data:      reflect.TypeOf(data).String(),
		own:       functions,
		texts:     map[string]bool{},
		functions: map[string]bool{},
		scalar:    map[string]bool{"not": true, "len": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true},
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(data)) {
		if len(f.Index) == 1 && !f.Anonymous {
			l.fields = append(l.fields, f.Name)
		}
		l.texts[f.Name] = f.Type.Kind() == reflect.String
	}
	for name, function := range l.bind(new(meter)) {
		l.functions[name] = true
		switch reflect.TypeOf(function).Out(0).Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
			l.scalar[name] = true
		default:
		}
	}
	return l
}

// Functions returns the names of all functions that templates can call, sorted.
func (l *Language) Functions() []string {
	all := maps.Clone(l.functions)
	maps.Copy(all, builtinFunctions)
	return slices.Sorted(maps.Keys(all))
}

// Refused returns why functions of Sprig do not exist here, after "it", by their names.
func Refused() map[string]string { return maps.Clone(removedFunctions) }

// bind returns all functions but the builtin ones, each with a guard that charges the meter.
func (l *Language) bind(m *meter) template.FuncMap {
	functions := sprigFunctions()
	maps.Copy(functions, l.own)
	checks := m.checks()
	for name, function := range functions {
		functions[name] = m.guard(function, shallowFunctions[name], checks[name])
	}
	return functions
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package sandbox executes Go templates that strangers wrote. It offers text/template, with
// those of Sprig's functions that return the same result in every run. It bounds work,
// memory and output. It counts work in steps, not in time, so a template ends the same way
// on every machine.
//
// A Language defines the data and the functions of templates. Its Parse checks a source and
// puts hooks into its parse trees: at the beginning of a loop or a called template, and
// where the template writes or compares a value. An Executor runs the programs within a
// Budget. Hooks, and wrappers around all functions, charge the Budget.
package sandbox

import (
	"maps"
	"reflect"
	"slices"
	"text/template"
)

// Language is the language of templates. It is safe for concurrent use.
type Language struct {
	// data is the name of the data's type in errors of text/template. fields are the fields
	// that messages offer, without those of embedded structs, which exist for older
	// templates.
	data   string
	fields []string
	// texts reports whether a field is a text.
	texts map[string]bool
	// own are the functions that extend or replace Sprig's.
	own template.FuncMap
	// functions are the names of all functions except the builtin ones. scalar are the names
	// of functions that return a text, a number or a boolean.
	functions, scalar map[string]bool
}

// NewLanguage returns the language of templates that see a struct like data. functions
// extend or replace Sprig's. Each returns one value, or a value and an error, depends on its
// arguments alone, and does not change them.
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

// Refused returns the functions of Sprig that do not exist here, each with a reason that
// continues "it".
func Refused() map[string]string { return maps.Clone(removedFunctions) }

// bind returns all functions except the builtin ones, each with a guard that charges the
// meter.
func (l *Language) bind(m *meter) template.FuncMap {
	functions := sprigFunctions()
	maps.Copy(functions, l.own)
	checks := m.checks()
	for name, function := range functions {
		functions[name] = m.guard(name, function, checks[name])
	}
	return functions
}

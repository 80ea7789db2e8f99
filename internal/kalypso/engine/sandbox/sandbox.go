// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package sandbox executes Go templates. It offers text/template, with those of Sprig's
// functions that return the same result in every run. It bounds the time and the output.
//
// A Language defines the data and the functions of templates. Its Parse checks a source. An
// Execution runs programs.
package sandbox

import (
	"maps"
	"reflect"
	"text/template"
)

// Language is the language of templates. It is safe for concurrent use.
type Language struct {
	// data is the name of the data's type in errors of text/template. fields are the fields
	// that messages offer, without those of embedded structs, which exist for older
	// templates.
	data   string
	fields []string
	// functions are all functions except the builtin ones.
	functions template.FuncMap
}

// NewLanguage returns the language of templates that see a struct like data. functions
// extend or replace Sprig's. Each returns one value, or a value and an error, depends on its
// arguments alone, and does not change them.
func NewLanguage(data any, functions template.FuncMap) *Language {
	l := &Language{data: reflect.TypeOf(data).String(), functions: sprigFunctions()}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(data)) {
		if len(f.Index) == 1 && !f.Anonymous {
			l.fields = append(l.fields, f.Name)
		}
	}
	maps.Copy(l.functions, functions)
	return l
}

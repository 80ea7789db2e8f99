// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"text/template/parse"
)

// dataType is the known type of a template's data before the execution.
type dataType struct {
	// name is the type's in errors of text/template.
	name string
	// fields are the names that messages offer: those of embedded structs, which
	// exist for older templates, are not among them.
	fields []string
	// texts are the fields that are texts, and textMaps those that are maps of
	// texts: these need no check before they are written.
	texts, textMaps map[string]bool
}

func newDataType(t reflect.Type) dataType {
	d := dataType{name: t.String(), texts: map[string]bool{}, textMaps: map[string]bool{}}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		if len(f.Index) == 1 {
			d.fields = append(d.fields, f.Name)
		}
		d.texts[f.Name] = f.Type.Kind() == reflect.String
		d.textMaps[f.Name] = f.Type == reflect.TypeFor[map[string]string]()
	}
	return d
}

// isIndexed reports whether a command is index .Labels "app" of a map of texts.
func (d dataType) isIndexed(c *parse.CommandNode) bool {
	if len(c.Args) != 3 {
		return false
	}
	function, calls := c.Args[0].(*parse.IdentifierNode)
	field, ofField := c.Args[1].(*parse.FieldNode)
	_, byText := c.Args[2].(*parse.StringNode)
	return calls && function.Ident == "index" && ofField && byText && len(field.Ident) == 1 && d.textMaps[field.Ident[0]]
}

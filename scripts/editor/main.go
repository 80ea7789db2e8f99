// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Command editor writes a JSON Schema for each kind that manifests may hold, and
// kalypso.json, which chooses by kind. Editors check files with these schemas. The argument
// is the folder. The schemas are the table of kinds, printed.
package main

import (
	"encoding/json"
	"log"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write writes all schemas into a folder, which exists.
func write(folder string) error {
	all := map[string]schema{"kalypso": chooser()} // by name
	for _, row := range manifest.Table {
		all[string(row.Kind)] = kindSchema(row)
	}
	for name, s := range all {
		s["$schema"], s["title"] = "http://json-schema.org/draft-07/schema#", name
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		file := filepath.Join(folder, name+".json")
		if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil { //nolint:gosec // the folder is an argument
			return err
		}
	}
	return nil
}

// kindSchema returns the schema of a kind.
func kindSchema(row manifest.Row) schema {
	s := schemaOf(row.Field, false)
	properties, _ := s["properties"].(schema)
	properties["apiVersion"], properties["kind"] = schema{"const": row.APIVersion}, schema{"const": row.Kind}
	if row.Kind != manifest.KindConfigMap {
		return s
	}
	delete(s, "required") // a document without them is not ours
	properties["apiVersion"] = schema{"enum": []any{row.APIVersion, "", nil}}
	isOurs := has("metadata", schema{"anyOf": []any{
		has("name", schema{"type": "string", "pattern": "^" + manifest.AppConfigPrefix}),
		has("labels", has(manifest.LabelPlatformConfig, schema{"enum": []any{"true", true}})),
	}})
	return schema{"properties": schema{"apiVersion": properties["apiVersion"], "kind": properties["kind"]}, "if": isOurs, "then": s}
}

// chooser returns the schema of a document of any kind. It accepts documents that are not ours.
func chooser() schema {
	const kalypso = "[Kk][Aa][Ll][Yy][Pp][Ss][Oo]"
	isMissing := schema{"enum": []any{nil, ""}}
	isThere := schema{"not": isMissing}
	var rules []any
	rule := func(condition, then schema) { rules = append(rules, schema{"if": condition, "then": then}) }
	ourKinds := []any{"Assignment", "AssignmentPackage"} // Kalypso's results, which the reader leaves out
	for _, row := range manifest.Table {
		pattern := ""                                                          // any version
		if group, _, _ := strings.Cut(row.APIVersion, "/"); row.Kind.IsOCM() { // other projects have kinds of the same names
			pattern = "^(" + regexp.QuoteMeta(group) + "/.*)?$"
		}
		rule(isKind(schema{"const": row.Kind}, pattern), schema{"$ref": string(row.Kind) + ".json"})
		if row.APIVersion == manifest.APIVersion {
			ourKinds = append(ourKinds, row.Kind)
		}
	}
	rule(has("apiVersion", schema{"type": "string", "pattern": kalypso}), has("kind", schema{"enum": ourKinds}))
	isKustomization := has("resources", schema{"not": schema{"const": nil}})
	isKustomization["allOf"] = []any{schema{"properties": schema{"kind": isMissing, "apiVersion": isMissing}}}
	rule(schema{"type": "object", "not": isKustomization}, has("kind", isThere))
	needsVersion := schema{"not": schema{"pattern": "^(ConfigMap|.*List)?$", "type": []string{"string", "null"}}}
	rule(has("kind", needsVersion), has("apiVersion", isThere))
	rule(isKind(schema{"type": "string", "pattern": "List$"}, "^(v1|)$"), has("kind", schema{"const": "List"}))
	rule(isKind(schema{"const": "List"}, "^(v1|)$"), has("items", schema{"type": "array", "items": schema{"$ref": "#"}}))
	return schema{"type": []string{"object", "null"}, "allOf": rules, "properties": schema{"kind": schema{"examples": manifest.AllKinds()}}}
}

// isKind returns the schema of a mapping with a kind, and with no apiVersion or one that matches a pattern.
func isKind(kind schema, pattern string) schema {
	s := has("kind", kind)
	if pattern != "" {
		s["properties"] = schema{"kind": kind, "apiVersion": schema{"type": []string{"string", "null"}, "pattern": pattern}}
	}
	return s
}

// schema is a JSON Schema.
type schema = map[string]any

// has returns the schema of a mapping that has a field, with a schema for the field.
func has(field string, is schema) schema {
	return schema{"type": "object", "required": []string{field}, "properties": schema{field: is}}
}

// types are the types of JSON Schema for the values of fields.
var types = map[manifest.Type][]any{
	manifest.String: {"string"}, manifest.TemplateText: {"object", "string"}, manifest.Number: {"string", "number"},
	manifest.Integer: {"integer"}, manifest.List: {"array"}, manifest.Map: {"object"}, manifest.Mapping: {"object"},
}

// schemaOf returns the schema of a field's value.
func schemaOf(f manifest.Field, mayBeNull bool) schema {
	s := schema{}
	if f.Type == manifest.Anything && f.Refused == "" {
		return s
	}
	of := types[f.Type]
	if mayBeNull {
		of = append(slices.Clone(of), "null")
	}
	if s["type"] = of; len(of) == 1 {
		s["type"] = of[0]
	}
	if f.Needs != "" && f.Words == nil {
		s["description"] = strings.ToUpper(f.Needs[:1]) + f.Needs[1:] + "."
	}
	switch {
	case f.Refused != "" && f.Type == manifest.Mapping:
		s["maxProperties"] = 0
	case f.Refused != "":
		s["type"] = "null"
	case f.Words != nil:
		s["enum"] = wordsOf(f)
	case f.Type == manifest.String:
		if f.Needs != "" {
			s["minLength"] = 1
		}
		if f.Format != nil && f.Format.Pattern != "" {
			s["pattern"], s["maxLength"] = f.Format.Pattern, f.Format.MaxLength
		}
	case f.Type == manifest.Integer:
		s["minimum"], s["maximum"] = f.Least, f.Most
	case f.Type == manifest.List:
		s["items"] = schemaOf(*f.Of, false)
	case f.Type == manifest.Map:
		s["additionalProperties"] = schemaOf(*f.Of, f.Of.Nullable)
		if f.Keys != nil {
			s["propertyNames"] = schema{"pattern": f.Keys.Pattern, "maxLength": f.Keys.MaxLength}
		}
		addFields(f.Fields, s)
	case f.Type == manifest.Mapping:
		if !f.Open {
			s["additionalProperties"] = false
		} else if f.Prefix != "" {
			isOther := schema{"not": schema{"pattern": "^" + f.Prefix}}
			s["propertyNames"] = schema{"anyOf": []any{schema{"enum": manifest.Names(f.Fields)}, isOther}}
		}
		addFields(f.Fields, s)
	}
	maps.DeleteFunc(s, func(_ string, value any) bool {
		of := reflect.ValueOf(value)
		return (of.Kind() == reflect.Slice || of.Kind() == reflect.Map) && of.Len() == 0
	})
	return s
}

// addFields adds the known fields of a mapping to its schema.
func addFields(fields []manifest.Field, s schema) {
	properties, required, rules := schema{}, []string{}, []any{}
	for _, f := range fields {
		name, word, isConditional := strings.Cut(f.When, "=")
		if isConditional {
			condition := has(name, schema{"const": word})
			i := slices.IndexFunc(fields, func(f manifest.Field) bool { return f.Name == name })
			if fields[i].Usual == word {
				condition = schema{"properties": schema{name: schema{"enum": []any{word, nil}}}}
			}
			rules = append(rules, schema{"if": condition, "then": has(f.Name, schemaOf(f, false))})
			f.Needs, f.Words = "", nil
		}
		if f.Needs != "" {
			required = append(required, f.Name)
		}
		properties[f.Name] = schemaOf(f, f.Needs == "")
	}
	s["properties"], s["allOf"], s["required"] = properties, rules, slices.Sorted(slices.Values(required))
}

// wordsOf returns the values of a field that has words.
func wordsOf(f manifest.Field) (all []any) {
	for _, word := range f.Words {
		all = append(all, word)
	}
	switch {
	case f.Needs != "":
		return all
	case f.Usual != "":
		return append(all, nil)
	}
	return append(all, nil, "")
}

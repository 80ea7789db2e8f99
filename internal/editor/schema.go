// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// schema is a JSON Schema.
type schema = map[string]any

// strange is a field that no mapping has, a word that no list of words has, and a valid label.
const strange = "zzzz"

// candidates have a value for each type of JSON Schema. Each number is a whole number or not.
var candidates = []struct {
	name  string
	value any
}{
	{"object", map[string]any{}},
	{"array", []any{}},
	{"string", "x"},
	{"number", 1.5},
	{"integer", 1},
	{"boolean", true},
	{"null", nil},
}

// schema returns the schema of the value in a place.
func (p probe) schema(at place) schema {
	var types []string
	for _, c := range candidates {
		// A document and its metadata are mappings. Without its metadata, a ConfigMap is not ours.
		isPossible := c.name == "object" || len(at) > 0 && at.String() != "metadata"
		if isPossible && p.refused(at, c.value, "Wrong type", "A clock is needed", "Not supported") == "" && (c.value != nil || !p.needs(at)) {
			types = append(types, c.name)
		}
	}
	if len(types) == len(candidates) { // the reader ignores the value
		return schema{}
	}
	s := schema{}
	if slices.Contains(types, "object") {
		p.describeMapping(at, s)
	}
	if slices.Contains(types, "array") {
		if items := p.schema(at.field(0)); len(items) > 0 {
			s["items"] = items
		}
	}
	if slices.Contains(types, "string") {
		p.describeText(at, s)
	}
	if slices.Contains(types, "integer") {
		if slices.Contains(types, "number") {
			types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
		} else {
			p.describeNumber(at, s)
		}
	}
	if words, isEnum := s["enum"].([]any); isEnum && slices.Contains(types, "null") {
		s["enum"] = append(words, nil)
	}
	if s["type"] = types; len(types) == 1 {
		s["type"] = types[0]
	}
	if _, meaning, has := strings.Cut(p.refused(at, nil, "Missing field"), "Set it to "); has && !strings.HasPrefix(meaning, "one of") {
		s["description"] = strings.ToUpper(meaning[:1]) + meaning[1:]
	}
	return s
}

// needs reports whether the field in a place must not be missing.
func (p probe) needs(at place) bool {
	return len(at) > 0 && p.mentions(at, nil, at.String()+" is missing", "Missing field") != ""
}

// describeMapping adds the fields of a mapping to its schema.
func (p probe) describeMapping(at place, s schema) {
	if p.refused(at, map[string]any{strange: "x"}, "Not supported") != "" {
		s["maxProperties"] = 0
		return
	}
	fields := known(p.mentions(at.field(strange), "x", `"`+strange+`"`, "Unknown field"))
	if fields == nil {
		p.describeFreeMapping(at, s)
		return
	}
	properties, required := map[string]any{}, []string{}
	for _, name := range fields {
		properties[name] = p.schema(at.field(name))
		if p.needs(at.field(name)) {
			required = append(required, name)
		}
	}
	for _, name := range fields {
		p.describeVariants(at, name, s, properties)
	}
	required = slices.DeleteFunc(required, func(name string) bool { return len(within(properties, name)) == 0 })
	s["properties"], s["additionalProperties"] = properties, false
	if len(required) > 0 {
		s["required"] = required
	}
}

// describeVariants adds to the schema of a mapping how one field, which is one of several
// words, decides about the other fields. The properties of these other fields become empty.
func (p probe) describeVariants(at place, name string, s schema, properties map[string]any) {
	words := anys(within(properties, name)["enum"])
	variants, others := make([]map[string]any, len(words)), map[string]bool{}
	for i, word := range words {
		variants[i] = map[string]any{}
		in := p
		if word != nil {
			in = p.with(at.field(name), word)
		}
		for other := range properties {
			if other == name {
				continue
			}
			if variants[i][other] = in.schema(at.field(other)); !reflect.DeepEqual(variants[i][other], properties[other]) {
				others[other] = true
			}
		}
	}
	for i, word := range words {
		then, required := map[string]any{}, []string{}
		for other := range others {
			then[other] = variants[i][other]
			if in := p.with(at.field(name), word); in.needs(at.field(other)) {
				required = append(required, other)
			}
		}
		if len(then) == 0 {
			continue
		}
		condition := schema{"properties": schema{name: schema{"const": word}}}
		if word != nil {
			condition["required"] = []string{name}
		}
		branch := schema{"properties": then}
		if len(required) > 0 {
			branch["required"] = sorted(required)
		}
		s["allOf"] = append(slices.Clone(anys(s["allOf"])), schema{"if": condition, "then": branch})
	}
	for other := range others {
		properties[other] = schema{}
	}
}

// ours begins the annotations that the reader checks.
const ours = "kalypso-gitops.io/"

// describeFreeMapping adds the values, and the allowed names, of a mapping that may have any
// field to its schema.
func (p probe) describeFreeMapping(at place, s schema) {
	values := p.schema(at.field(strange))
	if len(values) > 0 {
		s["additionalProperties"] = values
	}
	switch {
	case p.mentions(at.field("bad key!"), "x", "The key ", "Invalid label", "Invalid name") == "":
	case p.mentions(at.field("a/b"), "x", "The key ", "Invalid label", "Invalid name") == "":
		s["propertyNames"] = schema{"pattern": labelKey}
	default:
		s["propertyNames"] = schema{"pattern": configKey, "maxLength": 253}
	}
	words := known(p.mentions(at.field(ours+strange), "x", ours+strange, "Unknown field"))
	if words != nil {
		s["propertyNames"] = schema{"anyOf": []any{schema{"enum": words}, schema{"not": schema{"pattern": "^" + ours}}}}
	}
	properties, dependencies := map[string]any{}, map[string]any{}
	for _, name := range append(words, clusterv1beta1.PlacementDisableAnnotation) {
		if of := p.schema(at.field(name)); !reflect.DeepEqual(of, values) {
			properties[name] = of
		}
		for _, other := range words {
			if other != name && p.dependsOn(at, name, other) {
				dependencies[name] = schema{"required": []string{other}, "properties": schema{other: schema{"type": "string", "minLength": 1}}}
			}
		}
	}
	if len(properties) > 0 {
		s["properties"] = properties
	}
	if len(dependencies) > 0 {
		s["dependencies"] = dependencies
	}
}

// dependsOn reports whether a field needs another field beside it.
func (p probe) dependsOn(at place, name, other string) bool {
	about := at.field(name).String()
	return p.mentions(at.field(name), "x", about, "Missing field") != "" &&
		p.with(at.field(other), "x").mentions(at.field(name), "x", about, "Missing field") == ""
}

// The rules of Kubernetes for names, as patterns.
const (
	subdomain  = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	labelValue = `^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
	labelKey   = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`
	configKey  = `^[-._a-zA-Z0-9]+$`
)

// describeText adds to a schema which strings are allowed.
func (p probe) describeText(at place, s schema) {
	isEmptyFine := p.refused(at, "", "Missing field") == ""
	if words := known(p.refused(at, strange, "Unknown value")); words != nil {
		if isEmptyFine {
			words = append(words, "")
		}
		s["enum"] = anys(words)
		return
	}
	switch {
	case p.refused(at, "Bad_Name!", "Invalid name", "Invalid label") == "":
	case p.refused(at, "Fine_Name", "Invalid name", "Invalid label") == "":
		s["pattern"], s["maxLength"] = labelValue, 63
	default:
		s["pattern"], s["maxLength"] = subdomain, 253
	}
	if !isEmptyFine {
		s["minLength"] = 1
	}
}

// describeNumber adds to a schema which whole numbers are allowed. 1 is allowed everywhere.
func (p probe) describeNumber(at place, s schema) {
	isFine := func(number int64) bool { return p.refused(at, number, "Invalid value") == "" }
	if !isFine(math.MaxInt64) {
		s["maximum"] = sort.Search(math.MaxInt32, func(i int) bool { return !isFine(int64(i) + 2) }) + 1
	}
	if !isFine(math.MinInt64) {
		s["minimum"] = -sort.Search(math.MaxInt32+1, func(i int) bool { return !isFine(-int64(i)) }) + 1
	}
}

// names returns a list of a schema as strings.
func names(list any) []string {
	all, _ := list.([]string)
	return all
}

// anys returns a list as JSON Schema has it.
func anys(list any) []any {
	switch list := list.(type) {
	case []any:
		return list
	case []string:
		all := make([]any, len(list))
		for i, word := range list {
			all[i] = word
		}
		return all
	}
	return nil
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}

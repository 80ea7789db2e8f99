// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// probe asks the reader about the fields of one kind.
type probe struct {
	// base is a document of the kind. Each question is this document with another value in one place.
	base map[string]any
}

// place is where a value is in a document: the names of fields, and 0 for the item of a list.
type place []any

// field returns the place of a field, or of an item, in the value of the place.
func (at place) field(name any) place { return append(at[:len(at):len(at)], name) }

// String returns the place as the reader's messages name it.
func (at place) String() string {
	var text strings.Builder
	for _, step := range at {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&text, "[%d]", step)
		default:
			fmt.Fprintf(&text, ".%s", step)
		}
	}
	return strings.TrimPrefix(text.String(), ".")
}

// with returns a probe whose document has the value in the place.
func (p probe) with(at place, value any) probe {
	changed, _ := put(p.base, at, value).(map[string]any)
	return probe{changed}
}

// put returns a copy of a value with another value in a place.
func put(in any, at place, value any) any {
	if len(at) == 0 {
		return value
	}
	name, isField := at[0].(string)
	if !isField {
		list, _ := in.([]any)
		return []any{put(append(list, nil)[0], at[1:], value)}
	}
	mapping, _ := in.(map[string]any)
	changed := maps.Clone(mapping)
	if changed == nil {
		changed = map[string]any{}
	}
	changed[name] = put(mapping[name], at[1:], value)
	return changed
}

// read returns the problems that the reader reports about a document.
func read(document any) problem.List {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // probes have JSON's own types
	}
	_, err = manifest.Decode([]manifest.Text{{Name: "probe", Text: string(text)}})
	var problems problem.List
	errors.As(err, &problems)
	return problems
}

// refused returns how the reader refuses a value in a place: the detail of the first problem
// with one of the summaries; empty if there is none. The detail has to begin with the place.
func (p probe) refused(at place, value any, summaries ...string) string {
	return p.first(at, value, summaries, func(detail string) bool { return strings.HasPrefix(detail, at.String()+" ") })
}

// mentions returns the detail of the first problem that says a text about a document with a
// value in a place, and has one of the summaries.
func (p probe) mentions(at place, value any, said string, summaries ...string) string {
	return p.first(at, value, summaries, func(detail string) bool { return strings.Contains(detail, said) })
}

// first returns the first detail that matches, of the problems with one of the summaries.
func (p probe) first(at place, value any, summaries []string, matches func(detail string) bool) string {
	for _, found := range read(p.with(at, value).base) {
		if slices.Contains(summaries, found.Summary) && matches(found.Detail) {
			return found.Detail
		}
	}
	return ""
}

// known returns the words that a message lists at its end, after "Known fields: " and the like.
func known(detail string) []string {
	_, list, _ := strings.Cut(detail, "Known ")
	_, list, _ = strings.Cut(list, ": ")
	if list = strings.TrimSuffix(list, "."); list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

// mustBe matches the apiVersion that a message names.
var mustBe = regexp.MustCompile(`must be "([^"]+)"`)

// apiVersion returns the apiVersion of a kind. Only a ConfigMap may lack the apiVersion.
func apiVersion(kind string) string {
	for _, document := range []map[string]any{{"kind": kind}, {"kind": kind, "apiVersion": "v2"}} {
		for _, found := range read(document) {
			if match := mustBe.FindStringSubmatch(found.Detail); match != nil {
				return match[1]
			}
		}
	}
	panic("the reader does not name the apiVersion of " + kind)
}

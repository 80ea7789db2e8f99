// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// entry is one key of a mapping with its value.
type entry struct {
	key string
	// at is the key's node.
	at    *yaml.Node
	value *yaml.Node
}

// entries returns the entries of a mapping: its own keys in their order, then those of its
// merge keys (<<) that it does not have itself. Keys that are not strings and duplicate
// keys are problems.
func (d *document) entries(mapping *yaml.Node, path string) []entry {
	all := make([]entry, 0, len(mapping.Content)/2)
	first := make(map[string]*yaml.Node, len(mapping.Content)/2)
	for at, value := range yamlnode.Own(mapping) {
		key, ok := d.key(at, path)
		if !ok {
			continue
		}
		if earlier, repeated := first[key]; repeated {
			d.report(at, "Duplicate key", "%s is there twice, first in line %d. Remove one of them.",
				field(path, key), d.at(earlier).Line)
			continue
		}
		first[key] = at
		all = append(all, entry{key, at, value})
	}
	for _, from := range yamlnode.Merged(mapping) {
		if from.Kind != yaml.MappingNode {
			d.report(from, "Wrong type", "The merge key << in %s is %s, but a mapping is needed.", place(path), describe(from))
			continue
		}
		for _, e := range d.entries(from, path) {
			if first[e.key] == nil {
				first[e.key] = e.at
				all = append(all, e)
			}
		}
	}
	return all
}

// fields reads a mapping field by field; done reports those nobody asked for.
type fields struct {
	doc     *document
	node    *yaml.Node
	path    string
	entries []entry
	known   []string
	// missed are the problems of fields that are missing, by name.
	missed map[string]problem.Problem
	// silent is set if the mapping itself is missing or is not a mapping. That is reported
	// already, or it is allowed, so no field within it counts as missing.
	silent bool
}

// fields starts reading a node that has to be a mapping.
func (d *document) fields(n *yaml.Node, path string) *fields {
	if n.Kind != yaml.MappingNode {
		d.report(n, "Wrong type", "%s is %s, but a mapping is needed.", place(path), describe(n))
		return &fields{doc: d, node: n, path: path, silent: true}
	}
	return &fields{doc: d, node: n, path: path, entries: d.entries(n, path)}
}

// find returns the entry of a field; nil if it is missing or null.
func (f *fields) find(name string) *entry {
	f.known = append(f.known, name)
	for i, e := range f.entries {
		if e.key == name && !isNull(e.value) {
			return &f.entries[i]
		}
	}
	return nil
}

// has reports whether a field is there and not null.
func (f *fields) has(name string) bool {
	return slices.ContainsFunc(f.entries, func(e entry) bool { return e.key == name && !isNull(e.value) })
}

// at returns the node of a field's value, or of the mapping where it is missing.
func (f *fields) at(name string) *yaml.Node {
	for _, e := range f.entries {
		if e.key == name {
			return e.value
		}
	}
	return f.node
}

// text returns an optional string; empty if the field is missing.
func (f *fields) text(name string) string {
	e := f.find(name)
	if e == nil {
		return ""
	}
	return f.doc.text(e.value, field(f.path, name))
}

// required returns a string that must not be empty. The meaning completes the
// sentence "Set it to …".
func (f *fields) required(name, meaning string) string {
	s := f.text(name)
	f.needs(name, s, meaning)
	return s
}

// choice returns a required string that has to be one of the known ones.
func (f *fields) choice(name string, known []string) string {
	s := f.text(name)
	f.oneOf(name, s, known...)
	return s
}

// missing reports a field that is missing or empty. A value of another type than the field's is
// reported already.
func (f *fields) missing(name, meaning string) {
	if n := f.at(name); !f.silent && (!f.has(name) || n.Kind == yaml.ScalarNode && n.Value == "") {
		f.report(name, "Missing field", "%s is missing or empty. Set it to %s.", field(f.path, name), meaning)
	}
}

// report notes a problem of a field that is missing. done takes it back where the field is
// there under a misspelled name.
func (f *fields) report(name, summary, format string, args ...any) {
	p := f.doc.problem(f.at(name), summary, format, args...)
	f.doc.problems.Add(p)
	if f.missed == nil {
		f.missed = map[string]problem.Problem{}
	}
	f.missed[name] = p
}

// texts returns a mapping of strings, nil if it is missing or empty, having
// shown each of its entries to check.
func (f *fields) texts(name string, check func(path string, e entry, value string)) map[string]string {
	return f.textsBy(name, f.doc.text, check)
}

// textsBy is texts with a function that reads a value.
func (f *fields) textsBy(name string, read func(n *yaml.Node, path string) string,
	check func(path string, e entry, value string)) map[string]string {
	e := f.find(name)
	if e == nil {
		return nil
	}
	path := field(f.path, name)
	var all map[string]string
	for _, e := range f.doc.fields(e.value, path).entries {
		if all == nil {
			all = map[string]string{}
		}
		all[e.key] = read(e.value, field(path, e.key))
		check(path, e, all[e.key])
	}
	return all
}

// item is one element of a list.
type item struct {
	node *yaml.Node
	path string
}

// list returns the elements of a list. It returns none if the list is missing.
func (f *fields) list(name string) []item {
	e := f.find(name)
	if e == nil {
		return nil
	}
	path := field(f.path, name)
	if e.value.Kind != yaml.SequenceNode {
		f.doc.report(e.value, "Wrong type", "%s is %s, but a list is needed.", path, describe(e.value))
		return nil
	}
	items := make([]item, len(e.value.Content))
	for i, n := range e.value.Content {
		items[i] = item{yamlnode.Resolve(n), fmt.Sprintf("%s[%d]", path, i)}
	}
	return items
}

// mapping reads a field that is a mapping itself; it may be missing.
func (f *fields) mapping(name string) *fields {
	e := f.find(name)
	if e == nil {
		return &fields{doc: f.doc, node: f.node, path: field(f.path, name), silent: true}
	}
	return f.doc.fields(e.value, field(f.path, name))
}

// requiredMapping is mapping for a field that must be there.
func (f *fields) requiredMapping(name, meaning string) *fields {
	m := f.mapping(name)
	if !f.has(name) {
		f.missing(name, meaning)
	}
	return m
}

// ignore names fields that may be there and do not count.
func (f *fields) ignore(names ...string) { f.known = append(f.known, names...) }

// done reports the fields that are not known. If one of them is a misspelled field that
// was reported as missing, the misspelling is the cause, and only that stays.
func (f *fields) done() {
	for _, e := range f.entries {
		if slices.Contains(f.known, e.key) {
			continue
		}
		f.doc.report(e.at, "Unknown field", "There is no field %s in %s. %sKnown fields: %s.",
			quote(e.key), place(f.path), wording.DidYouMean(e.key, f.known), listing(f.known))
		if missed, isMissed := f.missed[wording.Nearest(e.key, f.known)]; isMissed {
			f.doc.problems = slices.DeleteFunc(f.doc.problems, func(p problem.Problem) bool { return p == missed })
		}
	}
}

func field(path, name string) string {
	if path == "" {
		return shorten(name)
	}
	return path + "." + shorten(name)
}

// place names a mapping in a sentence.
func place(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

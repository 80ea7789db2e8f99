// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// read fills in a value from a node, as the row of the field says. A wrong value is a problem.
func (d *document) read(f *Field, n *yaml.Node, path string, into reflect.Value) {
	isEmpty := f.Type == Mapping && n.Kind == yaml.MappingNode && len(n.Content) == 0
	if f.Refused != "" {
		if !isEmpty { // hubs print the empty mapping
			d.report(n, "Not supported", "%s is not supported, because %s.", path, f.Refused)
		}
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch f.Type { //nolint:exhaustive // Anything is not read
	case String:
		d.readText(f, n, path, into)
	case TemplateText:
		into.SetString(d.templateText(n, path))
	case Number:
		d.readNumber(n, path, into)
	case Integer:
		d.readInteger(f, n, path, into)
	case List:
		d.readList(f, n, path, into)
	case Map:
		if m, isMapping := d.mapping(n, path); isMapping {
			m.readMap(f, into)
		}
	case Mapping:
		if m, isMapping := d.mapping(n, path); isMapping {
			m.read(f, into)
		}
	}
}

// read fills in a struct from the mapping.
func (m *mapping) read(f *Field, into reflect.Value) {
	var meant []string // the fields whose names are misspelled
	for i := range f.Fields {
		if usual := f.Fields[i].usual; usual.IsValid() {
			into.FieldByIndex(f.Fields[i].index).Set(usual)
		}
	}
	for _, e := range m.entries {
		switch known := find(f.Fields, e.key); {
		case known != nil && (known.Type != Anything || known.Refused != "") && !isNull(e.value):
			m.doc.read(known, e.value, field(m.path, e.key), into.FieldByIndex(known.index))
		case known != nil, f.Open && (f.Prefix == "" || !strings.HasPrefix(e.key, f.Prefix)):
		default:
			known := Names(f.Fields)
			meant = append(meant, wording.Nearest(e.key, known))
			m.doc.report(e.at, "Unknown field", "There is no field %s in %s. %sKnown fields: %s.",
				quote(e.key), nameOf(m.path), wording.DidYouMean(e.key, known), strings.Join(wording.Sorted(known), ", "))
		}
	}
	m.checkFields(f.Fields, into, meant)
	if f.check != nil {
		f.check(m, into.Addr().Interface())
	}
}

// checkFields reports fields that are missing, and words that are not known. meant are the fields
// whose misspelled names are reported already.
func (m *mapping) checkFields(fields []Field, read reflect.Value, meant []string) {
	for i := range fields {
		f := &fields[i]
		if f.Needs == "" && f.Words == nil || !f.counts(fields, read) {
			continue
		}
		n, path := m.at(f.Name), field(m.path, f.Name)
		isEmpty := m.has(f.Name) && n.Value == "" && (f.Type == String || f.Type == Anything) && isText(n)
		switch {
		case slices.Contains(meant, f.Name):
		case f.Needs != "" && (isEmpty || !m.has(f.Name)):
			m.doc.report(n, "Missing field", "%s is missing or empty. Set it to %s.", path, f.Needs)
		case f.Words == nil, !m.has(f.Name), !isText(n), isEmpty && f.Usual == "", slices.Contains(f.Words, n.Value):
		default:
			m.doc.report(n, "Unknown value", "%s is %s. %sKnown values: %s.", path, quote(n.Value), wording.DidYouMean(n.Value, f.Words),
				strings.Join(f.Words, ", "))
		}
	}
}

// readMap fills in a map from the mapping, unless it is empty.
func (m *mapping) readMap(f *Field, into reflect.Value) {
	if len(m.entries) > 0 {
		into.Set(reflect.MakeMapWithSize(into.Type(), len(m.entries)))
	}
	for _, e := range m.entries {
		value := reflect.New(into.Type().Elem()).Elem()
		m.doc.read(f.Of, e.value, field(m.path, e.key), value)
		into.SetMapIndex(reflect.ValueOf(e.key).Convert(into.Type().Key()), value)
		if f.Keys != nil {
			f.Keys.check(m.doc, e.at, e.key, "The key %q in %s", shorten(e.key), m.path)
		}
	}
	m.checkFields(f.Fields, into, nil)
}

func (d *document) readList(f *Field, n *yaml.Node, path string, into reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.report(n, "Wrong type", "%s is %s, but a list is needed.", path, describe(n))
		return
	}
	if len(n.Content) == 0 {
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content)))
	for i, content := range n.Content {
		d.read(f.Of, yamlnode.Resolve(content), fmt.Sprintf("%s[%d]", path, i), into.Index(i))
	}
}

func (d *document) readText(f *Field, n *yaml.Node, path string, into reflect.Value) {
	if f.Nullable && isNull(n) {
		return
	}
	text := d.text(n, path)
	if into.Kind() == reflect.Bool {
		into.SetBool(text == f.True)
	} else {
		into.SetString(text)
	}
	if f.Format != nil && text != "" && isText(n) {
		f.Format.check(d, n, text, "%s is %q, which", path, shorten(text))
	}
}

func (d *document) readInteger(f *Field, n *yaml.Node, path string, into reflect.Value) {
	var value int64
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag != intTag:
		d.report(n, "Wrong type", "%s is %s, but a whole number is needed.", path, describe(n))
	case n.Decode(&value) != nil || value < f.Least || value > f.Most:
		d.report(n, "Invalid value", "%s is %s, but a number from %d to %d is needed.", path, shorten(n.Value), f.Least, f.Most)
	default:
		into.SetInt(value)
	}
}

// hugeNumber matches numbers with so many digits, or so large an exponent, that Kubernetes'
// library would need more than a moment to read them.
var hugeNumber = regexp.MustCompile(`^.{64}|[eE][+-]?[0-9]{3}`)

// readNumber reads a number or a text into a type of Kubernetes that reads itself from JSON.
func (d *document) readNumber(n *yaml.Node, path string, into reflect.Value) {
	if n.Kind != yaml.ScalarNode || isBooleanWord(n) || n.Tag != intTag && n.Tag != floatTag && !isText(n) {
		d.report(n, "Wrong type", "%s is %s, but a string or a number is needed.", path, describe(n))
		return
	}
	written := []byte(n.Value)
	if isText(n) || !json.Valid(written) {
		written, _ = json.Marshal(n.Value) // every text has a form in JSON
	}
	into.SetZero()
	if hugeNumber.MatchString(n.Value) || json.Unmarshal(written, into.Addr().Interface()) != nil {
		d.report(n, "Invalid value", "%s is %s, which is not a valid amount. Correct it.", path, quote(n.Value))
	}
}

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
		switch {
		case !ok:
		case first[key] != nil:
			d.report(at, "Duplicate key", "%s is there twice, first in line %d. Remove one of them.", field(path, key), d.at(first[key]).Line)
		default:
			first[key] = at
			all = append(all, entry{key, at, value})
		}
	}
	for _, from := range yamlnode.Merged(mapping) {
		merged, isMapping := d.mapping(from, field(path, "<<"))
		for i := 0; isMapping && i < len(merged.entries); i++ {
			if e := merged.entries[i]; first[e.key] == nil {
				first[e.key] = e.at
				all = append(all, e)
			}
		}
	}
	return all
}

type mapping struct {
	doc     *document
	node    *yaml.Node
	path    string
	entries []entry
}

// mapping returns a node as a mapping, and whether it is one. Another node is a problem.
func (d *document) mapping(n *yaml.Node, path string) (*mapping, bool) {
	if n.Kind != yaml.MappingNode {
		d.report(n, "Wrong type", "%s is %s, but a mapping is needed.", nameOf(path), describe(n))
		return nil, false
	}
	return &mapping{d, n, path, d.entries(n, path)}, true
}

// at returns the node of a field's value, or of the mapping where the field is missing.
func (m *mapping) at(name string) *yaml.Node {
	for _, e := range m.entries {
		if e.key == name {
			return e.value
		}
	}
	return m.node
}

func (m *mapping) has(name string) bool {
	n := m.at(name)
	return n != m.node && !isNull(n)
}

func (m *mapping) text(name string) string {
	if !m.has(name) {
		return ""
	}
	return m.doc.text(m.at(name), field(m.path, name))
}

// report notes a problem of a field, whose name begins the message.
func (m *mapping) report(name, summary, format string, args ...any) {
	m.doc.report(m.at(name), summary, "%s "+format, append([]any{field(m.path, name)}, args...)...)
}

func field(path, name string) string {
	if path == "" {
		return shorten(name)
	}
	return path + "." + shorten(name)
}

// nameOf names the mapping at a path in a sentence.
func nameOf(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

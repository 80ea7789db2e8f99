// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Type is the type of a field's value.
type Type int

// The types of values.
const (
	Anything Type = iota // a value that does not count
	String
	TemplateText // a text, or a mapping, which is read as its text in YAML
	Number       // a number, or a text that Kubernetes reads as a quantity
	Integer
	List
	Map     // a mapping with any keys
	Mapping // a mapping with the known fields
)

// Field is a row of the table of kinds: a field of a document. The rows come from the fields
// of Go's structs. The tag json, or annotation, has the name of the field; "a.b" is the field b of the
// mapping a. Other tags have the names of the parts of a row in small letters: needs, words (separated by
// commas), usual, when, true, refused. The tags is, keys and values name a Format of the text or of
// the texts in a list, of the keys of a map, and of its values. The tag range has Least and Most.
//
// The map tags has the tags of fields of other projects' structs, and of fields with long texts.
type Field struct {
	Name string
	Type Type
	// Needs completes the sentence "Set it to …" about a field that must not be missing or empty.
	Needs string
	// Words are the only texts that the field may hold; nil if it may hold others.
	Words []string
	// Format is the rule for the text.
	Format *Format
	// Least and Most are the smallest and the largest integer.
	Least, Most int64
	// Usual is the text of the value that a missing field has.
	Usual string
	// When has the form "field=word". Needs and Words count only if that field of the mapping has that word.
	When string
	// True is the text that means true if the field is true or false.
	True string
	// Refused says why no value is supported, as the end of a sentence. Only an empty mapping is.
	Refused string
	// Fields are the known fields of a Mapping or a Map.
	Fields []Field
	// Open reports whether a Mapping may have unknown fields whose names do not begin with Prefix.
	Open   bool
	Prefix string
	// Keys is the rule for the keys of a Map. Of describes the values of a Map, or the items of a List.
	Keys *Format
	Of   *Field
	// Nullable reports whether null counts as a value, which is the empty text.
	Nullable bool

	// index leads from the struct of the mapping to the field; none is the struct itself.
	index []int
	// usual is the value that Usual describes.
	usual     reflect.Value
	omitEmpty bool
	// check looks at a mapping that was read.
	check func(m *mapping, read any)
}

// fieldsOf returns the rows of the fields of a struct that have a tag: json or annotation.
func fieldsOf(of reflect.Type, key string) []Field {
	var all []Field
	for i := range of.NumField() {
		part := of.Field(i)
		name, _, _ := strings.Cut(part.Tag.Get(key), ",")
		switch {
		case name == "" && part.Anonymous && key == "json":
			all = append(all, below(i, fieldsOf(part.Type, key))...)
			continue
		case name == "" || name == "-":
			continue
		}
		tag, isBeside := tags[of.Name()+"."+name]
		if !isBeside {
			tag = part.Tag
		}
		f := fieldOf(part.Type, tag)
		f.index, f.omitEmpty = []int{i}, strings.HasSuffix(cmp.Or(tag.Get(key), part.Tag.Get(key)), ",omitempty")
		parent, child, isNested := strings.Cut(name, ".")
		if f.Name = name; !isNested || key == "annotation" {
			all = append(all, f)
			continue
		}
		f.Name = child
		at := slices.IndexFunc(all, func(f Field) bool { return f.Name == parent })
		if at < 0 {
			at = len(all)
			all = append(all, Field{Name: parent, Type: Mapping, Needs: tags[of.Name()+"."+parent].Get("needs")})
		}
		all[at].Fields = append(all[at].Fields, f)
	}
	return all
}

// below returns the rows of a struct that is a part of another one.
func below(part int, fields []Field) []Field {
	for i := range fields {
		fields[i].index = append([]int{part}, fields[i].index...)
	}
	return fields
}

// fieldOf returns the row of a value of a Go type.
func fieldOf(of reflect.Type, tag reflect.StructTag) Field {
	f := Field{Type: Anything, Needs: tag.Get("needs"), Usual: tag.Get("usual"), When: tag.Get("when"), Refused: tag.Get("refused"),
		Format: formats[tag.Get("is")], True: tag.Get("true")}
	if words := tag.Get("words"); words != "" {
		f.Words = strings.Split(words, ",")
	}
	if f.Needs == oneOf {
		f.Needs += strings.Join(f.Words, ", ")
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of {
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString]():
		f.Type = Number
	default:
		f.describe(of, tag)
	}
	if f.Usual != "" {
		value := reflect.New(of)
		if json.Unmarshal([]byte(f.Usual), value.Interface()) != nil {
			_ = json.Unmarshal([]byte(strconv.Quote(f.Usual)), value.Interface())
		}
		f.usual = value.Elem()
	}
	return f
}

// describe fills in what follows from the kind of the Go type. Other types, such as times, do not count.
func (f *Field) describe(of reflect.Type, tag reflect.StructTag) {
	switch of.Kind() { //nolint:exhaustive // other types do not count
	case reflect.String:
		f.Type = String
		if tag.Get("is") == "template" {
			f.Type = TemplateText
		}
	case reflect.Bool:
		if f.True != "" {
			f.Type = String
		}
	case reflect.Int32, reflect.Int64:
		f.Type, f.Least, f.Most = Integer, math.MinInt32, math.MaxInt32
		_, _ = fmt.Sscan(tag.Get("range"), &f.Least, &f.Most) // without the tag, they stay
	case reflect.Slice:
		if item := fieldOf(of.Elem(), tag); item.Type != Anything {
			item.Needs = ""
			f.Type, f.Format, f.Of = List, nil, &item
		}
	case reflect.Map:
		value := fieldOf(of.Elem(), "")
		value.Format, value.Nullable = formats[tag.Get("values")], tag.Get("values") == "nullable"
		f.Type, f.Keys, f.Of = Map, formats[tag.Get("keys")], &value
	case reflect.Struct:
		if f.Fields = fieldsOf(of, "json"); len(f.Fields) > 0 {
			f.Type, f.check = Mapping, checks[of]
		}
	}
}

// oneOf begins what a field needs whose words say the rest.
const oneOf = "one of "

// counts reports whether Needs and Words of the row count in a mapping that was read.
func (f *Field) counts(fields []Field, mapping reflect.Value) bool {
	name, word, isConditional := strings.Cut(f.When, "=")
	if !isConditional {
		return true
	}
	other := find(fields, name)
	return other != nil && other.text(mapping.FieldByIndex(other.index)) == word
}

// text returns the text of a value that is a String.
func (f *Field) text(value reflect.Value) string {
	if value.Kind() != reflect.Bool {
		return value.String()
	}
	if value.Bool() {
		return f.True
	}
	return ""
}

func find(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

// Names returns the names of rows.
func Names(fields []Field) []string {
	all := make([]string, len(fields))
	for i := range fields {
		all[i] = fields[i].Name
	}
	return all
}

// Format is a rule of Kubernetes for texts.
type Format struct {
	// Pattern and MaxLength say the rule to editors.
	Pattern   string
	MaxLength int

	// What is the phrase of messages: "a label's key".
	What string
	// Faults says in words why a text does not obey the rule.
	Faults func(text string) []string

	summary string
}

const subdomain = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`

// formats are the rules by the names that the tags of structs use.
var formats = map[string]*Format{
	"name": {`^` + subdomain + `$`, 253, "a name", validation.IsDNS1123Subdomain, "Invalid name"},
	"label key": {`^(` + subdomain + `/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`, 317, "a label's key", validation.IsQualifiedName,
		"Invalid label"},
	"label value": {`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`, 63, "a label's value", validation.IsValidLabelValue, "Invalid label"},
	"config key":  {`^[-._a-zA-Z0-9]+$`, 253, "a key of a ConfigMap", validation.IsConfigMapKey, "Invalid name"},
}

// check reports a text at a node that does not obey the rule. The format names the text by args.
func (f *Format) check(d *document, n *yaml.Node, text, format string, args ...any) {
	if faults := f.Faults(text); len(faults) > 0 {
		d.report(n, f.summary, format+" cannot be %s: %s. Change it.", append(args, f.What, strings.Join(faults, "; "))...)
	}
}

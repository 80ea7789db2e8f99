// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"encoding/base64"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Value is the schema of one value.
type Value struct {
	// types are the types that the value may have; 0 if any type is valid.
	types types
	// isNullable reports whether null is a value, and not a missing value.
	isNullable bool
	// isOpen reports whether an object may have fields that the schema does not name.
	isOpen bool
	// properties are the named fields. additional is the schema of all other fields; nil if
	// the schema does not exist.
	properties map[string]*Value
	additional *Value
	items      *Value
	// takesNull reports whether a null element counts as an empty element, as in the lists of
	// Kubernetes' own objects.
	takesNull bool
	required  []string
	// fallback is the value of a missing field, with the defaults of its own schema; nil
	// if the field stays missing.
	fallback any
	// rule is the rule of Kubernetes for a text, besides its type; nil without a rule.
	rule *rule
	// validations are the other rules; nil without rules.
	validations *jsonschema.Schema
}

type types uint8

const (
	object types = 1 << iota
	list
	text
	integer
	number
	boolean
	null
)

var typeNames = map[string]types{
	"object": object, "array": list, "string": text, "integer": integer, "number": number | integer, "boolean": boolean,
}

// prose returns the name of a type for a message.
func (t types) prose() string {
	switch t {
	case object:
		return "a mapping"
	case list:
		return "a list"
	case text, text | list:
		return "text"
	case integer:
		return "an integer"
	case boolean:
		return "true or false"
	case null:
		return "null"
	case text | integer:
		return "an integer or text"
	case number, number | integer:
		return "a number"
	default:
		return "a number or text"
	}
}

// allows reports whether a value of a type is valid.
func (t types) allows(a types) bool { return t == 0 || t&a != 0 }

// isAny reports whether every value except null is valid.
func (v *Value) isAny() bool {
	return v.types == 0 && v.properties == nil && v.additional == nil && v.items == nil && v.rule == nil && v.validations == nil
}

// scalarFault returns what a schema expects in place of a scalar; empty if the scalar is
// valid.
func (v *Value) scalarFault(n *yaml.Node) string {
	is := typeOf(n)
	switch {
	case is == text && strings.Contains(n.Value, fluxVariable):
		return ""
	case v.types.allows(is), v.types&boolean != 0 && isBooleanWord(n), v.types&integer != 0 && is == number && isWhole(n):
	default:
		return v.types.prose()
	}
	if v.rule != nil && is == text && !v.rule.holds(n.Value) {
		return v.rule.expected
	}
	if v.validations != nil {
		for _, i := range v.check(v.contentOf(n)) {
			return i.expected
		}
	}
	return ""
}

// fluxVariable begins a text that Flux fills in later with any value.
const fluxVariable = "${"

// rule is a check of a text that Kubernetes makes when it decodes an object. The published
// schemas describe the check only in prose.
type rule struct {
	expected string
	holds    func(value string) bool
}

var (
	quantityRule = &rule{"a quantity (as 500m or 1.5Gi)", func(value string) bool {
		_, err := resource.ParseQuantity(value)
		return err == nil
	}}
	base64Rule = &rule{"text in base64", func(value string) bool {
		_, err := base64.StdEncoding.DecodeString(value)
		return err == nil
	}}
	// Length is another finding: see Fault.IsTooLong.
	labelRule = &rule{"a label's value (letters, digits, -, _ and . between letters or digits)", func(value string) bool {
		return len(validation.IsValidLabelValue(value)) == 0
	}}
)

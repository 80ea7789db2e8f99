// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// Value is the schema of one value.
type Value struct {
	// types are the types that the value may have; 0 if any type is valid.
	types types
	// isNullable reports whether null is a value, and not the lack of one.
	isNullable bool
	// isOpen reports whether an object may have fields that are not named.
	isOpen bool
	// properties are the fields that are named, and additional is the schema of all
	// others; nil if there are none.
	properties map[string]*Value
	additional *Value
	items      *Value
	// takesNull reports whether an element that is null is an empty one, as Kubernetes reads
	// lists in its own objects.
	takesNull bool
	required  []string
	// fallback is the value of a missing field, with the defaults of its own schema; nil
	// if the field stays missing.
	fallback any
	// rule is the rule of Kubernetes for a text, besides its type; nil if there is none.
	rule *rule
	// validations are the other rules; nil if there are none.
	validations *jsonschema.Schema
}

// types is a set of types.
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

// typeNames are the types as schemas call them.
var typeNames = map[string]types{
	"object": object, "array": list, "string": text, "integer": integer, "number": number | integer, "boolean": boolean,
}

// prose names one type for a message.
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

// allows reports whether a value of a type is one of these.
func (t types) allows(a types) bool { return t == 0 || t&a != 0 }

// isAny reports whether every value but null will do.
func (v *Value) isAny() bool {
	return v.types == 0 && v.properties == nil && v.additional == nil && v.items == nil && v.rule == nil && v.validations == nil
}

// scalarFault says what is expected in place of a scalar; empty if the scalar is valid.
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

// fluxVariable begins a text that Flux fills in, which may become anything.
const fluxVariable = "${"

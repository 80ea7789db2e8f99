// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// slot is a part of a reference where another text may say something else, without
// being other YAML: what stands of a value in one line, a key, what a comment says.
type slot struct {
	start, end int
	style      style
	// detail is nil for most, since there are many slots.
	detail *detail
}

// detail is what is to be known of some slots.
type detail struct {
	// uses are the objects that the value identifies, and suffix is what belongs to it
	// beside what stands in the slot: the line break of a block scalar.
	uses   []use
	suffix string
	// mapping is what the slot is a key of.
	mapping *mapping
	// isText reports whether the value has to be a text, and schemas say what else it may
	// be; none where nothing does.
	isText  bool
	schemas []*apischema.Value
}

// textOnly is the detail of values that have to be texts, and nothing else.
var textOnly = &detail{isText: true}

// use is an object, by its position, that has its name or namespace from a value.
type use struct {
	object      int
	isNamespace bool
}

// mapping has all keys of a mapping.
type mapping struct{ keys map[string]bool }

// isVerbatim reports whether a value stands in the slot as it is.
func (s *slot) isVerbatim(filled []byte) bool {
	switch s.style {
	case singleQuoted:
		return bytes.IndexByte(filled, '\'') < 0
	case doubleQuoted:
		return bytes.IndexByte(filled, '\\') < 0
	case plain, plainInFlow, blockLine:
		return true
	default: // which hold no values
		return false
	}
}

// value returns the value of which that stands in the slot, none where it is no text:
// the last one where it is the same.
func (s *slot) value(filled []byte, last string) string {
	switch {
	case s.style&(plain|plainInFlow) != 0 && !isText(filled):
		return ""
	case s.detail.suffix == "" && string(filled) == last:
		return last
	case s.detail.suffix == "":
		return string(filled)
	default:
		return string(filled) + s.detail.suffix
	}
}

// allows reports whether another value will do by the schemas of the slot, and surely so.
func (s *slot) allows(filled []byte) bool {
	d := s.detail
	if !d.isText && len(d.schemas) == 0 {
		return true
	}
	isText := s.style&(plain|plainInFlow) == 0 || isText(filled)
	switch {
	case len(d.schemas) == 0:
		return isText
	case !s.isVerbatim(filled):
		return false
	}
	value := string(filled)
	for _, v := range d.schemas {
		if isText && !v.AllowsText(value) || !isText && !v.Allows(&yaml.Node{Kind: yaml.ScalarNode, Value: value}) {
			return false
		}
	}
	return true
}

// textTag is the tag of a text.
const textTag = "!!str"

// isText reports whether the library takes a plain scalar for a text.
func isText(value []byte) bool {
	if len(value) > 0 && value[0] >= 'A' && (len(value) > len("false") || bytes.IndexByte([]byte("fFnNoOtTyY~"), value[0]) < 0) {
		return true // all other words are shorter, and begin so
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: string(value)}
	return n.ShortTag() == textTag
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// slot is a part of a reference where another text may say something else, without
// being other YAML: what stands of a value in one line, the lines of a block scalar,
// a key, what a comment says.
type slot struct {
	start, end int
	style      style
	// indent is that of the lines of a block scalar.
	indent int
	// uses are the objects that the value identifies, and suffix is what belongs to it
	// beside what stands in the slot: the line break of a block scalar.
	uses   []use
	suffix string
	// mapping is what the slot is a key of, if it is one.
	mapping *mapping
}

// use is an object, by its position, that has its name or namespace from a value.
type use struct {
	object      int
	isNamespace bool
}

// mapping has all keys of a mapping.
type mapping struct{ keys map[string]bool }

// fill returns where that ends which stands in place of the slot in another text,
// from there on, the same as in the slot up to where it is different; not ok where it
// is nothing that may stand there.
func (s *slot) fill(text []byte, from, different int) (end int, ok bool) {
	switch s.style {
	case blockScalar:
		if from == len(text) || text[from] == ' ' || text[from] == '\t' {
			return from, false // indented in another way
		}
		same := bytes.TrimRight(text[from:different], " \r\n")
		if line := bytes.LastIndexByte(same, '\n') + 1; line > 0 {
			from += line + s.indent
		}
		return blockEnd(text, from, s.indent)
	case keyWord:
		end = s.style.run(text, from)
		return end, end > from && end-from <= maxKey && isAlphanumeric(text[from])
	default:
		return s.style.piece(text, from)
	}
}

// maxKey is less than what YAML takes for a key in one line.
const maxKey = 512

// isVerbatim reports whether a value stands in the slot as it is.
func (s *slot) isVerbatim(filled []byte) bool {
	switch s.style {
	case singleQuoted:
		return bytes.IndexByte(filled, '\'') < 0
	case doubleQuoted:
		return bytes.IndexByte(filled, '\\') < 0
	default:
		return bytes.IndexByte(filled, '\n') < 0
	}
}

// value returns the value of which that stands in the slot, none where it is no text:
// the last one where it is the same.
func (s *slot) value(filled []byte, last string) string {
	switch {
	case s.style&(plain|plainInFlow) != 0 && !isText(filled):
		return ""
	case s.suffix == "" && string(filled) == last:
		return last
	case s.suffix == "":
		return string(filled)
	default:
		return string(filled) + s.suffix
	}
}

// textTag is the tag of a text.
const textTag = "!!str"

// isText reports whether the library takes a plain scalar for a text.
func isText(value []byte) bool {
	if len(value) > len("false") && value[0] >= 'A' {
		return true // all other words are shorter
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: string(value)}
	return n.ShortTag() == textTag
}

// blockEnd returns where the last line of a block scalar ends that is not blank, seen
// from such a line, behind its indentation; not ok where it is none.
func blockEnd(text []byte, from, indent int) (end int, ok bool) {
	end = from
	for at := from; ; {
		lineEnd := blockScalar.run(text, at)
		if len(bytes.Trim(text[at:lineEnd], " ")) > 0 {
			end = lineEnd
		}
		next := behindBreak(text, lineEnd)
		switch {
		case next < 0 && lineEnd < len(text):
			return lineEnd, false
		case next < 0:
			return end, end > from
		}
		for at = next; at < len(text) && at < next+indent && text[at] == ' '; at++ {
		}
		if end == from || at < next+indent && behindBreak(text, at) < 0 { // neither indented enough nor blank
			return end, end > from
		}
	}
}

// behindBreak returns where the line begins behind the line break that stands there;
// -1 where none does.
func behindBreak(text []byte, at int) int {
	switch {
	case bytes.HasPrefix(text[at:], []byte("\n")):
		return at + len("\n")
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return at + len("\r\n")
	}
	return -1
}

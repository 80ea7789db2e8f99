// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"bytes"
	"strings"
)

// scanner reads the plain part of YAML that most manifests keep to, many times
// faster than a parser: mappings and lists in block style, plain and simply
// quoted scalars, literal blocks, all in ASCII. What it takes is valid, and it
// finds the objects that a parser finds; about everything else it says nothing.
type scanner struct {
	objects []object
	// levels are the open mappings and lists of the document, the innermost last.
	levels []level
	// keys are those of the open mappings: each level's from its firstKey on.
	keys [][]byte
	// rooted reports whether the document has a mapping or list already.
	rooted bool
	// inMetadata reports whether the last key of the document was its metadata.
	inMetadata bool
	document   object
	// interned are the kinds and versions met so far, which come back all the time.
	interned map[string]string

	// block is the indentation of the literal block that is being read: outside
	// where there is none, 0 before its first line. It is indented more than parent.
	block, parent int
}

// level is an open mapping or list.
type level struct {
	indent int
	isList bool
	// pending reports whether its last entry has no value yet.
	pending  bool
	firstKey int
}

const (
	outside = -1
	// maxKeys bounds the keys of a mapping, which are compared with each other.
	maxKeys = 64
	// maxKeyLength is less than what YAML takes for a key on one line.
	maxKeyLength = 512
)

// scan returns the objects of a YAML stream, until the next call; not ok where the
// stream is not plain.
func (s *scanner) scan(text []byte) (objects []object, ok bool) {
	s.objects = s.objects[:0]
	s.begin()
	for len(text) > 0 {
		var line []byte
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			line, text = text, nil
		}
		if !s.line(line) {
			return nil, false
		}
	}
	s.end()
	return s.objects, true
}

func (s *scanner) begin() {
	s.levels, s.keys, s.rooted, s.inMetadata = s.levels[:0], s.keys[:0], false, false
	s.document, s.block = object{}, outside
}

// end adds the document's object. An empty document has none.
func (s *scanner) end() {
	if s.rooted {
		s.objects = append(s.objects, s.document)
	}
}

// line takes the next line; false where it is not plain.
func (s *scanner) line(line []byte) bool {
	indent := 0
	for indent < len(line) && line[indent] == ' ' {
		indent++
	}
	text := line[indent:]
	if s.block != outside {
		if inBlock, ok := s.blockLine(text, indent); inBlock || !ok {
			return ok
		}
		s.block = outside
	}
	switch {
	case len(text) == 0 || text[0] == '#':
		return isPrintable(text)
	case string(line) == "---":
		s.end()
		s.begin()
		return true
	case indent == 0 && (bytes.HasPrefix(line, marker) || bytes.HasPrefix(line, endMarker) || line[0] == '%'):
		return false
	}
	return s.entry(text, indent)
}

var marker, endMarker = []byte("---"), []byte("...")

// blockLine reports whether the line belongs to the literal block.
func (s *scanner) blockLine(text []byte, indent int) (inBlock, ok bool) {
	switch {
	case len(text) == 0:
		return true, s.block > 0 || indent == 0 // white space before the first line may be too much
	case s.block > 0:
		return indent >= s.block, isPrintable(text)
	case indent > s.parent:
		s.block = indent
		return true, isPrintable(text)
	}
	return false, true
}

// isPrintable reports whether a text consists of printable ASCII.
func isPrintable(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// entry takes what a line holds: dashes that begin elements of lists, then a key
// with or without a value, or a scalar.
func (s *scanner) entry(text []byte, indent int) bool {
	for isDash(text) {
		if !s.open(indent, true) {
			return false
		}
		rest := trimLeft(text[1:])
		at := indent + len(text) - len(rest)
		if len(rest) == 0 || rest[0] == '#' {
			return isPrintable(rest)
		}
		if _, _, isKey := cutKey(rest); !isKey && !isDash(rest) {
			return s.scalar(rest, indent)
		}
		text, indent = rest, at
	}
	key, value, isKey := cutKey(text)
	if !isKey || !s.open(indent, false) || !s.addKey(key) {
		return false
	}
	if len(s.levels) == 1 {
		s.inMetadata = string(key) == "metadata"
	}
	if len(value) == 0 || value[0] == '#' {
		return isPrintable(value)
	}
	return s.scalar(value, indent) && s.identify(key, value)
}

// isDash reports whether an element of a list begins here.
func isDash(text []byte) bool { return text[0] == '-' && (len(text) == 1 || text[1] == ' ') }

// cutKey takes a plain key off a line, and returns what stands behind its colon.
func cutKey(text []byte) (key, value []byte, ok bool) {
	end := 0
	for end < len(text) && isKeyByte(text[end]) {
		end++
	}
	switch {
	case end == 0 || end > maxKeyLength || end == len(text) || text[end] != ':':
		return nil, nil, false
	case end+1 < len(text) && text[end+1] != ' ':
		return nil, nil, false
	}
	return text[:end], trimLeft(text[end+1:]), true
}

func isKeyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/'
}

// open goes to the mapping or list of an entry at this indentation, and opens it
// where the entry is its first, which needs a value to be wanting around it.
func (s *scanner) open(indent int, isList bool) bool {
	for n := len(s.levels); n > 0; n-- {
		top := &s.levels[n-1]
		if top.indent < indent || top.indent == indent && isList && !top.isList {
			break // within top: a list may stand at the indentation of its key
		}
		if top.indent == indent && top.isList == isList {
			top.pending = true
			return true
		}
		s.keys, s.levels = s.keys[:top.firstKey], s.levels[:n-1]
	}
	if n := len(s.levels); n > 0 {
		if !s.levels[n-1].pending {
			return false
		}
		s.levels[n-1].pending = false
	} else if s.rooted {
		return false
	}
	s.rooted = true
	s.levels = append(s.levels, level{indent, isList, true, len(s.keys)})
	return true
}

// addKey notes a key of the innermost mapping; false where it has it already.
func (s *scanner) addKey(key []byte) bool {
	first := s.levels[len(s.levels)-1].firstKey
	for _, known := range s.keys[first:] {
		if bytes.Equal(known, key) {
			return false
		}
	}
	s.keys = append(s.keys, key)
	return len(s.keys)-first <= maxKeys
}

// scalar takes the value of the innermost entry, which stands at this indentation.
func (s *scanner) scalar(value []byte, indent int) bool {
	s.levels[len(s.levels)-1].pending = false
	switch value[0] {
	case '"', '\'':
		quoted, rest, closed := bytes.Cut(value[1:], value[:1])
		behind := trimLeft(rest)
		return closed && isPrintable(value) && (value[0] == '\'' || bytes.IndexByte(quoted, '\\') < 0) &&
			(len(behind) == 0 || len(behind) < len(rest) && behind[0] == '#')
	case '|', '>':
		s.block, s.parent = 0, indent
		return len(value) == 1 || len(value) == 2 && (value[1] == '-' || value[1] == '+')
	case '{', '[':
		return string(value) == "{}" || string(value) == "[]"
	case '}', ']', ',', '&', '*', '!', '%', '@', '`', '?', '#', ':', '=', '<':
		return false
	}
	return !isDash(value) && isPlainScalar(value)
}

// isPlainScalar reports whether a scalar is printable and holds neither the end of
// a key nor a comment.
func isPlainScalar(value []byte) bool {
	for i, c := range value {
		switch {
		case c < ' ' || c > '~':
			return false
		case c == ':' && (i+1 == len(value) || value[i+1] == ' '):
			return false
		case c == '#' && i > 0 && value[i-1] == ' ':
			return false
		}
	}
	return true
}

// identify takes the value of a key where it identifies the object; false where
// it may be no text, or where the whole object has to be looked at.
func (s *scanner) identify(key, value []byte) bool {
	top := len(s.levels) == 1
	if !top && (len(s.levels) != 2 || !s.inMetadata || s.levels[1].isList) {
		return true
	}
	var field *string
	switch key := string(key); {
	case top && key == "apiVersion":
		field = &s.document.apiVersion
	case top && key == "kind":
		field = &s.document.kind
	case !top && key == "name":
		field = &s.document.name
	case !top && key == "namespace":
		field = &s.document.namespace
	default:
		return true
	}
	text, isText := textOf(value)
	if !top {
		*field = string(text)
		return isText
	}
	*field = s.intern(text)
	return isText && (field != &s.document.kind || *field != "Secret" && !strings.HasSuffix(*field, "List"))
}

// textOf returns the text that a scalar stands for, if it certainly is one.
func textOf(value []byte) (text []byte, ok bool) {
	switch c := value[0]; {
	case c == '"' || c == '\'':
		quoted, _, _ := bytes.Cut(value[1:], value[:1])
		return quoted, true
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		text := bytes.TrimRight(value, " ")
		return text, len(text) > maxNotText || !notText[strings.ToLower(string(text))]
	}
	return nil, false
}

// notText are the words that are no text in YAML 1.1 or 1.2, and maxNotText is
// the length of the longest.
var notText = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true, "null": true}

const maxNotText = 5

func trimLeft(text []byte) []byte {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}

// maxInterned bounds the texts that a scanner keeps.
const maxInterned = 1000

func (s *scanner) intern(text []byte) string {
	if known, ok := s.interned[string(text)]; ok {
		return known
	}
	if s.interned == nil || len(s.interned) == maxInterned {
		s.interned = map[string]string{}
	}
	own := string(text)
	s.interned[own] = own
	return own
}

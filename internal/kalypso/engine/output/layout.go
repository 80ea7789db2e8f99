// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// layOut finds the slots of all scalars, and of the comments between them. False where
// the text is not as the nodes say.
func (b *builder) layOut() bool {
	behind := 0 // where the scalar before ends
	for _, s := range b.scalars {
		if s.value == "" && s.node.Style == 0 {
			continue // it is nowhere
		}
		start := b.offset(s.node.Line, s.node.Column)
		if start < behind || start >= len(b.text) || !b.layBetween(behind, start) {
			return false
		}
		var ok bool
		if behind, ok = b.layScalar(s, start); !ok {
			return false
		}
	}
	return b.layBetween(behind, len(b.text))
}

// cursor goes through a text by lines and columns, which count from 1.
type cursor struct {
	text             []byte
	line, column, at int
}

// offset returns where in the text a line and a column are; more than its length where
// they are not there. It is quick for positions that follow each other.
func (c *cursor) offset(line, column int) int {
	if c.line == 0 || line < c.line || line == c.line && column < c.column {
		c.line, c.column, c.at = 1, 1, 0
	}
	for ; c.line < line; c.line++ {
		length := bytes.IndexByte(c.text[c.at:], '\n')
		if length < 0 {
			return len(c.text) + 1
		}
		c.column, c.at = 1, c.at+length+1
	}
	for ; c.column < column; c.column++ {
		_, size := utf8.DecodeRune(c.text[c.at:])
		c.at += size
	}
	return c.at
}

// layBetween finds the slots of the comments where no scalars are. False where there is
// more than what has collections, aliases and documents.
func (b *builder) layBetween(from, to int) bool {
	for at := from; at < to; at++ {
		switch c := b.text[at]; {
		case c == '#' && (at == 0 || strings.IndexByte(" \t\n", b.text[at-1]) >= 0):
			end := comment.run(b.text, at+1)
			b.comments = append(b.comments, slot{start: at + 1, end: end, style: comment})
			at = end - 1
		case c == '&', c == '*':
			at = b.behindName(at+1) - 1
		case strings.IndexByte(" \t\r\n-.:,?[]{}", c) < 0:
			return false
		}
	}
	return true
}

// behindName returns where the name of an anchor ends that begins there.
func (b *builder) behindName(at int) int {
	for at < len(b.text) && (isAlphanumeric(b.text[at]) || b.text[at] == '-' || b.text[at] == '_') {
		at++
	}
	return at
}

// layScalar finds the slots of a scalar that begins there, and where it ends; not ok
// where it is written in an uncommon way.
func (b *builder) layScalar(s *scalar, start int) (end int, ok bool) {
	at := b.behindAnchor(s, start)
	if at == len(b.text) {
		return 0, false
	}
	switch c, style := b.text[at], s.node.Style; {
	case style == 0 && c != '!':
		return b.layPlain(s, at)
	case style == yaml.DoubleQuotedStyle && c == '"':
		return b.layQuoted(s, at+1, doubleQuoted)
	case style == yaml.SingleQuotedStyle && c == '\'':
		return b.layQuoted(s, at+1, singleQuoted)
	case style == yaml.LiteralStyle && c == '|', style == yaml.FoldedStyle && c == '>':
		return b.layBlock(s, at)
	}
	return 0, false
}

// behindAnchor returns where a scalar begins behind its anchor. A key with one stays.
func (b *builder) behindAnchor(s *scalar, at int) int {
	if b.text[at] != '&' {
		return at
	}
	s.stays = s.stays || s.mapping != nil
	for at = b.behindName(at + 1); at < len(b.text) && strings.IndexByte(" \r\n", b.text[at]) >= 0; at++ {
	}
	return at
}

// layPlain follows the value, in which the library has folded line breaks.
func (b *builder) layPlain(s *scalar, from int) (end int, ok bool) {
	at := from
	for value := s.value; value != ""; {
		rest := b.text[at:]
		white := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		if bytes.IndexByte(rest[:white], '\n') >= 0 {
			folded := strings.TrimLeft(value, " \n")
			if folded == value {
				return 0, false
			}
			at, value = at+white, folded
			continue
		}
		length := min(white+1, len(rest)) // with the character behind it
		if !strings.HasPrefix(value, string(rest[:length])) || length == 0 {
			return 0, false
		}
		at, value = at+length, value[length:]
	}
	style := plain
	if s.inFlow {
		style = plainInFlow
	}
	b.layLines(s, from, at, style)
	return at, true
}

func (b *builder) layQuoted(s *scalar, from int, style style) (end int, ok bool) {
	quote := b.text[from-1]
	for at := from; at < len(b.text); at++ {
		switch rest := b.text[at:]; {
		case style == doubleQuoted && rest[0] == '\\', style == singleQuoted && bytes.HasPrefix(rest, []byte("''")):
			at++ // and what is escaped
		case rest[0] == quote:
			b.layLines(s, from, at, style)
			return at + 1, true
		}
	}
	return 0, false
}

// layBlock finds the slots in the lines of a block scalar. How far they are indented
// shows in what the library has left of that; not ok where it does not.
func (b *builder) layBlock(s *scalar, from int) (end int, ok bool) {
	end = from + b.lineAt(from)
	header := end - len(bytes.TrimLeft(b.text[from:end], "|>+-123456789"))
	if !b.layBetween(header, end) {
		return 0, false
	}
	if strings.Trim(s.value, "\n") == "" {
		return end, true // what follows are empty lines and comments
	}
	value := strings.TrimLeft(s.value, "\n")
	first := strings.TrimLeft(value, " ")
	if first == "" || first[0] == '\n' {
		return 0, false
	}
	margin, indent := len(value)-len(first), 0
	for line := end; line < len(b.text); line += b.lineAt(line) {
		content := bytes.TrimRight(b.text[line:line+b.lineAt(line)], "\r\n")
		spaces := len(content) - len(bytes.TrimLeft(content, " "))
		if spaces == len(content) {
			continue
		}
		if indent == 0 {
			indent = spaces - margin
		}
		if indent <= 0 || spaces < indent {
			break
		}
		end = line + len(content)
		start := end - len(bytes.TrimLeft(content, " \t"))
		if slotEnd, ok := blockLine.fill(b.text, start); ok {
			s.slots = append(s.slots, slot{start: start, end: slotEnd, style: blockLine})
		}
	}
	return end, true
}

// lineAt returns the length of the line that begins there, with its line break.
func (b *builder) lineAt(at int) int {
	if length := bytes.IndexByte(b.text[at:], '\n') + 1; length > 0 {
		return length
	}
	return len(b.text) - at
}

// layLines finds the slots in the lines of a scalar.
func (b *builder) layLines(s *scalar, from, to int, style style) {
	if s.mapping != nil {
		b.layKey(s, from, to, style)
		return
	}
	for {
		end := to
		if length := bytes.IndexByte(b.text[from:to], '\n'); length >= 0 {
			end = from + length
		}
		b.layLine(s, from, from+len(bytes.TrimSuffix(b.text[from:end], []byte("\r"))), style)
		if end == to {
			return
		}
		for from = end + 1; from < to && b.text[from] == ' '; from++ {
		}
	}
}

// layLine finds the slots in a line of a scalar.
func (b *builder) layLine(s *scalar, from, to int, style style) {
	if from == 0 || b.text[from-1] == '\n' {
		return // it could become the mark of a document
	}
	for from <= to {
		end, ok := style.fill(b.text, from)
		if ok {
			s.slots = append(s.slots, slot{start: from, end: end, style: style})
		}
		if style == doubleQuoted && end < to && b.text[end] == '\\' {
			return // an escape sequence that has to stay
		}
		from = end + 1
	}
}

// layKey finds the slot of a key that is a simple word.
func (b *builder) layKey(s *scalar, from, to int, style style) {
	colon := to
	if style&(singleQuoted|doubleQuoted) != 0 {
		colon++
	}
	end, ok := keyWord.fill(b.text, from)
	if ok && end == to && isText(b.text[from:to]) && bytes.HasPrefix(b.text[colon:], []byte(":")) {
		s.slots = []slot{{start: from, end: to, style: keyWord, detail: &detail{mapping: s.mapping}}}
	}
}

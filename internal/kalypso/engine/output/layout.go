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
	behind, known := 0, true // where the scalar before ends
	for _, s := range b.scalars {
		if s.value == "" && s.node.Style&^yaml.TaggedStyle == 0 {
			continue // it is nowhere
		}
		start := b.offset(s.node.Line, s.node.Column)
		if start < behind || start > len(b.text) {
			return false
		}
		if known {
			b.layComments(behind, start)
		}
		if behind, known = b.layScalar(s, start); !known {
			behind = start
		}
	}
	if known {
		b.layComments(behind, len(b.text))
	}
	return true
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

// layComments finds the slots of the comments where no scalars are.
func (b *builder) layComments(from, to int) {
	for at := from; at < to; at++ {
		if b.text[at] == '#' && (at == 0 || strings.IndexByte(" \t\n", b.text[at-1]) >= 0) {
			end := comment.run(b.text, at+1)
			b.comments = append(b.comments, slot{start: at + 1, end: end, style: comment})
			at = end
		}
	}
}

// layScalar finds the slots of a scalar that begins there, and where it ends; not
// known where it is written in an uncommon way.
func (b *builder) layScalar(s *scalar, start int) (end int, known bool) {
	at := b.behindProperties(s, start)
	if at == len(b.text) {
		return 0, false
	}
	style := s.node.Style &^ yaml.TaggedStyle
	switch c := b.text[at]; {
	case style == 0:
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

// behindProperties returns where a scalar begins behind anchor and tag. One with a tag
// stays, and so does a key with either.
func (b *builder) behindProperties(s *scalar, at int) int {
	const white = " \t\r\n"
	for at < len(b.text) && (b.text[at] == '&' || b.text[at] == '!') {
		s.stays = s.stays || b.text[at] == '!' || s.mapping != nil
		for at < len(b.text) && strings.IndexByte(white, b.text[at]) < 0 {
			at++
		}
		for at < len(b.text) && strings.IndexByte(white, b.text[at]) >= 0 {
			at++
		}
	}
	return at
}

// layPlain follows the value, in which the library has folded line breaks.
func (b *builder) layPlain(s *scalar, from int) (end int, known bool) {
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

func (b *builder) layQuoted(s *scalar, from int, style style) (end int, known bool) {
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
// shows in what the library has left of that.
func (b *builder) layBlock(s *scalar, from int) (end int, known bool) {
	value := strings.TrimLeft(s.value, "\n")
	first := strings.TrimLeft(value, " ")
	if first == "" || first[0] == '\n' {
		return 0, false
	}
	margin := len(value) - len(first)
	line := from + b.lineAt(from) // behind the header
	b.layComments(from, line)
	for indent := 0; line < len(b.text); line += b.lineAt(line) {
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
	return end, end > 0
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
		b.layLine(s, from, end, style)
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

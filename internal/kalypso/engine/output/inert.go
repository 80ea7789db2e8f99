// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// letter stands in the place of what could end a scalar.
const letter = 'x'

// Inert returns a text once for each character with which it could end the scalar that a
// template writes it into, with quotes or without, in a block or between brackets: with
// letters in the places of that character. A text for which it returns nothing stays in its
// place everywhere in YAML.
func Inert(text string) []string {
	b := []byte(text)
	if begin := len(b) - len(bytes.TrimLeft(b, " ")); begin < len(b) && !beginsPlain(b[begin:]) {
		b[begin] = letter
	}
	for _, s := range []style{plainInFlow, singleQuoted, doubleQuoted} {
		for at := s.run(b, 0); at < len(b); at = s.run(b, at) {
			b[at] = letter
		}
	}
	var all []string
	var known [utf8.RuneSelf + 1]bool
	for at, c := range []byte(text) {
		if b[at] == c || known[character(c)] {
			continue
		}
		known[character(c)] = true
		inert := []byte(text)
		for i, same := range inert {
			if b[i] != same && character(same) == character(c) {
				inert[i] = letter
			}
		}
		all = append(all, string(inert))
	}
	return all
}

// character returns a byte, the same for all beyond ASCII.
func character(c byte) byte { return min(c, utf8.RuneSelf) }

// Sameness is what a comparison of two YAML streams finds.
type Sameness int

// The results of Compare. Incomparable are streams that are not valid YAML, or too large.
const (
	Same Sameness = iota
	Different
	Incomparable
)

// Compare finds out whether a YAML stream says the same as one of the same length with
// letters in the places of some characters: both have the same nodes in the same places, of
// the same lengths. YAML in a text of several lines, such as values of Helm, counts too.
func Compare(text, inert []byte) Sameness {
	if bytes.Equal(text, inert) {
		return Same
	}
	if tooLarge(text) || tooLarge(inert) {
		return Incomparable
	}
	documents, others := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewDecoder(bytes.NewReader(inert))
	for {
		document, err := decodeNode(documents)
		other, otherErr := decodeNode(others)
		switch ended, otherEnded := errors.Is(err, io.EOF), errors.Is(otherErr, io.EOF); {
		case ended && otherEnded:
			return Same
		case err != nil && otherErr != nil && !ended && !otherEnded:
			return Incomparable
		case err != nil || otherErr != nil || !sameNode(document, other):
			return Different
		}
	}
}

var errParser = errors.New("the YAML parser gave up")

// decodeNode returns the next document.
func decodeNode(d *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		// The library panics where it finds itself in a state that it does not know.
		if recover() != nil {
			err = errParser
		}
	}()
	n = new(yaml.Node)
	return n, d.Decode(n)
}

func sameNode(n, inert *yaml.Node) bool {
	if n.Kind != inert.Kind || n.Style != inert.Style || n.Anchor != inert.Anchor || n.Line != inert.Line || n.Column != inert.Column ||
		len(n.Value) != len(inert.Value) || len(n.Content) != len(inert.Content) {
		return false
	}
	if strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n") && (isCollection(n.Value) || isCollection(inert.Value)) {
		return Compare([]byte(n.Value), []byte(inert.Value)) == Same
	}
	for i, child := range n.Content {
		if !sameNode(child, inert.Content[i]) {
			return false
		}
	}
	return true
}

// isCollection reports whether a text is YAML that begins with a map or a list.
func isCollection(text string) bool {
	if tooLarge([]byte(text)) {
		return false
	}
	document, err := decodeNode(yaml.NewDecoder(strings.NewReader(text)))
	return err == nil && document.Content[0].Kind != yaml.ScalarNode
}

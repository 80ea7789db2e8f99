// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// letter stands in the place of what could end a scalar.
const letter = 'x'

// Inert returns a text with a letter in the place of each character with which it could end
// the scalar that a template writes it into: with quotes or without, in a block or between
// brackets. A text that it returns as it is stays in its place everywhere in YAML.
func Inert(text string) string {
	b := []byte(text)
	if len(b) > 0 && !beginsPlain(b) {
		b[0] = letter
	}
	for _, s := range []style{plainInFlow, singleQuoted, doubleQuoted} {
		for at := s.run(b, 0); at < len(b); at = s.run(b, at) {
			b[at] = letter
		}
	}
	return string(b)
}

// SaysSame reports whether a YAML stream says the same as another one in which letters stand
// in the place of some characters: they have the same nodes, and scalars differ in those
// letters alone. It reports true where neither is valid YAML.
func SaysSame(text, inert []byte) bool {
	if tooLarge(text) || tooLarge(inert) {
		return false
	}
	documents, others := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewDecoder(bytes.NewReader(inert))
	for {
		document, err := decodeNode(documents)
		other, otherErr := decodeNode(others)
		if err != nil || otherErr != nil {
			return (err == nil) == (otherErr == nil) && errors.Is(err, io.EOF) == errors.Is(otherErr, io.EOF)
		}
		if !sameNode(document, other) {
			return false
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
	if n.Kind != inert.Kind || n.Style != inert.Style || n.Anchor != inert.Anchor || len(n.Content) != len(inert.Content) || !sameText(n.Value, inert.Value) {
		return false
	}
	for i, child := range n.Content {
		if !sameNode(child, inert.Content[i]) {
			return false
		}
	}
	return true
}

// sameText reports whether two texts differ in letters of the second one alone. A template
// may have made them capitals.
func sameText(text, inert string) bool {
	runes, others := []rune(text), []rune(inert)
	if len(runes) != len(others) {
		return false
	}
	for i, r := range others {
		if r != runes[i] && !strings.ContainsRune("xX", r) {
			return false
		}
	}
	return true
}

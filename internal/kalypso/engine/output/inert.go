// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// letter replaces every character that could end a scalar.
const letter = 'x'

// Characters that YAML does not treat specially: those of a word, and those beyond ASCII.
const (
	word     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./"
	readable = `\x{A0}-\x{2027}\x{202A}-\x{FEFE}\x{FF00}-\x{FFFC}\x{10000}-\x{10FFFF}`
)

// ends match what may end a scalar, as a group: at its beginning, plain (it may be between
// brackets), in single quotes, and in double quotes. Pairs of characters that do not end it
// match without a group.
var ends = []*regexp.Regexp{
	regexp.MustCompile(`^ *([^ \w./$(+` + readable + `])`),
	regexp.MustCompile(`:[-\w./]|(?:^| )(#)|([,?\[\]{}:]|[^ -~` + readable + `])`),
	regexp.MustCompile(`''|(')`),
	regexp.MustCompile(`\\(?:[0abtnvfre "'\\N_LP]|u[0-9a-cefA-CEF][0-9a-fA-F]{3})|(["\\])`),
}

// Inert returns the characters of a text with which it could end the scalar that a template
// writes it into, with quotes or without, in a block or between brackets: for each the text
// with letters in the places of that character. All beyond ASCII count as one. A text for
// which it returns nothing stays in its place everywhere in YAML.
func Inert(text string) map[byte]string {
	if isWord(text) {
		return nil
	}
	b := []byte(text)
	for _, end := range ends {
		for _, at := range end.FindAllSubmatchIndex(b, -1) {
			for i := 2; i < len(at); i += 2 { // the groups; -1 for one that does not match
				for position := at[i]; position < at[i+1]; position++ {
					b[position] = letter
				}
			}
		}
	}
	all := map[byte]string{}
	for at := range b {
		c := character(text[at])
		if _, known := all[c]; known || b[at] == text[at] {
			continue
		}
		inert := []byte(text)
		for i := range inert {
			if character(inert[i]) == c {
				inert[i] = b[i]
			}
		}
		all[c] = string(inert)
	}
	return all
}

// character returns a byte, the same for all beyond ASCII.
func character(c byte) byte { return min(c, utf8.RuneSelf) }

// Sameness is the result of a comparison of two YAML streams.
type Sameness int

// The results of Compare. Incomparable are streams that are not valid YAML, or too large.
const (
	Same Sameness = iota
	Different
	Incomparable
)

// Compare finds out whether a YAML stream says the same as one with letters in the places of
// some characters: both have the same nodes. If both are of one length, these are in the
// same places, and of the same lengths; else the template writes the characters in another
// way, or looks at them. YAML in a text of several lines, such as values of Helm, counts too.
func Compare(text, inert []byte) Sameness {
	if bytes.Equal(text, inert) {
		return Same
	}
	if tooLarge(text) || tooLarge(inert) {
		return Incomparable
	}
	same := sameStructure
	if len(text) == len(inert) {
		same = sameNode
	}
	documents, others := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewDecoder(bytes.NewReader(inert))
	for {
		document, err := yamlnode.Next(documents)
		other, otherErr := yamlnode.Next(others)
		switch ended, otherEnded := errors.Is(err, io.EOF), errors.Is(otherErr, io.EOF); {
		case ended && otherEnded:
			return Same
		case err != nil && otherErr != nil && !ended && !otherEnded:
			return Incomparable
		case err != nil || otherErr != nil || !same(document, other):
			return Different
		}
	}
}

// sameNode reports whether two nodes are the same, in the same place and of the same length.
func sameNode(n, inert *yaml.Node) bool {
	return n.Style == inert.Style && n.Line == inert.Line && n.Column == inert.Column && len(n.Value) == len(inert.Value) &&
		len(n.Content) == len(inert.Content) && sameInside(n, inert, sameNode)
}

// sameStructure reports whether two nodes have the same structure, wherever they are. A list
// in lines of its own may have more elements of one structure: a text of one line adds none,
// so the template has made them of its parts.
func sameStructure(n, inert *yaml.Node) bool {
	const structural = yaml.FlowStyle | yaml.TaggedStyle
	if n.Style&structural != inert.Style&structural {
		return false
	}
	more := len(n.Content) - len(inert.Content)
	if more != 0 && (more < 0 || len(inert.Content) == 0 || n.Kind != yaml.SequenceNode || n.Style&yaml.FlowStyle != 0) {
		return false
	}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if !sameKey(n.Content[i].Value, inert.Content[i].Value) {
			return false
		}
	}
	return sameInside(n, inert, sameStructure)
}

// sameKey reports whether two keys are the same, except for letters in the second.
func sameKey(key, inert string) bool {
	if len(key) != len(inert) {
		return false
	}
	for i := range len(key) {
		if key[i] != inert[i] && inert[i] != letter {
			return false
		}
	}
	return true
}

// sameInside compares what both sorts of comparison do. The last one of the inert elements
// goes with all that are more.
func sameInside(n, inert *yaml.Node, same func(n, inert *yaml.Node) bool) bool {
	if n.Kind != inert.Kind || n.Anchor != inert.Anchor {
		return false
	}
	if strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n") && (isCollection(n.Value) || isCollection(inert.Value)) {
		return Compare([]byte(n.Value), []byte(inert.Value)) == Same
	}
	for i, child := range n.Content {
		if !same(child, inert.Content[min(i, len(inert.Content)-1)]) {
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
	document, err := yamlnode.Next(yaml.NewDecoder(strings.NewReader(text)))
	return err == nil && document.Content[0].Kind != yaml.ScalarNode
}

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

// letter replaces each character that could end a scalar.
const letter = 'x'

// Characters with no special meaning in YAML: those of a word, and those beyond ASCII.
const (
	word     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./"
	readable = `\x{A0}-\x{2027}\x{202A}-\x{FEFE}\x{FF00}-\x{FFFC}\x{10000}-\x{10FFFF}`
)

// ends match a character that may end a scalar, as a group: at the beginning of the scalar,
// in a plain scalar (which may be between brackets), in single quotes, and in double quotes.
// Pairs of characters that do not end the scalar match without a group.
var ends = []*regexp.Regexp{
	regexp.MustCompile(`^ *([^ \w./$(+` + readable + `])`),
	regexp.MustCompile(`:[-\w./]|(?:^| )(#)|([,?\[\]{}:]|[^ -~` + readable + `])`),
	regexp.MustCompile(`''|(')`),
	regexp.MustCompile(`\\(?:[0abtnvfre "'\\N_LP]|u[0-9a-cefA-CEF][0-9a-fA-F]{3})|(["\\])`),
}

// Inert returns the characters of a text that could end the scalar into which a template
// writes the text: with quotes or without, in a block or between brackets. The key is such a
// character; one key stands for all characters beyond ASCII. The value is the text in which a
// letter replaces the character: the engine renders it, and compares the output. If the map is
// empty, the text cannot leave a scalar anywhere in YAML.
func Inert(text string) map[byte]string {
	if isWord(text) {
		return nil
	}
	b := []byte(text)
	for _, end := range ends {
		for _, at := range end.FindAllSubmatchIndex(b, -1) {
			for i := 2; i < len(at); i += 2 { // the groups; -1 for a group that does not match
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

// character returns a byte, the same for all characters beyond ASCII.
func character(c byte) byte { return min(c, utf8.RuneSelf) }

// Sameness is the result of a comparison of two YAML streams.
type Sameness int

// The results of Compare. Incomparable streams are not valid YAML, or too large.
const (
	Same Sameness = iota
	Different
	Incomparable
)

// Compare reports whether a YAML stream has the same nodes as inert, the stream with letters
// in place of some characters. If both have the same length, the nodes must have the same
// places and lengths. Otherwise the template reads the characters or writes them in another
// form, so places do not count. A text of several lines that is YAML itself, such as values
// of Helm, is compared like a stream.
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

// sameNode reports whether two nodes are equal, with the same place and length.
func sameNode(n, inert *yaml.Node) bool {
	return n.Style == inert.Style && n.Line == inert.Line && n.Column == inert.Column && len(n.Value) == len(inert.Value) &&
		len(n.Content) == len(inert.Content) && sameInside(n, inert, sameNode)
}

// sameStructure reports whether two nodes have the same structure, in any place. A list in
// block style may have more elements of one structure: a text of one line cannot add
// elements, so the template made them from parts of the text.
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

// sameKey reports whether two keys are equal, except for letters in inert.
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

// sameInside compares what both comparisons have in common. If n has more elements, it
// compares them with the last element of inert.
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// The tags that the parser gives to nodes.
const (
	stringTag    = "!!str"
	boolTag      = "!!bool"
	intTag       = "!!int"
	floatTag     = "!!float"
	nullTag      = "!!null"
	timestampTag = "!!timestamp"
	mergeTag     = "!!merge"
)

// booleans are the words, besides true and false, that YAML 1.1 reads as booleans without
// quotes. Kubernetes reads them in the same way.
var booleans = map[string]string{
	"y": "true", "Y": "true", "yes": "true", "Yes": "true", "YES": "true", "on": "true", "On": "true", "ON": "true",
	"n": "false", "N": "false", "no": "false", "No": "false", "NO": "false", "off": "false", "Off": "false", "OFF": "false",
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == nullTag }

// isBooleanWord reports whether only Kubernetes reads the scalar as a boolean.
func isBooleanWord(n *yaml.Node) bool {
	return n.Tag == stringTag && n.Style == 0 && booleans[n.Value] != ""
}

// isText reports whether a node is a string for Kubernetes too. Timestamps are.
func isText(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || isBooleanWord(n) {
		return false
	}
	return n.Tag == stringTag || n.Tag == timestampTag || n.Tag == mergeTag
}

// text returns the string that a node holds. Another type is a problem. Reading then goes on with
// the text that Kubernetes would make of it.
func (d *document) text(n *yaml.Node, path string) string {
	if isText(n) {
		return n.Value
	}
	what, how := describe(n), howToQuote(n)
	if n.Kind == yaml.ScalarNode && n.Tag != nullTag && credential.IsName(path) {
		what, how = "a number or boolean, which is not shown, since it is a credential by its name", "Put it in quotes."
	}
	d.report(n, "Wrong type", "%s is %s, but a string is needed. %s", path, what, how)
	if isBooleanWord(n) {
		return booleans[n.Value]
	}
	return n.Value
}

// plainKey matches the numbers and booleans that Kubernetes takes as keys just
// as they are written.
var plainKey = regexp.MustCompile(`^(true|false|0|-?[1-9][0-9]{0,17})$`)

// key returns the string that a mapping's key holds, and whether it holds one. A
// word like yes is the key "true", which is what Kubernetes makes of it.
func (d *document) key(n *yaml.Node, path string) (string, bool) {
	if isBooleanWord(n) {
		return booleans[n.Value], true
	}
	if isText(n) || n.Kind == yaml.ScalarNode && (n.Tag == intTag || n.Tag == boolTag) && plainKey.MatchString(n.Value) {
		return n.Value, true
	}
	d.report(n, "Wrong type", "A key in %s is %s, but a string is needed. %s", nameOf(path), describe(n), howToQuote(n))
	return "", false
}

// describe says in words which sort of node it is.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isBooleanWord(n):
		return "the word " + n.Value + ", which Kubernetes reads as a boolean"
	}
	switch n.Tag {
	case stringTag, timestampTag, mergeTag:
		return "the string " + quote(n.Value)
	case boolTag:
		return "the boolean " + shorten(n.Value)
	case intTag, floatTag:
		return "the number " + shorten(n.Value)
	case nullTag:
		return "nothing (null)"
	default:
		return "a value with the tag " + shorten(n.Tag)
	}
}

func howToQuote(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return "Write a string."
	case n.Tag == nullTag:
		return `Write "" where it is to be empty.`
	default:
		return "Put it in quotes: " + quote(n.Value) + "."
	}
}

// quote puts a piece of input in quotes, shortened where it is long.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// maxShown is how many bytes of a piece of input a message shows.
const maxShown = 80

func shorten(s string) string { return wording.Shorten(s, maxShown) }

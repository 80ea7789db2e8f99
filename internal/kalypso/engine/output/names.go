// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output

import (
	"bytes"
	"regexp"
	"strings"
)

// Names returns the identities of the objects of a YAML stream, from their first lines
// alone, in a fraction of the time of Read. ok is false if most templates write these lines
// otherwise, or if the stream has a List or a Secret: then the caller needs Read. The result
// is not certain, so a caller that finds a problem with it asks Read, too.
func Names(text []byte) (objects []Identity, ok bool) {
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		document = bytes.TrimPrefix(document, []byte("---\n"))
		o, ok := nameOf(document)
		if !ok {
			return nil, false
		}
		if o.APIVersion+o.Kind+o.Name+o.Namespace != "" {
			objects = append(objects, o)
		}
	}
	return objects, true
}

// nameOf returns the identity of the object of a document in block style; empty for a
// document of space and comments.
func nameOf(document []byte) (o Identity, ok bool) {
	around, margin := "", 0 // the key at the left, and the indentation of its content
	for line := range bytes.SplitSeq(document, []byte("\n")) {
		content := bytes.TrimLeft(line, " ")
		indent := len(line) - len(content)
		switch {
		case len(bytes.TrimSpace(content)) == 0 || content[0] == '#':
			continue
		case indent > 0 && (around != "metadata" || margin > 0 && indent > margin), around != "" && content[0] == '-':
			continue // the content of another key
		}
		before, after, isPair := bytes.Cut(content, []byte(":"))
		key := string(bytes.Trim(before, `"'`))
		if !isPair || !isWord(key) {
			return o, false
		}
		if indent > 0 {
			margin = indent
			key = "metadata." + key
		} else {
			around, margin = key, 0
		}
		if !o.set(key, after) {
			return o, false
		}
	}
	o.Resource = resourceOf(o.APIVersion, o.Kind)
	return o, o.Kind != "Secret" && !strings.HasSuffix(o.Kind, "List")
}

// simple matches a value of one word, or no value, with or without quotes and a comment.
var simple = regexp.MustCompile(strings.ReplaceAll(`^(?:[ \t]+(WORD|"WORD"|'WORD'))?[ \t]*(?:[ \t]#.*)?\r?$`,
	"WORD", `[A-Za-z0-9][-\w./]*`))

// set sets the field of the identity that a key belongs to. It returns false if only Read
// can decode the value.
func (o *Identity) set(key string, value []byte) bool {
	into := map[string]*string{"apiVersion": &o.APIVersion, "kind": &o.Kind, "metadata": new(string),
		"metadata.name": &o.Name, "metadata.namespace": &o.Namespace}[key]
	if into == nil {
		return true
	}
	match := simple.FindSubmatch(value)
	if match == nil {
		return false
	}
	*into = string(bytes.Trim(match[1], `"'`))
	return (*into == "") == (key == "metadata")
}

// isWord reports whether a text means the same anywhere in YAML.
func isWord(text string) bool {
	return text != "" && strings.Trim(text, word) == "" && strings.IndexByte("-_./", text[0]) < 0
}

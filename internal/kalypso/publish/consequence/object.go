// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// object is a Kubernetes object in a file.
type object struct {
	findings.Identity
	at   findings.Location
	node *yaml.Node
}

// objects returns the objects of some texts. Errors: a text is not valid YAML.
func objects(at findings.Location, texts ...[]byte) (all []*object, err error) {
	for _, text := range texts {
		documents, err := yamlnode.Documents(text)
		if err != nil {
			return nil, err
		}
		for _, document := range documents {
			for _, n := range apischema.Objects(document) {
				if id := findings.IdentityOf(n); id.Name != "" {
					all = append(all, &object{id, at, n})
				}
			}
		}
	}
	return all, nil
}

func (o *object) text(path ...string) string { return yamlnode.Text(o.node, path...) }

// is reports whether a field is true.
func (o *object) is(path ...string) bool {
	n := yamlnode.At(o.node, path...)
	return n != nil && n.Value == "true"
}

// differing returns the documents of two versions of a file that differ in relevant lines.
func differing(old, now []byte) (before, after [][]byte) {
	olds, news := split(old), split(now)
	if len(olds) != len(news) {
		hasNoWords := func(text []byte) bool { return len(wordsOf(text)) == 0 }
		return slices.DeleteFunc(olds, hasNoWords), slices.DeleteFunc(news, hasNoWords)
	}
	for i, old := range olds {
		now, start, end := news[i], 0, 0
		most := min(len(old), len(now))
		for start < most && old[start] == now[start] {
			start++
		}
		start = bytes.LastIndexByte(old[:start], '\n') + 1
		for end < most-start && old[len(old)-1-end] == now[len(now)-1-end] {
			end++
		}
		if !bytes.Equal(old, now) && (isRelevant(old, start, len(old)-end) || isRelevant(now, start, len(now)-end)) {
			before, after = append(before, old), append(after, now)
		}
	}
	return before, after
}

// split returns the documents of a file, as texts.
func split(text []byte) (all [][]byte) {
	start := 0
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("\n---"))
		if i < 0 {
			return append(all, text[start:])
		}
		next := at + i + 1
		if at = next + len("---"); at == len(text) || strings.IndexByte(" \t\r\n", text[at]) >= 0 {
			all, start = append(all, text[start:next]), next
		}
	}
}

// isRelevant reports whether the lines of a document from one byte to another have a word of its kinds, or are
// indented below such a line. Between braces, and with anchors, the indentation does not say what is below what.
func isRelevant(text []byte, from, to int) bool {
	words := wordsOf(text)
	if from == to || len(words) == 0 {
		return false
	}
	for _, sign := range []string{"{\n", "[\n", ",\n", "&"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	end := len(text)
	if i := bytes.IndexByte(text[to-1:], '\n'); i >= 0 {
		end = to - 1 + i
	}
	for above := 0; ; { // from the last line upwards
		start := bytes.LastIndexByte(text[:end], '\n') + 1
		line := bytes.TrimLeft(text[start:end], " ")
		depth := 2 * (end - start - len(line))
		if bytes.HasPrefix(line, []byte("-")) { // an element is below a key with the same indentation
			depth++
		}
		if end >= from || depth < above && len(line) > 0 {
			above = depth
			if slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(line, []byte(word)) }) {
				return true
			}
		}
		if start == 0 {
			return false
		}
		end = start - 1
	}
}

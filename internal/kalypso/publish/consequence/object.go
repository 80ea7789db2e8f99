// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// object is a Kubernetes object in a file.
type object struct {
	place
	// resource is the kind with its group, and without the version: "Deployment.apps". Kubernetes serves one
	// object under all versions.
	resource, namespace, name string
	node                      *yaml.Node
}

// objects returns the objects of documents that have a name. Errors: a document is not valid.
func objects(at place, documents [][]byte) (all []*object, err error) {
	for _, text := range documents {
		nodes, err := yamlnode.Documents(text)
		if err != nil {
			return nil, err
		}
		for _, document := range nodes {
			for _, n := range apischema.Objects(document) {
				o := &object{at, yamlnode.Text(n, "kind"), yamlnode.Text(n, "metadata", "namespace"), yamlnode.Text(n, "metadata", "name"), n}
				if group, _, found := strings.Cut(yamlnode.Text(n, "apiVersion"), "/"); found {
					o.resource += "." + group
				}
				if o.name != "" {
					all = append(all, o)
				}
			}
		}
	}
	return all, nil
}

func (o *object) isSame(other *object) bool {
	return o.resource == other.resource && o.namespace == other.namespace && o.name == other.name
}

func (o *object) text(path ...string) string { return yamlnode.Text(o.node, path...) }

// is reports whether a field is true.
func (o *object) is(path ...string) bool {
	n := yamlnode.At(o.node, path...)
	return n != nil && n.Value == "true"
}

// livesIn reports whether the object is in a namespace, or delivers into it without creating it.
func (o *object) livesIn(namespace string) bool {
	into := o.text("spec", "targetNamespace")
	if o.resource == application && !slices.Contains(o.list("spec", "syncPolicy", "syncOptions"), "CreateNamespace=true") {
		into = o.text("spec", "destination", "namespace")
	}
	return o.namespace == namespace || into == namespace
}

// list returns the texts of a list.
func (o *object) list(path ...string) (all []string) {
	if n := yamlnode.At(o.node, path...); n != nil && n.Kind == yaml.SequenceNode {
		for _, element := range n.Content {
			all = append(all, yamlnode.Text(element))
		}
	}
	return all
}

// documents returns the documents of a file, as texts.
func documents(text []byte) (all [][]byte) {
	const mark = "---"
	for start, at := 0, 0; ; {
		i := bytes.Index(text[at:], []byte("\n"+mark))
		if i < 0 {
			return append(all, text[start:])
		}
		next := at + i + 1
		if at = next + len(mark); at == len(text) || strings.IndexByte(" \t\r\n", text[at]) >= 0 {
			all, start = append(all, text[start:next]), next
		}
	}
}

// differing returns the documents of both versions of a file that differ in lines that may matter.
func differing(old, now []byte) (before, after [][]byte) {
	olds, news := documents(old), documents(now)
	if len(olds) != len(news) {
		for len(olds) > 0 && len(news) > 0 && bytes.Equal(olds[0], news[0]) {
			olds, news = olds[1:], news[1:]
		}
		return relevant(olds), relevant(news)
	}
	for i := range olds {
		if differ(olds[i], news[i]) {
			before, after = append(before, olds[i]), append(after, news[i])
		}
	}
	return before, after
}

// relevant returns the documents that may have an object of a kind in the tables.
func relevant(documents [][]byte) (some [][]byte) {
	for _, d := range documents {
		if len(wordsOf(d)) > 0 {
			some = append(some, d)
		}
	}
	return some
}

// differ reports whether two versions of a document differ in a relevant line: one that has, or is indented
// below, a word from the tables of its kind. It takes any difference for relevant if the indentation does not
// say what is below what, as between braces.
func differ(old, now []byte) bool {
	if bytes.Equal(old, now) {
		return false
	}
	start, most := 0, min(len(old), len(now))
	for start < most && old[start] == now[start] {
		start++
	}
	end := 0
	for end < most-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	return touches(old, start, len(old)-end) || touches(now, start, len(now)-end)
}

// touches reports whether the lines of a document from one position to another are relevant.
func touches(text []byte, from, to int) bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return false
	}
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if i := bytes.IndexByte(text[to:], '\n'); i >= 0 {
		to += i
	} else {
		to = len(text)
	}
	has := func(line []byte) bool {
		return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(line, []byte(word)) })
	}
	for _, sign := range []string{"{\n", "[\n", ",\n", "&"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	if has(text[from:to]) {
		return true
	}
	depth := depthOf(text[from:])
	for from > 0 {
		start := bytes.LastIndexByte(text[:from-1], '\n') + 1
		if line := text[start:from]; len(bytes.TrimSpace(line)) > 0 && depthOf(line) < depth {
			if depth = depthOf(line); has(line) {
				return true
			}
		}
		from = start
	}
	return false
}

// depthOf says how deep a line is. An element of a list is deeper than its key, which may have the same
// indentation.
func depthOf(line []byte) int {
	indentation := len(line) - len(bytes.TrimLeft(line, " "))
	if bytes.HasPrefix(line[indentation:], []byte("-")) {
		return 2*indentation + 1
	}
	return 2 * indentation
}

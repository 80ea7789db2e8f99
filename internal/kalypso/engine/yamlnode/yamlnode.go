// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package yamlnode reads YAML node by node, in its written form: the documents of a text,
// and the content of mappings. The YAML library decodes in time and memory that grow with
// the square of the keys of a mapping. This package reads every mapping once, however often
// aliases and merge keys name it.
package yamlnode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"go.yaml.in/yaml/v3"
)

// Documents returns the documents of a text, up to the first invalid one. Errors: the reason
// why this document is not valid.
func Documents(text []byte) (documents []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		document := new(yaml.Node)
		err := decode(decoder.Decode, document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, err
		}
		documents = append(documents, document)
	}
}

// Check returns an error if the library does not accept a document: a duplicate key, an
// alias that expands to too much, or an alias to a node that contains the alias.
func Check(document *yaml.Node) error {
	var content any
	return decode(document.Decode, &content)
}

// decode calls the library, which panics in a state that it does not know.
func decode(with func(any) error, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML parser gave up: %v", r)
		}
	}()
	return with(into)
}

// Resolve returns the content of a document, the node of an alias, or any other node
// unchanged.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && (n.Kind == yaml.AliasNode || n.Kind == yaml.DocumentNode) {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		} else {
			n = n.Content[0]
		}
	}
	return n
}

// Own returns the keys of a mapping with their values, in order, without those that the
// mapping merges; none for other nodes. Keys and values are resolved.
func Own(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		mapping := Resolve(mapping)
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			key := Resolve(mapping.Content[i])
			if !isMerge(key) && !yield(key, Resolve(mapping.Content[i+1])) {
				return
			}
		}
	}
}

// Merged returns the nodes that the merge keys (<<) of a mapping name, which should be
// mappings: each once, and the elements of lists instead of the lists.
func Merged(mapping *yaml.Node) (all []*yaml.Node) {
	mapping = Resolve(mapping)
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	var seen map[*yaml.Node]bool
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if !isMerge(Resolve(mapping.Content[i])) {
			continue
		}
		if seen == nil {
			seen = map[*yaml.Node]bool{}
		}
		all = appendMerged(all, Resolve(mapping.Content[i+1]), seen)
	}
	return all
}

func appendMerged(all []*yaml.Node, from *yaml.Node, seen map[*yaml.Node]bool) []*yaml.Node {
	if seen[from] {
		return all
	}
	if seen[from] = true; from.Kind != yaml.SequenceNode {
		return append(all, from)
	}
	for _, element := range from.Content {
		all = appendMerged(all, Resolve(element), seen)
	}
	return all
}

func isMerge(key *yaml.Node) bool { return key.Value == "<<" && key.ShortTag() == "!!merge" }

// Entries returns the keys of a mapping with their values: its own keys, then those that it
// merges. If a key occurs several times, the first one counts.
func Entries(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) { walk(mapping, map[*yaml.Node]bool{}, yield) }
}

// walk yields the entries of a mapping that seen does not contain: mappings may merge each
// other in circles. It reports whether to continue.
func walk(mapping *yaml.Node, seen map[*yaml.Node]bool, yield func(key, value *yaml.Node) bool) bool {
	for key, value := range Own(mapping) {
		if !yield(key, value) {
			return false
		}
	}
	for _, from := range Merged(mapping) {
		if seen[from] {
			continue
		}
		if seen[from] = true; !walk(from, seen, yield) {
			return false
		}
	}
	return true
}

// Entry is a key of a mapping with its value.
type Entry struct{ Key, Value *yaml.Node }

// Fields returns the entries of a mapping that count. The mapping itself must not have a key
// twice.
func Fields(mapping *yaml.Node) (fields []Entry) {
	for key, value := range Own(mapping) {
		fields = append(fields, Entry{key, value})
	}
	if len(Merged(mapping)) == 0 {
		return fields
	}
	fields, known := fields[:0], map[string]bool{}
	for key, value := range Entries(mapping) {
		if !known[key.Value] {
			fields = append(fields, Entry{key, value})
		}
		known[key.Value] = true
	}
	return fields
}

// IsNull reports whether a node is a null.
func IsNull(n *yaml.Node) bool {
	n = Resolve(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// At returns the node at a path of keys below a node; nil if the node does not exist.
func At(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		_, n = Field(n, name)
	}
	return Resolve(n)
}

// Text returns the text at a path of keys below a node, as the library decodes it. It
// returns "" if the node is not a text.
func Text(n *yaml.Node, path ...string) string {
	var value any
	if n = At(n, path...); n == nil || n.Kind != yaml.ScalarNode || n.Decode(&value) != nil {
		return ""
	}
	text, _ := value.(string)
	return text
}

// Field returns a key of a mapping with its value; nil if the key does not exist.
func Field(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for key, value := range Entries(mapping) {
		if key.Kind == yaml.ScalarNode && key.Value == name {
			return key, value
		}
	}
	return nil, nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package output reads what templates render: which Kubernetes objects are in it.
package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
)

// Identity is what identifies a Kubernetes object; a part that is missing, or no text,
// is empty.
type Identity struct {
	APIVersion, Kind, Namespace, Name string
	// Resource is the kind with its group, as in Deployment.apps: Kubernetes serves one
	// object under all versions.
	Resource string
	// PlainSecret reports whether it is a Secret with values that are not encrypted.
	PlainSecret bool
	// Verdict is what is wrong with it by the schema of its kind; nil where nothing is.
	Verdict *apischema.Faults
}

// contents are the documents of a YAML stream with the objects that are in them.
type contents struct {
	documents []*yaml.Node
	objects   []Identity
	// watched is what the verdicts about the objects depend on.
	watched []watched
}

// watched is a node that a verdict depends on, and the schema of other scalars with which
// it would be the same; nil where there are none.
type watched struct {
	node   *yaml.Node
	schema *apischema.Value
}

// parse returns the contents of a YAML stream; a document that is no mapping is an object
// without anything. Items of a List count as objects. Objects are checked by schemas,
// where there are any. Errors: text that is not valid YAML, duplicate keys included.
func parse(text []byte, schemas *apischema.Schemas) (c *contents, err error) {
	defer func() {
		// The library panics where it finds itself in a state that it does not know.
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML parser gave up: %v", r)
		}
	}()
	if tooLarge(text) {
		return nil, ErrTooLarge
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	c = &contents{}
	for {
		document := new(yaml.Node)
		switch err := decoder.Decode(document); {
		case errors.Is(err, io.EOF):
			return c, nil
		case err != nil:
			return nil, err
		}
		c.documents = append(c.documents, document)
		before := len(c.objects)
		if c.objects, err = appendDocument(c.objects, document); err != nil {
			return nil, err
		}
		if schemas != nil {
			c.check(c.objects[before:], document, schemas)
		}
	}
}

// maxValues is about how many values a text may hold to be read: each takes some hundred
// bytes of memory.
const maxValues = 500_000

// ErrTooLarge says that a text holds too many values to be read.
var ErrTooLarge = fmt.Errorf("it holds more than %d values", maxValues)

// tooLarge reports whether a text may hold too many values, by what stands between them.
func tooLarge(text []byte) bool {
	marks := 0
	for _, c := range text {
		switch c {
		case ',', '\n', '[', '{', ':', '-', '?':
			marks++
		}
	}
	return marks > maxValues
}

// check checks the objects of a document by their schemas.
func (c *contents) check(objects []Identity, document *yaml.Node, schemas *apischema.Schemas) {
	watch := func(n *yaml.Node, v *apischema.Value) { c.watched = append(c.watched, watched{n, v}) }
	nodes := apischema.Objects(document)
	if len(nodes) != len(objects) {
		return // something odd, as a kind in base64
	}
	for i, n := range nodes {
		o := &objects[i]
		if schema := schemas.Of(o.APIVersion, o.Kind); schema != nil {
			o.Verdict = schema.Check(n, watch)
		}
	}
}

// appendDocument adds the objects of a document; nothing is in one that is null.
func appendDocument(objects []Identity, document *yaml.Node) ([]Identity, error) {
	var content any
	if err := document.Decode(&content); err != nil || content == nil {
		return objects, err
	}
	return appendObjects(objects, content), nil
}

// appendObjects adds the object that the content of a document is, or its items.
func appendObjects(objects []Identity, document any) []Identity {
	o := Identity{APIVersion: textAt(document, "apiVersion"), Kind: textAt(document, "kind")}
	o.Resource = o.Kind
	if group, _, found := strings.Cut(o.APIVersion, "/"); found && group != "" {
		o.Resource += "." + group
	}
	metadata := valueAt(document, "metadata")
	o.Name, o.Namespace = textAt(metadata, "name"), textAt(metadata, "namespace")
	if items, isList := valueAt(document, "items").([]any); isList && apischema.IsList(o.Kind) {
		for _, item := range items {
			objects = appendObjects(objects, item)
		}
		return objects
	}
	o.PlainSecret = isPlainSecret(o, document)
	return append(objects, o)
}

// isPlainSecret reports whether the document is a Secret whose values can be read:
// not one that SOPS has encrypted, and not an empty one.
func isPlainSecret(o Identity, document any) bool {
	if o.Kind != "Secret" || o.APIVersion != "v1" || valueAt(document, "sops") != nil {
		return false
	}
	for _, field := range []string{"data", "stringData"} {
		switch values := valueAt(document, field).(type) {
		case map[string]any:
			if len(values) > 0 {
				return true
			}
		case map[any]any:
			if len(values) > 0 {
				return true
			}
		}
	}
	return false
}

// valueAt returns the value of a key where the value around it is a mapping.
func valueAt(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[key]
	case map[any]any:
		return v[key]
	}
	return nil
}

func textAt(v any, key string) string {
	text, _ := valueAt(v, key).(string) // anything else counts as missing
	return text
}

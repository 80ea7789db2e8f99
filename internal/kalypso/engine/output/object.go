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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
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
func parse(text []byte, schemas *apischema.Schemas) (*contents, error) {
	if tooLarge(text) {
		return nil, ErrTooLarge
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	c := &contents{}
	for {
		document, err := yamlnode.Next(decoder)
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err == nil {
			err = yamlnode.Check(document)
		}
		if err != nil {
			return nil, err
		}
		c.documents = append(c.documents, document)
		for _, n := range apischema.Objects(document) {
			o := identityOf(n)
			if schemas != nil {
				c.check(&o, n, schemas)
			}
			c.objects = append(c.objects, o)
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

// check checks an object by the schema of its kind.
func (c *contents) check(o *Identity, n *yaml.Node, schemas *apischema.Schemas) {
	if schema := schemas.Of(o.APIVersion, o.Kind); schema != nil {
		o.Verdict = schema.Check(n, func(n *yaml.Node, v *apischema.Value) { c.watched = append(c.watched, watched{n, v}) })
	}
}

// identityOf returns what identifies an object.
func identityOf(n *yaml.Node) Identity {
	o := Identity{
		APIVersion: yamlnode.Text(n, "apiVersion"), Kind: yamlnode.Text(n, "kind"),
		Name: yamlnode.Text(n, "metadata", "name"), Namespace: yamlnode.Text(n, "metadata", "namespace"),
	}
	o.Resource = o.Kind
	if group, _, found := strings.Cut(o.APIVersion, "/"); found && group != "" {
		o.Resource += "." + group
	}
	o.PlainSecret = isPlainSecret(o, n)
	return o
}

// isPlainSecret reports whether the object is a Secret whose values can be read:
// not one that SOPS has encrypted, and not an empty one.
func isPlainSecret(o Identity, n *yaml.Node) bool {
	if o.Kind != "Secret" || o.APIVersion != "v1" {
		return false
	}
	if sops := yamlnode.At(n, "sops"); sops != nil && sops.ShortTag() != "!!null" {
		return false
	}
	return len(yamlnode.Fields(yamlnode.At(n, "data"))) > 0 || len(yamlnode.Fields(yamlnode.At(n, "stringData"))) > 0
}

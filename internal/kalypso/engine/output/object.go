// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package output reads which Kubernetes objects the output of templates contains.
package output

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Identity identifies a Kubernetes object. A part that is missing, or not a text, is empty.
type Identity struct {
	APIVersion, Kind, Namespace, Name string
	// Resource is the kind with its group, such as Deployment.apps. It has no version,
	// because Kubernetes serves one object under all versions.
	Resource string
	// PlainSecret reports whether the object is a Secret with values that are not encrypted.
	PlainSecret bool
	// Faults are the reasons for which a cluster refuses the object.
	Faults []apischema.Fault
}

// Read returns the objects of a YAML stream. A document that is not a mapping is an object
// with an empty identity. The items of a List count as objects. Schemas check the objects,
// unless they are nil. Errors: text that is not valid YAML, or has duplicate keys;
// ErrTooLarge.
func Read(text []byte, schemas *apischema.Schemas) ([]Identity, error) {
	if tooLarge(text) {
		return nil, ErrTooLarge
	}
	documents, invalid := yamlnode.Documents(text)
	var objects []Identity
	for _, document := range documents {
		if err := yamlnode.Check(document); err != nil {
			return nil, err
		}
		for _, n := range apischema.Objects(document) {
			objects = append(objects, identityOf(n, schemas))
		}
	}
	if invalid != nil {
		return nil, invalid
	}
	return objects, nil
}

// maxValues is about how many values a text that is read may contain: each value takes some
// hundred bytes of memory.
const maxValues = 500_000

// ErrTooLarge reports a text with too many values.
var ErrTooLarge = fmt.Errorf("the text has more than %d values", maxValues)

// tooLarge reports whether a text may contain too many values. It counts the separators
// between values.
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

// identityOf returns the identity of an object, and the faults that its schema finds.
func identityOf(n *yaml.Node, schemas *apischema.Schemas) Identity {
	o := Identity{
		APIVersion: yamlnode.Text(n, "apiVersion"), Kind: yamlnode.Text(n, "kind"),
		Name: yamlnode.Text(n, "metadata", "name"), Namespace: yamlnode.Text(n, "metadata", "namespace"),
	}
	o.Resource = resourceOf(o.APIVersion, o.Kind)
	o.PlainSecret = isPlainSecret(o, n)
	if schemas != nil {
		o.Faults = schemas.Check(n)
	}
	return o
}

func resourceOf(apiVersion, kind string) string {
	if group, _, found := strings.Cut(apiVersion, "/"); found && group != "" {
		return kind + "." + group
	}
	return kind
}

// isPlainSecret reports whether the values of a Secret can be read: the Secret is not empty,
// and SOPS has not encrypted it.
func isPlainSecret(o Identity, n *yaml.Node) bool {
	if o.Kind != "Secret" || o.APIVersion != "v1" {
		return false
	}
	if sops := yamlnode.At(n, "sops"); sops != nil && sops.ShortTag() != "!!null" {
		return false
	}
	return len(yamlnode.Fields(yamlnode.At(n, "data"))) > 0 || len(yamlnode.Fields(yamlnode.At(n, "stringData"))) > 0
}

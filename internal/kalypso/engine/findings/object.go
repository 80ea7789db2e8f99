// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// object is what identifies a Kubernetes object in rendered output; a part that
// is missing, or no text, is empty.
type object struct {
	apiVersion, kind, namespace, name string
	// plainSecret reports whether it is a Secret with values that are not encrypted.
	plainSecret bool
}

// objectsOf returns the objects of a YAML stream, until the next call; a document
// that is no mapping is an object without anything. Items of a List count as
// objects. Errors: text that is not valid YAML, duplicate keys included.
func (s *scanner) objectsOf(text []byte) ([]object, error) {
	if objects, ok := s.scan(text); ok {
		return objects, nil
	}
	return parseObjects(text)
}

// parseObjects is objectsOf by the YAML library.
func parseObjects(text []byte) (objects []object, err error) {
	defer func() {
		// The library panics where it finds itself in a state that it does not know.
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML parser gave up: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return objects, err
		case document != nil:
			objects = appendObjects(objects, document)
		}
	}
}

// appendObjects adds the object that a document holds, or its items.
func appendObjects(objects []object, document any) []object {
	o := object{apiVersion: textAt(document, "apiVersion"), kind: textAt(document, "kind")}
	metadata := valueAt(document, "metadata")
	o.name, o.namespace = textAt(metadata, "name"), textAt(metadata, "namespace")
	if items, isList := valueAt(document, "items").([]any); isList && strings.HasSuffix(o.kind, "List") {
		for _, item := range items {
			objects = appendObjects(objects, item)
		}
		return objects
	}
	o.plainSecret = isPlainSecret(o, document)
	return append(objects, o)
}

// isPlainSecret reports whether the document is a Secret whose values can be read:
// not one that SOPS has encrypted, and not an empty one.
func isPlainSecret(o object, document any) bool {
	if o.kind != "Secret" || o.apiVersion != "v1" || valueAt(document, "sops") != nil {
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

// missing names what an object lacks to be one of Kubernetes; empty where it has
// all. A kustomization is a file that only looks like an object.
func (o object) missing() string {
	if o.apiVersion != "" && o.kind != "" && o.name != "" {
		return ""
	}
	var fields []string
	if o.apiVersion == "" {
		fields = append(fields, "apiVersion")
	}
	if o.kind == "" {
		fields = append(fields, "kind")
	}
	if o.name == "" && !strings.HasPrefix(o.apiVersion, "kustomize.config.k8s.io/") {
		fields = append(fields, "metadata.name")
	}
	return strings.Join(fields, " and ")
}

// identity is what no two objects of a cluster share: Kubernetes serves one
// object under all versions of its group.
type identity struct{ group, kind, namespace, name string }

func (o object) identity() identity {
	group, _, found := strings.Cut(o.apiVersion, "/")
	if !found {
		group = ""
	}
	return identity{group, o.kind, o.namespace, o.name}
}

// String names the object for a message.
func (i identity) String() string {
	name := i.name
	if i.namespace != "" {
		name = i.namespace + "/" + name
	}
	kind := i.kind
	if i.group != "" {
		kind += "." + i.group
	}
	return kind + " " + name
}

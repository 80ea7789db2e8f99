// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxFile is how many bytes of a file are read; Kubernetes takes no larger object.
const MaxFile = 1 << 20

// object is a Kubernetes object of a file, as far as it says what it is.
type object struct {
	header
	file string
	node *yaml.Node
}

type header struct {
	APIVersion text `yaml:"apiVersion"`
	Kind       text `yaml:"kind"`
	Metadata   struct {
		Name      text `yaml:"name"`
		Namespace text `yaml:"namespace"`
	} `yaml:"metadata"`
}

// text is a scalar as it is written, whatever its type; empty for anything else. A
// template that has forgotten quotes around 1.10 means 1.10.
type text string

// UnmarshalYAML reads a scalar.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = text(n.Value)
	}
	return nil
}

// is reports whether the object is of a kind of an API group, whatever its version.
func (o object) is(group, kind string) bool {
	of, _, versioned := strings.Cut(string(o.APIVersion), "/")
	if !versioned {
		of = "" // the core group
	}
	return of == group && string(o.Kind) == kind
}

// decode reads the object into a struct, as far as that has fields for it.
func (o object) decode(into any) error { return decode(o.node, into) }

// decode decodes a node. Errors: it has something else where the struct has a field.
func decode(n *yaml.Node, into any) (err error) {
	defer recovered(&err)
	return n.Decode(into)
}

// recovered makes an error of a panic: the library panics where it finds itself in a state
// that it does not know.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the YAML parser gave up: %v", r)
	}
}

// objectsOf returns the objects of a file, those that a List holds as well as those of
// documents. What is no object is left out. Errors: it is no YAML.
func objectsOf(file string, content []byte) (objects []object, err error) {
	defer recovered(&err)
	if len(content) > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		document := new(yaml.Node)
		switch err := decoder.Decode(document); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("no YAML%s", place(err))
		}
		found, err := withItems(file, document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

// withItems returns the object of a document, or where it is a List, those that it holds.
func withItems(file string, document *yaml.Node) ([]object, error) {
	o := object{file: file, node: document}
	if err := decode(document, &o.header); err != nil {
		if document.Kind == yaml.DocumentNode && len(document.Content) == 1 && document.Content[0].Kind != yaml.MappingNode {
			return nil, nil // a text or a list
		}
		return nil, fmt.Errorf("no Kubernetes object%s", place(err))
	}
	if o.Kind != "List" {
		return []object{o}, nil
	}
	var list struct{ Items []yaml.Node }
	if err := o.decode(&list); err != nil {
		return nil, fmt.Errorf("a List without items%s", place(err))
	}
	var items []object
	for i := range list.Items {
		item := object{file: file, node: &list.Items[i]}
		if decode(item.node, &item.header) == nil {
			items = append(items, item)
		}
	}
	return items, nil
}

var lineOf = regexp.MustCompile(`\bline (\d+)\b`)

// place says where an error of the YAML library is. Its words may quote what stands there,
// which may be a credential.
func place(err error) string {
	if at := lineOf.FindStringSubmatch(err.Error()); at != nil {
		return " (line " + at[1] + ")"
	}
	return ""
}

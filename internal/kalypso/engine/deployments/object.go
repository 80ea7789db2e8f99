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

// Bounds of what is read: bytes of a file, as Kubernetes takes no larger object, files of a
// package, and objects of all of them.
const (
	MaxFile    = 1 << 20
	MaxFiles   = 100
	maxObjects = 500
)

// object is a Kubernetes object of a file.
type object struct {
	file                  string
	node                  *yaml.Node
	apiVersion, kind      string
	name, objectNamespace string
}

func newObject(file string, n *yaml.Node) object {
	return object{
		file: file, node: n, apiVersion: textOf(at(n, "apiVersion")), kind: textOf(at(n, "kind")),
		name: textOf(at(n, "metadata", "name")), objectNamespace: textOf(at(n, "metadata", "namespace")),
	}
}

// is reports whether the object is of a kind of an API group, whatever its version.
func (o object) is(group, kind string) bool {
	of, _, versioned := strings.Cut(o.apiVersion, "/")
	if !versioned {
		of = "" // the core group
	}
	return of == group && o.kind == kind
}

// at returns what stands at a path of keys of the object; nil for nothing.
func (o object) at(path ...string) *yaml.Node { return at(o.node, path...) }

// text returns the text there; empty for none.
func (o object) text(path ...string) string { return textOf(o.at(path...)) }

// objectsOf returns the objects of a file, those that a List holds as well as those of
// documents. What is no object is left out. Errors: it is no YAML, or too much.
func objectsOf(file string, content []byte) (objects []object, err error) {
	defer func() {
		// The library panics where it finds itself in a state that it does not know.
		if r := recover(); r != nil {
			err = errors.New("no YAML")
		}
	}()
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
		objects = append(objects, withItems(file, resolved(document))...)
		if len(objects) > maxObjects {
			return nil, fmt.Errorf("more than %d objects", maxObjects)
		}
	}
}

// withItems returns the object of a document, or where it is a List, those that it holds,
// each once.
func withItems(file string, document *yaml.Node) []object {
	if document.Kind != yaml.MappingNode {
		return nil // a text or a list
	}
	o := newObject(file, document)
	if o.kind != "List" {
		return []object{o}
	}
	items := o.at("items")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil
	}
	var all []object
	seen := map[*yaml.Node]bool{} // an alias says nothing new
	for _, item := range items.Content {
		if item = resolved(item); item.Kind == yaml.MappingNode && !seen[item] && len(all) <= maxObjects {
			seen[item] = true
			all = append(all, newObject(file, item))
		}
	}
	return all
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

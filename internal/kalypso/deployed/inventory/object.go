// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// MaxFile is how many bytes of a file are read, because Kubernetes takes no larger object.
const MaxFile = 1 << 20

// object is a Kubernetes object of a file.
type object struct {
	file                  string
	node                  *yaml.Node
	apiVersion, kind      string
	name, objectNamespace string
}

func newObject(file string, n *yaml.Node) object {
	return object{
		file: file, node: n, apiVersion: textAt(n, "apiVersion"), kind: textAt(n, "kind"),
		name: textAt(n, "metadata", "name"), objectNamespace: textAt(n, "metadata", "namespace"),
	}
}

// is reports whether the object has a kind of an API group, in any version.
func (o object) is(group, kind string) bool {
	of, _, versioned := strings.Cut(o.apiVersion, "/")
	if !versioned {
		of = "" // the core group
	}
	return of == group && o.kind == kind
}

func (o object) at(path ...string) *yaml.Node { return yamlnode.At(o.node, path...) }

func (o object) text(path ...string) string { return textAt(o.node, path...) }

// objectsOf returns the objects of a file: those in its documents, and those in a List. It
// leaves out everything that is not an object. Errors: the file is not YAML.
func objectsOf(file string, content []byte) (objects []object, err error) {
	documents, err := yamlnode.Documents(content)
	if err != nil {
		return nil, fmt.Errorf("not valid YAML%s", lineOf(err))
	}
	for _, document := range documents {
		objects = append(objects, withItems(file, yamlnode.Resolve(document))...)
	}
	return objects, nil
}

// elements returns the elements of a sequence; nil for other nodes.
func elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// withItems returns the object of a document, or the objects in a List.
func withItems(file string, document *yaml.Node) []object {
	if document.Kind != yaml.MappingNode {
		return nil // a text or a list
	}
	o := newObject(file, document)
	if o.kind != "List" {
		return []object{o}
	}
	var all []object
	for _, item := range elements(o.at("items")) {
		if item = yamlnode.Resolve(item); item.Kind == yaml.MappingNode {
			all = append(all, newObject(file, item))
		}
	}
	return all
}

var errorLine = regexp.MustCompile(`\bline (\d+)\b`)

// lineOf returns the line of an error of the YAML library. It drops the text of the error,
// which may quote a credential.
func lineOf(err error) string {
	if at := errorLine.FindStringSubmatch(err.Error()); at != nil {
		return " (line " + at[1] + ")"
	}
	return ""
}

// textAt returns the scalar at a path of keys in its written form, whatever its type: a
// template without quotes around 1.10 means 1.10. The text is one line without invisible
// characters. It returns "" for anything else.
func textAt(n *yaml.Node, path ...string) string {
	if n = yamlnode.At(n, path...); n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return wording.Line(n.Value)
}

// textsOf returns a mapping of texts; empty for null. Errors: the node or a value has another type.
func textsOf(n *yaml.Node) (map[string]string, error) {
	texts := map[string]string{}
	if n == nil || n.Tag == "!!null" {
		return texts, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("not a mapping (line %d)", n.Line)
	}
	for _, e := range yamlnode.Fields(n) {
		if e.Value.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("a value that is not a text (line %d)", e.Key.Line)
		}
		if texts[e.Key.Value] = e.Value.Value; e.Value.Tag == "!!null" {
			texts[e.Key.Value] = ""
		}
	}
	return texts, nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// items returns the objects that a document holds as documents: the items of a List,
// as Kubernetes takes them, or the document itself. An item of a typed list, such as
// a ConfigMapList, may do without apiVersion and kind.
func (d *document) items() []*document {
	kind, apiVersion := scalarAt(d.root, "kind"), scalarAt(d.root, "apiVersion")
	list := yamlnode.At(d.root, "items")
	isList := strings.HasSuffix(kind, listSuffix) && (apiVersion == coreVersion || apiVersion == "" || isKalypso(apiVersion) ||
		isOCM(apiVersion))
	if !isList || list == nil || list.Kind != yaml.SequenceNode || !d.inList && d.unbounded() != nil {
		return []*document{d}
	}
	var all []*document
	for _, content := range list.Content {
		item := &document{input: d.input, part: d.part, inList: true, root: yamlnode.Resolve(content)}
		if of := strings.TrimSuffix(kind, listSuffix); of != "" {
			item.root = withKind(item.root, apiVersion, of)
		}
		all = append(all, item.items()...)
	}
	return all
}

// listSuffix ends the kinds of lists.
const listSuffix = "List"

// withKind returns an object with apiVersion and kind if it has no kind.
func withKind(n *yaml.Node, apiVersion, kind string) *yaml.Node {
	if n.Kind != yaml.MappingNode || yamlnode.At(n, "kind") != nil {
		return n
	}
	object := *n
	object.Content = slices.Clone(n.Content)
	for _, field := range []struct{ key, value string }{{"kind", kind}, {"apiVersion", apiVersion}} {
		if yamlnode.At(n, field.key) == nil && field.value != "" {
			object.Content = append(object.Content, scalarNode(n, field.key), scalarNode(n, field.value))
		}
	}
	return &object
}

// scalarNode returns a text as a node with the position of another node.
func scalarNode(at *yaml.Node, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: stringTag, Value: value, Line: at.Line, Column: at.Column}
}

// scalarAt returns the scalar at a path of keys; empty if there is none.
func scalarAt(mapping *yaml.Node, path ...string) string {
	n := yamlnode.At(mapping, path...)
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// alone returns a part that holds the document and nothing else. An item of a list, and
// one of several documents, is written anew, without comments and anchors.
func (d *document) alone() part {
	if !d.inList && !d.shares {
		return d.part
	}
	text, err := yaml.Marshal(d.block(d.root, ""))
	if err != nil {
		return d.part // cannot be: what was decoded can be written
	}
	return part{text: string(text), offset: d.part.offset + max(d.root.Line, 1) - 1}
}

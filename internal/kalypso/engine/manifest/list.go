// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// listKind is the kind of a list of objects, as kubectl prints it.
const listKind = "List"

// items returns the objects that a document holds as documents: the items of a List, or the
// document itself.
func (d *document) items() []*document {
	list := yamlnode.At(d.root, "items")
	if scalarAt(d.root, "kind") != listKind || list == nil || list.Kind != yaml.SequenceNode || !d.inList && d.unbounded() != nil {
		return []*document{d}
	}
	var all []*document
	for _, item := range list.Content {
		all = append(all, (&document{input: d.input, part: d.part, inList: true, root: yamlnode.Resolve(item)}).items()...)
	}
	return all
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

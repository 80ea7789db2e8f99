// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"maps"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// WithLabel returns the document of a workload with one more label, which takes
// the place of one of the same key. The rest of the text stays as it is where
// the document is laid out as documents are; otherwise it is written anew.
func (d Document) WithLabel(key, value string) Document {
	w, ok := d.Object.(*Workload)
	if !ok {
		return d
	}
	labelled := *w
	labelled.Labels = map[string]string{}
	maps.Copy(labelled.Labels, w.Labels)
	labelled.Labels[key] = value

	text := d.textWithLabel(key, value)
	if !holds(text, &labelled) {
		return d.anew(&labelled)
	}
	d.Object, d.part.text = &labelled, text
	return d
}

// anew returns the document with another object, written anew.
func (d Document) anew(o Object) Document {
	text := Encode(o)
	if d.part.offset > 0 {
		text = "---\n" + text
	}
	if d.part.ends() {
		text += documentEnd + "\n"
	}
	d.Object, d.part.text = o, text
	return d
}

// holds reports whether the text is a document of just that workload.
func holds(text string, want *Workload) bool {
	objects, err := Decode([]Text{{Text: text}})
	workloads := Of[*Workload](objects)
	if err != nil || len(objects) != 1 || len(workloads) != 1 {
		return false
	}
	got := *workloads[0]
	got.Source = want.Source
	return reflect.DeepEqual(&got, want)
}

// textWithLabel puts the label before the first one of the document or, if it
// has no labels, them before the first field of metadata: on a line of its own,
// or behind the opening brace. What it returns for a document that is written in
// another way is of no use.
func (d Document) textWithLabel(key, value string) string {
	label := strconv.Quote(key) + ": " + strconv.Quote(value)
	roots, err := parse(d.part.text)
	if err != nil || len(roots) != 1 {
		return ""
	}
	metadata := yamlnode.At(roots[0], "metadata")
	mapping := yamlnode.At(metadata, "labels")
	if mapping == nil {
		mapping, label = metadata, `"labels": {`+label+"}"
	}
	switch {
	case mapping == nil:
		return ""
	case mapping.Style&yaml.FlowStyle != 0:
		return insert(d.part.text, mapping.Line, mapping.Column, label+", ")
	case len(mapping.Content) > 0:
		first := mapping.Content[0]
		return insert(d.part.text, first.Line, first.Column-1, label+"\n"+strings.Repeat(" ", first.Column-1))
	}
	return ""
}

// insert puts a piece into a text, behind a column of a line.
func insert(text string, line, column int, piece string) string {
	lines := strings.SplitAfter(text, "\n")
	if line > len(lines) || column > len(lines[line-1]) {
		return ""
	}
	lines[line-1] = lines[line-1][:column] + piece + lines[line-1][column:]
	return strings.Join(lines, "")
}

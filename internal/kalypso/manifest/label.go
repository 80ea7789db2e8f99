// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"maps"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// WithLabel gives the document of a workload with one more label, which takes
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
		text = "---\n" + Encode(&labelled)
		if d.part.ends() {
			text += documentEnd + "\n"
		}
	}
	d.Object, d.part.text = &labelled, text
	return d
}

// holds tells whether the text is a document of just that workload.
func holds(text string, want *Workload) bool {
	objects, err := Decode([]Input{{Text: text}})
	if err != nil || len(objects.All()) != 1 || len(objects.Workloads) != 1 {
		return false
	}
	got := *objects.Workloads[0]
	got.Source = want.Source
	return reflect.DeepEqual(&got, want)
}

// textWithLabel puts a line with the label into the text of a document in block
// style, before its first label or, where there are none, before the first field
// of metadata. What it gives for another document is of no use.
func (d Document) textWithLabel(key, value string) string {
	line := key + ": " + strconv.Quote(value)
	metadata := child(d.root, "metadata")
	before := child(metadata, "labels")
	if before == nil || len(before.Content) == 0 {
		before, line = metadata, "labels: {"+line+"}"
	}
	if before == nil || len(before.Content) == 0 {
		return ""
	}
	first := before.Content[0]
	lines := strings.SplitAfter(d.part.text, "\n")
	if first.Line > len(lines) {
		return ""
	}
	above, below := strings.Join(lines[:first.Line-1], ""), strings.Join(lines[first.Line-1:], "")
	return above + strings.Repeat(" ", first.Column-1) + line + "\n" + below
}

// child gives the value of a mapping's key; nil where there is none.
func child(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return resolve(mapping.Content[i+1])
		}
	}
	return nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"maps"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// WithLabel returns the document of a workload with one more label, which takes the place
// of one of the same key. The rest of the text stays as it is if the document has a common
// layout. Otherwise the document is written anew. Other documents stay as they are.
func (d Document) WithLabel(key, value string) Document {
	w, ok := d.Object.(*Workload)
	if !ok {
		return d
	}
	labelled := *w
	labelled.Labels = map[string]string{}
	maps.Copy(labelled.Labels, w.Labels)
	labelled.Labels[key] = value

	text := d.textWithLabel(strconv.Quote(key) + ": " + strconv.Quote(value))
	objects, err := Decode([]Text{{Text: text}})
	if err != nil || len(objects) != 1 || Encode(objects[0]) != Encode(&labelled) {
		return d.anew(&labelled)
	}
	d.Object, d.part.text = &labelled, text
	return d
}

// WithLabel returns an input that is the document of a workload with one more label, as
// Document.WithLabel does. It keeps the first line if this line names a file. Other input stays as
// it is.
func (in Text) WithLabel(key, value string) Text {
	origin, rest := "", in.Text
	if line, after, _ := strings.Cut(in.Text, "\n"); strings.HasPrefix(line, originComment) {
		origin, rest = line+"\n", after
	}
	if all, _, err := Documents(Text{Text: rest}); err == nil && len(all) == 1 {
		in.Text = origin + all[0].WithLabel(key, value).part.text
	}
	return in
}

// anew returns the document with another object, written anew.
func (d Document) anew(o Object) Document {
	text := Encode(o)
	if d.part.offset > 0 {
		text = "---\n" + text
	}
	d.Object, d.part.text = o, text
	return d
}

// textWithLabel returns the text with the label before the first label or, without labels,
// the first field of metadata. The result for another layout is another object, or not YAML.
func (d Document) textWithLabel(label string) string {
	roots, err := parse(d.part.text)
	if err != nil || len(roots) != 1 {
		return ""
	}
	metadata := yamlnode.At(roots[0], "metadata")
	mapping := yamlnode.At(metadata, "labels")
	if mapping == nil {
		mapping, label = metadata, `"labels": {`+label+"}"
	}
	if mapping == nil {
		return ""
	}
	line, column, after := mapping.Line, mapping.Column, ", " // behind the opening brace
	if mapping.Style&yaml.FlowStyle == 0 && len(mapping.Content) > 0 {
		line, column = mapping.Content[0].Line, mapping.Content[0].Column-1
		after = "\n" + strings.Repeat(" ", column)
	}
	lines := strings.SplitAfter(d.part.text, "\n")
	if line > len(lines) || column > len(lines[line-1]) {
		return ""
	}
	lines[line-1] = lines[line-1][:column] + label + after + lines[line-1][column:]
	return strings.Join(lines, "")
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Document is a document of a file that takes part in a fleet.
type Document struct {
	Object Object
	part   part
}

// Documents takes a file apart. It judges as Decode does, leaves out what Decode leaves
// out, and has the same errors. There are two exceptions. A ConfigMap that is not platform
// configuration stays without its data if it has labels, so that findings can say that its label is
// missing. The other is documents that are not Kubernetes objects
// at all, such as the values of a Helm chart: foreign says where these are.
func Documents(in Text) (all []Document, foreign []Origin, err error) {
	in.Text = strings.TrimPrefix(in.Text, "\ufeff")
	var problems problem.List
	for d := range documents(in, &problems) {
		object := d.decode()
		if object == nil && d.foreign {
			foreign = append(foreign, d.at(d.root))
			continue
		}
		problems = append(problems, d.problems...)
		if object == nil {
			continue
		}
		if c, isConfig := object.(*ConfigMap); !isConfig || c.TakesPart() {
			all = append(all, Document{object, d.alone()})
		} else if len(c.Labels) > 0 {
			all = append(all, Document{part: d.part}.anew(&ConfigMap{Meta: c.Meta}))
		}
	}
	return all, foreign, problems.Err()
}

// Excerpt returns the document as a manifest of its own. The first line says where it is
// from: the file, which is the one line of text in where, and the line. Messages about it
// name that place. A check-out on Windows has the same excerpts.
func (d Document) Excerpt(where string) string {
	return fmt.Sprintf("%s%s, line %d\n%s", originComment, where, d.part.offset+1, unixLines(d.part.text))
}

// CheckSize returns why nobody can read the document's excerpt, or nil: written anew, a
// document may be larger than in its file.
func (d Document) CheckSize() error {
	if len(d.part.text) > maxDocument {
		return tooLarge(d.Object.Metadata().Source)
	}
	return nil
}

// OfFile returns the text of a file as a manifest whose first line says so. Messages about
// it name the file, which is one line of text.
func OfFile(file, text string) string {
	return Document{part: part{text: strings.TrimPrefix(text, "\ufeff")}}.Excerpt(file)
}

// originComment begins the first line of a manifest that was read from elsewhere, which says where.
const originComment = "# Source: "

// originLine matches such a line. A line with characters that nobody sees says nothing.
var originLine = regexp.MustCompile(`^` + originComment + `([^\p{C}\p{Zl}\p{Zp}]+?)(?:, line ([1-9][0-9]{0,6}))?\s*$`)

// cutOrigin returns the line that says where a text is from, empty if there is none, and the rest.
func cutOrigin(text string) (line, rest string) {
	if !strings.HasPrefix(text, originComment) {
		return "", text
	}
	end := strings.Index(text+"\n", "\n")
	return text[:end], text[min(end+1, len(text)):]
}

// fromOrigin takes the first line off a text if it says which file the text is an excerpt of.
func (in Text) fromOrigin() Text {
	line, rest := cutOrigin(in.Text)
	if line == "" {
		return in
	}
	in.Text, in.before = rest, 1
	if match := originLine.FindStringSubmatch(line); match != nil {
		first, _ := strconv.Atoi(match[2])
		in.origin, in.before = match[1], max(first, 1)-1
	}
	return in
}

// WithCommit returns the document of the BaseRepo "main" pinned to a commit, written anew if it is not
// so already. Other documents stay as they are.
func (d Document) WithCommit(commit string) Document {
	b, ok := d.Object.(*BaseRepo)
	if !ok || b.Name != MainBaseRepo || b.Commit == commit {
		return d
	}
	pinned := *b
	pinned.Commit = commit
	return d.anew(&pinned)
}

// WithCommit returns an input whose BaseRepo "main" is pinned to a commit. If that changes the input,
// it keeps the place that it was read from and the documents of the fleet, and nothing else. Input
// that does not decode does not change.
func (in Text) WithCommit(commit string) Text {
	origin, rest := cutOrigin(in.Text)
	documents, _, err := Documents(Text{Text: rest})
	texts, changes := make([]string, len(documents)), false
	for i, d := range documents {
		pinned := d.WithCommit(commit)
		texts[i], changes = pinned.part.text, changes || pinned.Object != d.Object
	}
	if err == nil && changes {
		in.Text = strings.TrimPrefix(origin+"\n"+strings.Join(texts, "---\n"), "\n")
	}
	return in
}

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
	mapping := yamlnode.At(roots[0], "metadata", "labels")
	if mapping == nil {
		mapping, label = yamlnode.At(roots[0], "metadata"), `"labels": {`+label+"}"
	}
	if mapping == nil || len(mapping.Content) == 0 {
		return ""
	}
	first := mapping.Content[0]
	lines := strings.SplitAfter(d.part.text, "\n")
	if first.Line > len(lines) || first.Column > len(lines[first.Line-1]) {
		return ""
	}
	line, at, after := &lines[first.Line-1], first.Column-1, ", "
	if mapping.Style&yaml.FlowStyle == 0 {
		after = "\n" + strings.Repeat(" ", at)
	}
	*line = (*line)[:at] + label + after + (*line)[at:]
	return strings.Join(lines, "")
}

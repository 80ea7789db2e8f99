// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
		switch object := object.(type) {
		case nil:
		case *ConfigMap:
			switch {
			case object.TakesPart():
				all = append(all, Document{Object: object, part: d.alone()})
			case len(object.Labels) > 0:
				all = append(all, Document{part: d.part}.anew(&ConfigMap{Meta: object.Meta}))
			}
		case *CustomResourceDefinition: // without its prose, it is half as large
			all = append(all, Document{part: d.part}.anew(object))
		default:
			all = append(all, Document{Object: object, part: d.alone()})
		}
	}
	return all, foreign, problems.Err()
}

// Excerpt returns the document as a manifest of its own. The first line says where it is
// from: the file, which is the one line of text in where, and the line. Messages about it
// name that place. A check-out on Windows has the same excerpts.
func (d Document) Excerpt(where string) string {
	return fmt.Sprintf("%s%s%s%d\n%s", originComment, where, originLine, d.part.offset+1, unixLines(d.part.text))
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

// The first line of a manifest that was read from elsewhere: "# Source: <file>, line <number>".
const (
	originComment = "# Source: "
	originLine    = ", line "
)

// maxOriginLine bounds the line number, which may be written by anybody.
const maxOriginLine = 10_000_000

// fromOrigin takes the first line off a text if it is a comment that says which file the text is
// an excerpt of. One that cannot be a file's name and line says nothing.
func (in Text) fromOrigin() Text {
	first, rest, _ := strings.Cut(in.Text, "\n")
	origin, ok := strings.CutPrefix(first, originComment)
	if !ok {
		return in
	}
	in.Text, in.before = rest, 1
	origin, line := strings.TrimSpace(origin), 1
	if i := strings.LastIndex(origin, originLine); i >= 0 && isDigits(origin[i+len(originLine):]) {
		line, _ = strconv.Atoi(origin[i+len(originLine):]) // of a number that is too large, the largest
		origin = origin[:i]
	}
	if 1 <= line && line <= maxOriginLine && !strings.ContainsFunc(origin, IsHidden) {
		in.origin, in.before = origin, line-1
	}
	return in
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// IsHidden reports whether a reader cannot see a character. It is a control character,
// such as a line break, or a format character, such as one that changes the direction of
// writing.
func IsHidden(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }

// WithCommit returns the document of a BaseRepo that is pinned to a commit, written anew
// if it is not so already. Other documents stay as they are.
func (d Document) WithCommit(commit string) Document {
	if pinned, changed := withCommit(d.Object, commit); changed {
		return d.anew(pinned)
	}
	return d
}

// WithCommits returns an input whose BaseRepos of these names are pinned to these commits.
// If that changes a BaseRepo, the objects of the input are written again without the other
// text of the file, and keep the place that they were read from. Input that does not
// decode does not change.
func (in Text) WithCommits(commits map[string]string) Text {
	objects, err := Decode([]Text{in})
	if err != nil {
		return in
	}
	texts, changes := make([]string, len(objects)), false
	for i, o := range objects {
		if commit, meant := commits[o.Metadata().Name]; meant {
			pinned, changed := withCommit(o, commit)
			o, changes = pinned, changes || changed
		}
		texts[i] = Encode(o)
	}
	if !changes {
		return in
	}
	origin := ""
	if line, _, _ := strings.Cut(in.Text, "\n"); strings.HasPrefix(line, originComment) {
		origin = line + "\n"
	}
	in.Text = origin + strings.Join(texts, "---\n")
	return in
}

// withCommit returns a BaseRepo that is pinned to a commit, and whether it is another one.
func withCommit(o Object, commit string) (Object, bool) {
	b, ok := o.(*BaseRepo)
	if !ok || b.Commit == commit {
		return o, false
	}
	pinned := *b
	pinned.Commit = commit
	return &pinned, true
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

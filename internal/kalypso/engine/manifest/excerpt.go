// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Document is a document of a file that takes part in a fleet.
type Document struct {
	Object Object
	part   part
}

// Documents takes a file apart. It judges as Decode does, leaves out what Decode
// leaves out, and has the same errors, but for documents that are no Kubernetes objects at
// all, as the values of a Helm chart: foreign says where these are.
func Documents(in Input) (all []Document, foreign []Source, err error) {
	in.Text = strings.TrimPrefix(in.Text, "\ufeff")
	var problems problem.List
	for d := range documents(in, &problems) {
		object := d.decode()
		if object == nil && d.foreign {
			foreign = append(foreign, d.at(d.root))
			continue
		}
		problems = append(problems, d.problems...)
		switch object.(type) {
		case nil:
		case *CustomResourceDefinition: // without its prose, it is half as large
			all = append(all, Document{part: d.part}.anew(object))
		default:
			all = append(all, Document{Object: object, part: d.alone()})
		}
	}
	return all, foreign, problems.Err()
}

// Excerpt returns the document as a manifest of its own, with a first line that
// says where it is from: in the file that where names, in one line of text, and
// at which line. Messages about it name that place.
func (d Document) Excerpt(where string) string {
	return fmt.Sprintf("%s%s%s%d\n%s", originComment, where, originLine, d.part.offset+1, d.part.text)
}

// OfFile returns the text of a file as a manifest whose first line says so. Messages about
// it name the file, which is one line of text.
func OfFile(file, text string) string {
	return Document{part: part{text: strings.TrimPrefix(text, "\ufeff")}}.Excerpt(file)
}

// ends reports whether the part's last line is the marker that nothing follows.
func (p part) ends() bool {
	text := strings.TrimSuffix(p.text, "\n")
	return isMarker(text[strings.LastIndexByte(text, '\n')+1:], documentEnd)
}

// documentEnd is the marker that nothing of a document follows.
const documentEnd = "..."

// The first line of a manifest that was read from elsewhere: "# Source: <file>, line <number>".
const (
	originComment = "# Source: "
	originLine    = ", line "
)

// fromOrigin names an input by the place that it is an excerpt of.
func (in Input) fromOrigin() Input {
	first, rest, _ := strings.Cut(in.Text, "\n")
	where, ok := strings.CutPrefix(first, originComment)
	if !ok {
		return in
	}
	in.Text = rest
	where = strings.TrimSpace(where)
	if i := strings.LastIndex(where, originLine); i >= 0 {
		if line, err := strconv.Atoi(where[i+len(originLine):]); err == nil && line > 0 {
			where, in.before = where[:i], line-1
		}
	}
	in.Name += originName + where
	return in
}

// originName stands before the place that an excerpt is from, in the name of an input.
const originName = ", from "

// Origin returns the file that the object was read from, where its text says so; empty
// otherwise.
func (s Source) Origin() string {
	_, origin, _ := strings.Cut(s.Name, originName)
	return origin
}

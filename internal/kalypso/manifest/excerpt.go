// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/problem"
)

// Document is a document of a file that takes part in a fleet.
type Document struct {
	Object Object
	document
}

// Documents takes a file apart. It judges as Decode does, leaves out what Decode
// leaves out, and has the same errors.
func Documents(in Input) ([]Document, error) {
	in.Text = strings.TrimPrefix(in.Text, "\ufeff")
	var all []Document
	var problems problem.List
	for _, d := range documents(in, &problems) {
		if object := d.decode(); object != nil {
			all = append(all, Document{Object: object, document: *d})
		}
		problems = append(problems, d.problems...)
	}
	return all, problems.Err()
}

// Excerpt gives the text of a file with nothing but those of its documents, and
// with a first line that says where it is from. What is left out between them
// becomes empty lines, so that messages name the lines of the file; where is one
// line of text. Decoding the excerpt gives the documents' objects.
func Excerpt(where string, documents []Document) string {
	var b strings.Builder
	b.WriteString(originComment + where + "\n")
	lines, ended := 0, true
	for _, d := range documents {
		if gap := d.part.offset - lines; gap > 0 {
			if !ended {
				// A block scalar before the gap would take empty lines for its own.
				b.WriteString(documentEnd)
			}
			b.WriteString(strings.Repeat("\n", gap))
			lines += gap
		}
		b.WriteString(d.part.text)
		lines += strings.Count(d.part.text, "\n")
		ended = d.part.ends()
	}
	return b.String()
}

// documentEnd is the marker that nothing of a document follows.
const documentEnd = "..."

// ends tells whether the part's last line is that marker.
func (p part) ends() bool {
	text := strings.TrimSuffix(p.text, "\n")
	return isMarker(text[strings.LastIndexByte(text, '\n')+1:], documentEnd)
}

// originComment starts the first line of a manifest that was read from elsewhere.
const originComment = "# Source: "

// fromOrigin names an input by the file that it is an excerpt of.
func (in Input) fromOrigin() Input {
	first, rest, _ := strings.Cut(in.Text, "\n")
	if where, ok := strings.CutPrefix(first, originComment); ok {
		in.Name += ", from " + strings.TrimSpace(where)
		in.Text = rest
	}
	return in
}

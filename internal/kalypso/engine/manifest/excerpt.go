// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Document is a document of a file that takes part in a fleet.
type Document struct {
	Object Object
	part   part
}

// Documents takes a file apart. It judges as Decode does, leaves out what Decode leaves
// out, and has the same errors. The exception is documents that are not Kubernetes objects
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
			if object.takesPart() {
				all = append(all, Document{Object: object, part: d.alone()})
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Objects returns the objects of a file that take part in a fleet. It judges as Decode does, leaves
// out what Decode leaves out, and has the same errors. There are two exceptions. A ConfigMap that is
// not platform configuration stays without its data if it has labels, so that findings can say that its
// label is missing. The other is documents that are not Kubernetes objects at all, such as the values of
// a Helm chart: foreign says where these are.
func Objects(in Text) (all []Object, foreign []Origin, err error) {
	in.Text = strings.TrimPrefix(in.Text, "\ufeff")
	var problems problem.List
	for d := range documents(in, &problems) {
		object := d.decode()
		if object == nil && d.foreign {
			foreign = append(foreign, d.at(d.root))
			continue
		}
		problems = append(problems, d.problems...)
		if c, isConfig := object.(*ConfigMap); isConfig && !c.TakesPart() {
			if object = nil; len(c.Labels) > 0 {
				object = &ConfigMap{Meta: c.Meta}
			}
		}
		if object != nil {
			all = append(all, object)
		}
	}
	return all, foreign, problems.Err()
}

// Excerpt returns an object of a file as a manifest of its own. The first line says where it is from:
// the file, which is the one line of text in where, and the line of the object. Messages about it name
// that place. What does not count in the file, such as a comment, is not in the excerpt.
func Excerpt(o Object, where string) string {
	return fmt.Sprintf("%s%s, line %d\n%s", originComment, where, o.Metadata().Source.Line, Encode(o))
}

// CheckSize returns why nobody can read the excerpt of an object, or nil: with what aliases stand for,
// an object may be larger than in its file.
func CheckSize(o Object) error {
	if len(Encode(o)) > maxDocument {
		return tooLarge(o.Metadata().Source)
	}
	return nil
}

// OfFile returns the text of a file as a manifest whose first line says so. Messages about
// it name the file, which is one line of text, and the line in it.
func OfFile(file, text string) string {
	return originComment + file + "\n" + unixLines(strings.TrimPrefix(text, "\ufeff"))
}

// originComment begins the first line of a manifest that was read from elsewhere, which says where.
const originComment = "# Source: "

// originLine matches such a line. A line with characters that nobody sees says nothing.
var originLine = regexp.MustCompile(`^` + originComment + `([^\p{C}\p{Zl}\p{Zp}]+?)(?:, line ([1-9][0-9]{0,6}))?\s*$`)

// fromOrigin takes the first line off a text if it says which file the text is from.
func (in Text) fromOrigin() Text {
	if !strings.HasPrefix(in.Text, originComment) {
		return in
	}
	line, rest, _ := strings.Cut(in.Text, "\n")
	in.Text, in.before = rest, 1
	if match := originLine.FindStringSubmatch(line); match != nil {
		in.file, in.before = match[1], 0
		in.line, _ = strconv.Atoi(match[2]) // 0 without a line
	}
	return in
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Error is a mistake in a source, or an error in its execution.
type Error struct {
	// Line is a line of the source, counted from 1; 0 if the line is unknown.
	Line int
	// Text is the error in prose. It begins with the place, in lower case, if the place is known.
	Text string
}

// Error returns the text.
func (e Error) Error() string { return e.Text }

// maxExpression is the length of the longest expression that a message quotes.
const maxExpression = 60

// executionError makes an error of text/template into prose. It parses
// `template: name:line:column: executing "name" at <expression>: cause`, and leaves out a long expression.
func (p *Program) executionError(err error) error {
	match := execError.FindStringSubmatch(err.Error())
	if exec := new(template.ExecError); !errors.As(err, exec) || match == nil {
		return Error{Text: err.Error()}
	}
	line, _ := strconv.Atoi(match[1])   // digits, by the expression
	column, _ := strconv.Atoi(match[2]) // counts from 0
	expression, cause := match[3], p.language.readable(match[4])
	if missing := new(missingValue); errors.As(err, missing) {
		expression, cause = missing.expression, missing.Error()
	}
	if label := dottedLabel.FindStringSubmatch(expression); label != nil {
		cause += fmt.Sprintf(". To read a label with a dot in its key, write {{ index .%s %q }}", label[1], label[2])
	}
	where := fmt.Sprintf("line %d, column %d", line, column+1)
	if len(expression) <= maxExpression {
		where += fmt.Sprintf(", in {{ %s }}", expression)
	}
	return Error{line, where + ": " + cause}
}

var execError = regexp.MustCompile(`(?s)^template: ` + regexp.QuoteMeta(mainTemplate) + `:(\d+):(\d+): executing ".*?" at <(.*?)>: (.*)$`)

// dottedLabel matches the reading of a label whose key has a dot, as if the label were a map.
var dottedLabel = regexp.MustCompile(`\.(Labels|ClusterTypeLabels)\.(\w+(?:\.\w+)+)`)

// readable returns a cause that names the fields of the data, if the template reads another one.
func (l *Language) readable(cause string) string {
	cause = strings.NewReplacer("interface {}", "any",
		"runtime error: invalid memory address or nil pointer dereference", "an argument does not exist").Replace(cause)
	if field, ok := strings.CutSuffix(cause, " in type "+l.data); ok {
		if name, ok := strings.CutPrefix(field, "can't evaluate field "); ok {
			meant := ""
			if near := wording.Nearest(name, l.fields); near != "" {
				meant = "Did you mean ." + near + "? "
			}
			last := len(l.fields) - 1
			return fmt.Sprintf(".%s does not exist. %sTemplates can read .%s and .%s", name, meant, strings.Join(l.fields[:last], ", ."),
				l.fields[last])
		}
	}
	return cause
}

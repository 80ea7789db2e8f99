// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// mainTemplate is the name of a source's own template. A {{define}} is unlikely to use it.
const mainTemplate = "(manifest)"

// Program is a parsed template source. It does not change, so executions share it.
type Program struct {
	language *Language
	// functions are those that the source may call.
	functions template.FuncMap
	template  *template.Template
}

// Mutates reports whether the program may call a function that changes its arguments. Then
// executions must not share the data.
func (p *Program) Mutates() bool {
	return slices.ContainsFunc(mutatingFunctions, func(name string) bool { return p.functions[name] != nil })
}

var word = regexp.MustCompile(`[A-Za-z]\w*`)

// Parse parses a source. Errors (an Error): the first mistake in the source.
func (l *Language) Parse(source string) (*Program, error) {
	functions := template.FuncMap{} // a template takes long to make with all functions
	for _, name := range word.FindAllString(source, -1) {
		if function, known := l.functions[name]; known {
			functions[name] = function
		}
	}
	t, err := template.New(mainTemplate).Funcs(functions).Parse(source)
	if err != nil {
		return nil, l.parseError(err)
	}
	return &Program{l, functions, t}, nil
}

var (
	// startedAt matches the line where an unclosed block started, in the words of the parser.
	startedAt = regexp.MustCompile(" started at " + regexp.QuoteMeta(mainTemplate) + `:(\d+)`)
	// undefined matches what the parser says about a function that does not exist.
	undefined = regexp.MustCompile(`^function "(\w+)" not defined$`)
)

// parseError makes an error of the parser, "template: name:line: text", into prose.
func (l *Language) parseError(err error) Error {
	rest, found := strings.CutPrefix(err.Error(), "template: "+mainTemplate+":")
	number, text, hasText := strings.Cut(rest, ": ")
	line, notNumber := strconv.Atoi(number)
	if !found || !hasText || notNumber != nil {
		return Error{Text: err.Error()}
	}
	if match := undefined.FindStringSubmatch(text); match != nil {
		text = l.unknownFunction(match[1])
	}
	if strings.HasPrefix(text, "bad character U+") {
		text += `. To read a label with / or - in its key, write {{ index .Labels "example.com/key" }}`
	}
	return Error{line, fmt.Sprintf("line %d: %s", line, startedAt.ReplaceAllString(text, ", started in line $1"))}
}

// keywords are the words of text/template that begin an action and are not functions.
var keywords = []string{"if", "else", "end", "range", "with", "define", "block", "template", "break", "continue"}

// unknownFunction says why the function does not exist, and suggests a similar word.
func (l *Language) unknownFunction(name string) string {
	if reason, removed := removedFunctions[name]; removed {
		return fmt.Sprintf("the function %s does not exist: it %s, so plan and apply would render different bytes", name, reason)
	}
	text := fmt.Sprintf("the function %s does not exist", name)
	if nearest := wording.Nearest(name, slices.Concat(keywords, slices.Sorted(maps.Keys(l.functions)))); nearest != "" {
		text += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return text
}

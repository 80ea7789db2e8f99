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
	"text/template/parse"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// mainTemplate is the name of a source's own template. A {{define}} is unlikely to use it.
const mainTemplate = "(manifest)"

// Program is a parsed template source with its marks. It does not change, so executions share
// it.
type Program struct {
	language *Language
	source   string
	template *template.Template
	// marks are by the first byte of their texts.
	marks   map[*byte]mark
	mutates bool
}

// Mutates reports whether the program calls a function that changes its arguments. Then
// executions must not share the data.
func (p *Program) Mutates() bool { return p.mutates }

// place names a place in a source: "line 3, column 5". The numbers count from 1. They are 0 if
// they are unknown.
func place(line, column int) string {
	switch {
	case line == 0:
		return "the whole source"
	case column == 0:
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Parse parses a source, or returns all mistakes in it.
func (l *Language) Parse(source string) (*Program, []Error) {
	if len(source) > maxSource {
		return nil, []Error{errorAt(0, 0, fmt.Sprintf("a template of more than %d MiB is refused; split it", maxSource>>20))}
	}
	trees, err := parseTrees(source)
	if err != nil {
		line, text := splitParseError(err)
		return nil, []Error{errorAt(line, columnOf(source, line), startedAt.ReplaceAllString(text, ", started in line $1"))}
	}
	m := &marker{language: l, marks: map[*byte]mark{}, functions: template.FuncMap{}}
	m.trees(trees)
	var errs []Error
	for _, f := range m.faults {
		line, column := position(source, int(f.pos))
		errs = append(errs, errorAt(line, column, f.text))
	}
	if errs != nil {
		return nil, errs
	}
	t := template.New(mainTemplate).Funcs(m.functions)
	for name, tree := range trees {
		template.Must(t.AddParseTree(name, tree)) // fails only for a template that has been executed
	}
	return &Program{l, source, t, m.marks, m.mutates}, nil
}

// parseTrees does not check the names of functions: our messages are better.
func parseTrees(source string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	t := parse.New(mainTemplate)
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(source, "", "", trees)
	return trees, err
}

// position returns line and column, in bytes, of an offset.
func position(source string, offset int) (line, column int) {
	before := source[:min(offset, len(source))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndex(before, "\n")
}

// startedAt matches the line where an unclosed block started, in the words of the parser.
var startedAt = regexp.MustCompile(" started at " + regexp.QuoteMeta(mainTemplate) + `:(\d+)`)

// splitParseError takes "template: name:line: text" apart.
func splitParseError(err error) (line int, text string) {
	rest, found := strings.CutPrefix(err.Error(), "template: "+mainTemplate+":")
	number, text, hasText := strings.Cut(rest, ": ")
	line, notNumber := strconv.Atoi(number)
	if !found || !hasText || notNumber != nil {
		return 0, err.Error()
	}
	return line, text
}

// columnOf returns the column of the only action in a line, because the parser does not
// report columns. It returns 0 if the line has no action, or several.
func columnOf(source string, line int) int {
	for text := range strings.Lines(source) {
		if line--; line == 0 && strings.Count(text, "{{") == 1 {
			return strings.Index(text, "{{") + 1
		}
	}
	return 0
}

// unknownFunction says why the function does not exist, and suggests a similar name.
func (l *Language) unknownFunction(name string) string {
	if reason, removed := removedFunctions[name]; removed {
		return fmt.Sprintf("the function %s does not exist: it %s, so plan and apply would render different bytes", name, reason)
	}
	text := fmt.Sprintf("the function %s does not exist", name)
	if nearest := wording.Nearest(name, slices.Sorted(maps.Keys(l.functions))); nearest != "" {
		text += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return text
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
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

// Program is a parsed template source. It does not change, so executions share it.
type Program struct {
	language *Language
	source   string
	template *template.Template
	mutates  bool
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
	trees, err := parseTrees(source)
	if err != nil {
		if faults := l.misspelled(source); faults != nil {
			return nil, errorsAt(source, faults)
		}
		line, text := splitParseError(err)
		return nil, []Error{errorAt(line, columnOf(source, line), startedAt.ReplaceAllString(text, ", started in line $1"))}
	}
	w := &walker{language: l, functions: template.FuncMap{}}
	w.trees(trees)
	if w.faults != nil {
		return nil, errorsAt(source, w.faults)
	}
	return &Program{l, source, l.template(w, trees), w.mutates}, nil
}

// template returns an executable template of trees with the functions of a walker.
func (*Language) template(w *walker, trees map[string]*parse.Tree) *template.Template {
	t := template.New(mainTemplate).Funcs(w.functions)
	for name, tree := range trees {
		template.Must(t.AddParseTree(name, tree)) // fails only for a template that has been executed
	}
	return t
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
	if strings.HasPrefix(text, "bad character U+") {
		text += `. To read a label with / or - in its key, write {{ index .Labels "example.com/key" }}`
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

// keywords are the words of text/template that begin an action and are not functions.
var keywords = []string{"if", "else", "end", "range", "with", "define", "block", "template", "break", "continue"}

// firstWord matches the beginning of an action, up to its first word.
var firstWord = regexp.MustCompile(`\{\{(?:-\s)?\s*([A-Za-z]\w*)`)

// misspelled returns the words at the beginnings of actions that are probably misspelled keywords,
// if the source can be parsed with the right ones. Without a keyword, the parser finds the mistake at
// another place, such as the end of the source.
func (l *Language) misspelled(source string) []fault {
	var faults []fault
	var corrected strings.Builder
	rest := 0
	for _, at := range firstWord.FindAllStringSubmatchIndex(source, -1) {
		word := source[at[2]:at[3]]
		meant := wording.Nearest(word, keywords)
		if meant == "" || l.functions[word] != nil || builtinFunctions[word] || slices.Contains(keywords, word) {
			continue
		}
		faults = append(faults, fault{parse.Pos(at[2]), unknownFunction(word, keywords)})
		corrected.WriteString(source[rest:at[2]] + meant)
		rest = at[3]
	}
	if _, err := parseTrees(corrected.String() + source[rest:]); err != nil {
		return nil
	}
	return faults
}

// unknownFunction says why the function does not exist, and suggests a similar word.
func unknownFunction(name string, known []string) string {
	if reason, removed := removedFunctions[name]; removed {
		return fmt.Sprintf("the function %s does not exist: it %s, so plan and apply would render different bytes", name, reason)
	}
	text := fmt.Sprintf("the function %s does not exist", name)
	if nearest := wording.Nearest(name, known); nearest != "" {
		text += fmt.Sprintf("; did you mean %s?", nearest)
	}
	return text
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxRegex bounds a regular expression in a template, in bytes. One letter of the expression
// may become a table of all letters, which takes a tenth of a millisecond to read.
const maxRegex = 512

// classSteps is the cost of reading a class of Unicode letters in an expression.
const classSteps = 1500

// bytesPerRegexStep is how much text an instruction of a regular expression reads in one
// step, in the worst case.
const bytesPerRegexStep = bytesPerStep / 4

// addRegexes adds the checks of the functions for regular expressions, whose work grows
// with text times expression.
func (m *meter) addRegexes(add func(check func(arguments), names ...string)) {
	match := func(a arguments) { m.regex(a.text(0), a.text(1)) }
	add(match, "regexMatch", "regexFind", "regexFindAll", "regexSplit",
		"mustRegexMatch", "mustRegexFind", "mustRegexFindAll", "mustRegexSplit")
	add(func(a arguments) {
		match(a)
		groups := strings.Count(a.text(2), "$") // each writes a part of every match
		largest := func(matches int) int {
			return len(a.text(1)) + times(matches, len(a.text(2))) + times(groups, len(a.text(1)))
		}
		if largest(1+len(a.text(1))) <= maxText {
			return // to count the matches, the expression would be compiled once more
		}
		compiled, err := regexp.Compile(a.text(0))
		if err != nil {
			return // the function reports the error
		}
		matches := 0
		compiled.ReplaceAllStringFunc(a.text(1), func(string) string { matches++; return "" })
		m.room(largest(matches))
	}, "regexReplaceAll", "regexReplaceAllLiteral", "mustRegexReplaceAll", "mustRegexReplaceAllLiteral")
}

// regex charges for reading an expression and for matching.
func (m *meter) regex(expression, s string) {
	if len(expression) > maxRegex {
		exceeded("the function does not take a regular expression of more than %d bytes", maxRegex)
	}
	m.charge(30 + 20*len(expression) + classSteps*strings.Count(strings.ToLower(expression), `\p`))
	m.shortText(s, maxParsed)
	if size, err := RegexSize(expression); err == nil { // otherwise the function reports the error
		m.product(1+size, 1+len(s)/bytesPerRegexStep)
	}
}

// RegexSize returns how many instructions a regular expression has, or why it is not
// valid. The time to match a text grows with this number times the text.
func RegexSize(expression string) (int, error) {
	if len(expression) > maxShort {
		return 0, fmt.Errorf("it is longer than %d KiB", maxShort>>10)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	compiled, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(compiled.Inst), nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

type arguments []reflect.Value

func (a arguments) text(i int) string { return a[i].String() }

func (a arguments) number(i int) int { return int(a[i].Int()) }

// checks returns the checks that run before functions whose work or result can be far larger
// than their arguments. All other functions cost as much as the size of their arguments.
func (m *meter) checks() map[string]func(arguments) {
	checks := map[string]func(arguments){}
	add := func(check func(arguments), names ...string) {
		for _, name := range names {
			checks[name] = check
		}
	}
	m.addTexts(add)
	m.addLists(add)
	m.addRegexes(add)
	add(m.format, "printf")
	add(func(arguments) { m.charge(1_000_000) }, "derivePassword")
	add(func(a arguments) {
		numbers := a[len(a)-1].Len()
		if numbers > 100 {
			exceeded("the function does not take more than 100 numbers")
		}
		m.charge(10 * numbers * numbers) // each number makes the exact result longer
	}, "addf", "subf", "mulf", "divf")
	add(func(a arguments) { // Sprig parses versions with regular expressions
		for i := range a {
			m.shortText(a.text(i), maxShort)
			m.charge(50 + 10*len(a.text(i)))
		}
	}, "semver", "semverCompare")
	add(func(a arguments) { m.shortText(a.text(0), maxParsed) }, "fromJson", "mustFromJson")
	return checks
}

func (m *meter) addTexts(add func(check func(arguments), names ...string)) {
	add(func(a arguments) { m.room(times(a.number(0), len(a.text(1)))) }, "repeat")
	add(func(a arguments) {
		m.room(1 + len(a.text(1)) + times(a.number(0), 1+strings.Count(a.text(1), "\n")))
	}, "indent", "nindent")
	add(func(a arguments) {
		m.room(len(a.text(2)) + times(strings.Count(a.text(2), a.text(0)), len(a.text(1))))
	}, "replace")
	add(func(a arguments) {
		s := m.deep(a[1].Interface())
		m.room(s.bytes + times(s.elements, len(a.text(0))))
	}, "join")
	add(func(a arguments) {
		m.room(len(a.text(2)) + times(1+len(a.text(2))/max(a.number(0), 1), len(a.text(1))))
	}, "wrapWith")
	add(func(a arguments) { m.product(1+len(a.text(0))/bytesPerStep, 1+len(a.text(1))/bytesPerStep) }, "trimAll", "trimall")
}

// addLists adds the checks of functions that make lists, or compare every pair of elements.
func (m *meter) addLists(add func(check func(arguments), names ...string)) {
	add(func(a arguments) { m.numbers(0, 1, a.number(0)) }, "until")
	add(func(a arguments) {
		if start, stop, step := a.number(0), a.number(1), a.number(2); step != 0 && (stop < start) == (step < 0) {
			m.numbers(start, step, stop) // otherwise the result is empty
		}
	}, "untilStep")
	add(func(a arguments) {
		switch n := a[0].Interface().([]int); len(n) { //nolint:errcheck,forcetypeassert // a new Sprig that changes the type fails every test.
		case 1:
			m.numbers(1, 1, n[0])
		case 2:
			m.numbers(n[0], 1, n[1])
		case 3:
			m.numbers(n[0], n[1], n[2])
		}
	}, "seq")
	add(func(a arguments) {
		if a.number(0) < 1 {
			exceeded("a chunk needs a size of at least 1")
		}
		m.keep(m.outermost(a[1].Interface()) * elementBytes) // the elements of all chunks
	}, "chunk", "mustChunk")
	add(func(a arguments) { m.elements(1 + strings.Count(a.text(len(a)-1), a.text(0))) }, "split", "splitList", "splitn")
	add(func(a arguments) { // dict writes its keys, of any type, as text
		for i := 0; i < a[0].Len(); i += 2 {
			m.deep(a[0].Index(i).Interface())
		}
	}, "dict")
	add(func(a arguments) {
		m.product(countStructures(a[0].Interface()), m.deep(a[0].Interface()).steps())
	}, "uniq", "mustUniq")
	add(func(a arguments) { m.product(a[1].Len(), m.deep(a[0].Interface()).steps()) }, "without", "mustWithout")
}

// times returns the product of two numbers, or maxText + 1 for a product that is larger than
// maxText. A negative number counts as 0, because the functions refuse it.
func times(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if b > maxText/a {
		return maxText + 1
	}
	return a * b
}

// numbers refuses a row of numbers that is too long, or near an overflow.
func (m *meter) numbers(start, step, stop int) {
	if step != 0 && math.Abs((float64(stop)-float64(start))/float64(step)) > maxElements {
		m.elements(maxElements + 1)
	}
	if max(start, step, stop) > math.MaxInt/2 || min(start, step, stop) < math.MinInt/2 {
		exceeded("the numbers of a row must fit into 62 bits")
	}
}

// maxParsed bounds a text that a function parses, in bytes. maxShort bounds a text that is
// always short, such as a version.
const (
	maxParsed = 1 << 20
	maxShort  = 4 << 10
)

func (m *meter) shortText(s string, limit int) {
	if len(s) > limit {
		exceeded("the function does not take a text of more than %d KiB", limit>>10)
	}
}

// maxWidth is the largest width and precision that package fmt takes.
const maxWidth = 1_000_000

// formatVerb matches a verb of a format with its flags, width and precision. formatWidth
// matches a width or a precision: digits, or a star for an argument.
var (
	formatVerb  = regexp.MustCompile(`(?s)%[-+# 0-9.*\[\]]*.?`)
	formatWidth = regexp.MustCompile(`[0-9]+|\*`)
)

// format refuses two sorts of output of printf: output that could fill the memory, and
// addresses, which differ from run to run.
func (m *meter) format(a arguments) {
	format, args := a.text(0), a[1].Interface().([]any) //nolint:errcheck,forcetypeassert // by its type.
	m.shortText(format, maxParsed)
	m.charge(len(format))
	bytes, elements, widest := 0, 1, 0
	for _, arg := range args {
		s := m.deep(arg)
		bytes, elements = bytes+s.bytes, max(elements, s.elements)
		switch n := arg.(type) {
		case int:
			widest = max(widest, n, -n)
		case int64:
			widest = max(widest, int(n), int(-n))
		}
	}
	widths, copies, verbs := 0, 1, formatVerb.FindAllString(format, -1)
	for _, v := range verbs {
		if strings.Contains(v, "[") { // then each verb may name the longest argument
			copies = len(verbs)
		}
		if strings.HasSuffix(v, "p") {
			exceeded("printf does not take %%p: addresses differ from run to run")
		}
		for _, n := range formatWidth.FindAllString(v, -1) {
			width, err := strconv.Atoi(n)
			if n == "*" {
				width = widest
			} else if err != nil {
				width = maxWidth
			}
			widths += min(width, maxWidth)
		}
	}
	// A width is that of each element of a list.
	m.room(len(format) + times(widths, elements) + times(copies, bytes))
}

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

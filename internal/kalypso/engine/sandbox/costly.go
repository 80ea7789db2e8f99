// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"text/template"
)

// bound replaces the functions that could make far more than they are given by
// ones that find out beforehand.
func (m *meter) bound(functions template.FuncMap) {
	replace(functions, "repeat", func(f func(int, string) string) func(int, string) string {
		return func(count int, s string) string {
			m.room(times(count, len(s)))
			return f(count, s)
		}
	})
	for _, name := range []string{"indent", "nindent"} {
		replace(functions, name, func(f func(int, string) string) func(int, string) string {
			return func(spaces int, s string) string {
				m.room(1 + len(s) + times(spaces, 1+strings.Count(s, "\n")))
				return f(spaces, s)
			}
		})
	}
	replace(functions, "replace", func(f func(string, string, string) string) func(string, string, string) string {
		return func(old, new, s string) string {
			m.room(len(s) + times(strings.Count(s, old), len(new)))
			return f(old, new, s)
		}
	})
	replace(functions, "join", func(f func(string, any) string) func(string, any) string {
		return func(separator string, v any) string {
			s := m.deep(v)
			m.room(s.bytes + times(s.elements, len(separator)))
			return f(separator, v)
		}
	})
	replace(functions, "wrapWith", func(f func(int, string, string) string) func(int, string, string) string {
		return func(length int, separator, s string) string {
			m.room(len(s) + times(1+len(s)/max(length, 1), len(separator)))
			return f(length, separator, s)
		}
	})
	for _, name := range []string{"trimAll", "trimall"} {
		replace(functions, name, func(f func(string, string) string) func(string, string) string {
			return func(cutset, s string) string {
				m.product(1+len(cutset)/bytesPerStep, 1+len(s)/bytesPerStep)
				return f(cutset, s)
			}
		})
	}
	functions["untilStep"] = m.untilStep
	functions["until"] = func(count int) []int { return m.untilStep(0, count, sign(count)) }
	replace(functions, "seq", func(f func(...int) string) func(...int) string {
		return func(params ...int) string {
			m.checkSeq(params)
			return f(params...)
		}
	})
}

// replace puts a wrapped function in the place of the function.
func replace[F any](functions template.FuncMap, name string, wrap func(F) F) {
	functions[name] = wrap(functions[name].(F)) //nolint:errcheck,forcetypeassert // a new Sprig that changes the type fails every test.
}

// times multiplies numbers that may be too large; then the result is just too large. A
// negative number counts as 0, because the functions refuse it.
func times(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if b > maxText/a {
		return maxText + 1
	}
	return a * b
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// untilStep is Sprig's, except that it can neither overflow nor fill the memory.
func (m *meter) untilStep(start, stop, step int) []int {
	n := countSteps(start, stop, step)
	if n > maxElements {
		m.elements(maxElements + 1)
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = start + i*step
	}
	return numbers
}

// countSteps returns how many numbers there are from start to before stop.
func countSteps(start, stop, step int) int {
	if step == 0 || start == stop || (stop < start) != (step < 0) {
		return 0
	}
	// Unsigned numbers hold the distance between any two numbers.
	distance, stride := uint64(stop)-uint64(start), uint64(step) //nolint:gosec // wraps around and comes out right.
	if step < 0 {
		distance, stride = -distance, -stride
	}
	return int(min((distance-1)/stride+1, maxElements+1))
}

// checkSeq refuses arguments with which seq would run for long: one, two or three numbers,
// which are end, start and end, or start, step and end.
func (m *meter) checkSeq(params []int) {
	start, step, end := 1, 1, 0
	switch len(params) {
	case 1:
		end = params[0]
	case 2:
		start, end = params[0], params[1]
	case 3:
		start, step, end = params[0], params[1], params[2]
	}
	for _, n := range params {
		if n > math.MaxInt32 || n < math.MinInt32 {
			exceeded("seq does not take numbers beyond 32 bits")
		}
	}
	if step == 0 {
		return
	}
	if n := (float64(end) - float64(start)) / float64(step); math.Abs(n) > maxElements {
		m.elements(maxElements + 1)
	}
}

// checks returns the checks of the functions that work more than they read.
func (m *meter) checks() map[string]func(args []reflect.Value) {
	checks := map[string]func(args []reflect.Value){
		"semver":          m.versions,
		"semverCompare":   m.versions,
		"buildCustomCert": func([]reflect.Value) { m.charge(100_000) },
		"derivePassword":  func([]reflect.Value) { m.charge(1_000_000) },
		"sortAlpha":       func(args []reflect.Value) { s := m.deep(args[0].Interface()); m.charge(4 * s.elements) },
	}
	for _, name := range []string{"addf", "subf", "mulf", "divf"} {
		checks[name] = func(args []reflect.Value) {
			numbers := args[len(args)-1].Len()
			if numbers > 100 {
				exceeded("%s does not take more than 100 numbers", name)
			}
			m.charge(10 * numbers * numbers) // each number makes the exact result longer
		}
	}
	for _, name := range []string{"chunk", "mustChunk"} {
		checks[name] = func(args []reflect.Value) {
			if args[0].Int() < 1 {
				exceeded("%s needs a size of at least 1", name)
			}
		}
	}
	for _, name := range []string{"split", "splitList", "splitn"} {
		checks[name] = func(args []reflect.Value) {
			m.elements(1 + strings.Count(args[len(args)-1].String(), args[0].String()))
		}
	}
	for _, name := range []string{"fromJson", "mustFromJson"} {
		checks[name] = func(args []reflect.Value) { m.shortText(args[0].String(), maxParsed) }
	}
	checks["dict"] = func(args []reflect.Value) { // which writes its keys, whatever they are
		for i := 0; i < args[0].Len(); i += 2 {
			m.deep(args[0].Index(i).Interface())
		}
	}
	for _, name := range []string{"uniq", "mustUniq"} {
		checks[name] = func(args []reflect.Value) { m.compareStructures(args[0]) }
	}
	for _, name := range []string{"without", "mustWithout"} { // which compares each with each
		checks[name] = func(args []reflect.Value) {
			m.product(args[1].Len(), m.deep(args[0].Interface()).steps())
		}
	}
	m.addRegexChecks(checks)
	return checks
}

// maxParsed bounds a text that is parsed, in bytes, and maxShort one of which
// only short ones make sense.
const (
	maxParsed = 1 << 20
	maxShort  = 4 << 10
)

// bytesPerRegexStep is how much text an instruction of a regular expression reads in
// a step, at worst.
const bytesPerRegexStep = bytesPerStep / 4

func (m *meter) shortText(s string, limit int) {
	if len(s) > limit {
		exceeded("the function does not take a text of more than %d KiB", limit>>10)
	}
}

// versions charges for reading versions and what is asked of them, which are taken
// apart by regular expressions.
func (m *meter) versions(args []reflect.Value) {
	for _, arg := range args {
		m.shortText(arg.String(), maxShort)
		m.charge(50 + 10*len(arg.String()))
	}
}

// addRegexChecks adds those of the functions for regular expressions, whose
// work grows with text times expression.
func (m *meter) addRegexChecks(checks map[string]func(args []reflect.Value)) {
	for _, name := range []string{"regexMatch", "regexFind", "regexFindAll", "regexSplit"} {
		check := func(args []reflect.Value) { m.regex(args[0].String(), args[1].String()) }
		checks[name], checks["mustR"+name[1:]] = check, check
	}
	for _, name := range []string{"regexReplaceAll", "regexReplaceAllLiteral"} {
		check := func(args []reflect.Value) {
			expression, s, replacement := args[0].String(), args[1].String(), args[2].String()
			m.regex(expression, s)
			if compiled, err := regexp.Compile(expression); err == nil {
				matches := len(compiled.FindAllStringIndex(s, -1))
				groups := strings.Count(replacement, "$") // each writes a part of every match
				m.room(len(s) + times(matches, len(replacement)) + times(groups, len(s)))
			}
		}
		checks[name], checks["mustR"+name[1:]] = check, check
	}
}

// maxRegex bounds a regular expression in a template, in bytes. One letter of it may
// become a table of all letters, which takes a tenth of a millisecond to read.
const maxRegex = 512

// regex charges for reading an expression and for matching.
func (m *meter) regex(expression, s string) {
	if len(expression) > maxRegex {
		exceeded("the function does not take a regular expression of more than %d bytes", maxRegex)
	}
	m.charge(30 + 20*len(expression) + classSteps*unicodeClasses(expression))
	m.shortText(s, maxParsed)
	size, err := RegexSize(expression)
	if err != nil {
		return // the function says so
	}
	m.product(1+size, 1+len(s)/bytesPerRegexStep)
}

// classSteps is the cost of reading a class of Unicode letters in an expression.
const classSteps = 1500

// unicodeClasses returns how many classes of Unicode letters an expression may name.
func unicodeClasses(expression string) int {
	return strings.Count(expression, `\p`) + strings.Count(expression, `\P`)
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

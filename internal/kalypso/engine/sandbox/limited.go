// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"math"
	"reflect"
	"regexp"
	"strings"
)

// limited returns the function with a limit for the size of its result. Functions whose result
// can be far larger than their arguments are refused before they run. The code spells out
// common types of functions, because calls by reflection take longer.
func limited(name string, function any) any {
	estimate := estimates[name]
	if estimate == nil {
		switch f := function.(type) {
		case func(string) string:
			return func(a string) string { return limitedText(f(a)) }
		case func(any) string:
			return func(a any) string { return limitedText(f(a)) }
		case func(string, string) string:
			return func(a, b string) string { return limitedText(f(a, b)) }
		case func(any) (string, error):
			return func(a any) (string, error) {
				text, err := f(a)
				return limitedText(text), err
			}
		case func(...any) string:
			return func(values ...any) string {
				sizeOf(values)
				return limitedText(f(values...))
			}
		case func(any, ...any) any:
			return func(first any, values ...any) any {
				v := f(first, values...)
				sizeOf(v)
				return v
			}
		}
	}
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		if estimate != nil {
			checkSize(estimate(args))
		}
		call := f.Call
		if f.Type().IsVariadic() {
			call = f.CallSlice
		}
		results := call(args)
		sizeOf(results[0].Interface())
		return results
	}).Interface()
}

func limitedText(text string) string {
	checkSize(len(text))
	return text
}

// arguments are those of one call. The last ones of a variadic function are one list.
type arguments []reflect.Value

func (a arguments) text(i int) string { return a[i].String() }

func (a arguments) number(i int) int { return int(a[i].Int()) }

// estimates are the functions whose result can be far larger than their arguments, with about how
// many bytes the result takes. For functions that compare every pair of elements, it is the time
// that grows so.
var estimates = map[string]func(arguments) int{
	"repeat":   func(a arguments) int { return times(a.number(0), len(a.text(1))) },
	"indent":   indented,
	"nindent":  indented,
	"replace":  func(a arguments) int { return times(strings.Count(a.text(2), a.text(0)), len(a.text(1))) },
	"join":     func(a arguments) int { return times(sizeOf(a[1].Interface())/elementBytes, len(a.text(0))) },
	"wrapWith": func(a arguments) int { return times(len(a.text(2))/max(a.number(0), 1), len(a.text(1))) },

	"until":     func(a arguments) int { return row(0, 1, a.number(0)) },
	"untilStep": func(a arguments) int { return row(a.number(0), a.number(2), a.number(1)) },
	"seq":       sequence,
	"split":     pieces,
	"splitList": pieces,
	"splitn":    pieces,

	"uniq":        func(a arguments) int { return pairs(a[0], a[0]) },
	"mustUniq":    func(a arguments) int { return pairs(a[0], a[0]) },
	"without":     func(a arguments) int { return pairs(a[0], a[1]) },
	"mustWithout": func(a arguments) int { return pairs(a[0], a[1]) },

	"regexReplaceAll":            replaced,
	"regexReplaceAllLiteral":     replaced,
	"mustRegexReplaceAll":        replaced,
	"mustRegexReplaceAllLiteral": replaced,

	"printf": formatted,
}

// times returns the product of two numbers, or more than any bound for a product that is larger
// than maxValue. A negative number counts as 0, because the functions refuse it.
func times(a, b int) int {
	switch {
	case a <= 0 || b <= 0:
		return 0
	case b > maxValue/a:
		return maxValue + 1
	}
	return a * b
}

func indented(a arguments) int { return times(a.number(0), 1+strings.Count(a.text(1), "\n")) }

func pieces(a arguments) int {
	return times(elementBytes, strings.Count(a.text(len(a)-1), a.text(0)))
}

// row estimates a list of numbers. It refuses numbers near an overflow, where the list would not
// end.
func row(start, step, stop int) int {
	switch {
	case step == 0, (stop < start) != (step < 0):
		return 0
	case max(start, step, stop) > math.MaxInt/2, min(start, step, stop) < math.MinInt/2:
		return maxValue + 1
	}
	return times(elementBytes, (stop-start)/step)
}

func sequence(a arguments) int {
	n, _ := a[0].Interface().([]int) // by the type of seq
	start, step, stop := 1, 1, 1
	switch len(n) {
	case 1:
		stop = n[0]
	case 2:
		start, stop = n[0], n[1]
	case 3:
		start, step, stop = n[0], n[1], n[2]
	}
	if len(n) < 3 && stop < start {
		step = -1
	}
	return row(start, step, stop)
}

// comparisonsPerByte is how many comparisons of elements count as one byte.
const comparisonsPerByte = 8

func pairs(a, b reflect.Value) int {
	return times(lengthOf(a)/comparisonsPerByte, lengthOf(b))
}

// lengthOf returns how many elements a list has, or 0 for any other value.
func lengthOf(v reflect.Value) int {
	if v = reflect.ValueOf(v.Interface()); v.Kind() != reflect.Slice {
		return 0
	}
	return v.Len()
}

func replaced(a arguments) int {
	text, replacement := a.text(1), a.text(2)
	matches := 1 + len(text)
	if times(matches, len(replacement)) > maxValue {
		expression, err := regexp.Compile(a.text(0))
		if err != nil {
			return 0 // the function reports the error
		}
		matches = 0
		expression.ReplaceAllStringFunc(text, func(string) string { matches++; return "" })
	}
	groups := strings.Count(replacement, "$") // each writes a part of every match
	return times(matches, len(replacement)) + times(groups, len(text))
}

// maxWidth is the largest width and precision that package fmt takes.
const maxWidth = 1_000_000

// address matches the verb of a format that writes an address.
var address = regexp.MustCompile(`%[-+# 0-9.*\[\]]*p`)

// formatted estimates the output of printf: each verb may write the largest argument, and each
// element of it with the largest width. It refuses addresses, which differ from run to run.
func formatted(a arguments) int {
	format, largest := a.text(0), 0
	if strings.Contains(format, "p") && address.MatchString(format) {
		exceeded("printf does not take %%p: addresses differ from run to run")
	}
	for i := range a[1].Len() {
		largest = max(largest, sizeOf(a[1].Index(i).Interface()))
	}
	verbs, width, widest, inVerb := 0, 0, 0, false
	for _, c := range []byte(format) {
		switch {
		case c == '%':
			verbs, width, inVerb = verbs+1, 0, true
		case inVerb && c == '*':
			widest = maxWidth
		case inVerb && '0' <= c && c <= '9':
			width = min(10*width+int(c-'0'), maxWidth)
			widest = max(widest, width)
		case strings.IndexByte("-+# .[]", c) >= 0:
			width = 0
		default:
			inVerb = false
		}
	}
	return len(format) + times(verbs, largest+times(largest/elementBytes, widest))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/Masterminds/semver"
)

// sprig2Functions are functions of Sprig 2, which Kalypso uses, whose results differ in Sprig 3:
// there "0777" is not a decimal number, and ">1.2" does not match 1.2.3.
var sprig2Functions = template.FuncMap{
	"int":   func(v any) int { return int(toInt64(v)) },
	"int64": toInt64,
	"add1":  func(v any) int64 { return toInt64(v) + 1 },
	"add": func(values ...any) int64 {
		return fold(0, values, func(a, b int64) int64 { return a + b })
	},
	"sub": func(a, b any) int64 { return toInt64(a) - toInt64(b) },
	"mul": func(first any, values ...any) int64 {
		return fold(toInt64(first), values, func(a, b int64) int64 { return a * b })
	},
	"div":     func(a, b any) int64 { return toInt64(a) / toInt64(b) },
	"mod":     func(a, b any) int64 { return toInt64(a) % toInt64(b) },
	"max":     largest,
	"biggest": largest,
	"min": func(first any, values ...any) int64 {
		return fold(toInt64(first), values, func(a, b int64) int64 { return min(a, b) })
	},
	"slice":         slice,
	"semverCompare": satisfies,
	"camelcase":     camelCase,
}

// satisfies is the function semverCompare: it reports whether the version satisfies the constraint.
func satisfies(constraint, version string) (bool, error) {
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return false, err
	}
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, err
	}
	return c.Check(v), nil
}

func fold(result int64, values []any, combine func(a, b int64) int64) int64 {
	for _, v := range values {
		result = combine(result, toInt64(v))
	}
	return result
}

func largest(first any, values ...any) int64 {
	return fold(toInt64(first), values, func(a, b int64) int64 { return max(a, b) })
}

// toInt64 returns a number without its fraction, the number in a decimal text, or 1 for true. For
// any other value, it returns 0.
func toInt64(value any) int64 {
	v := reflect.Indirect(reflect.ValueOf(value))
	switch {
	case v.Kind() == reflect.String:
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if err != nil {
			return 0
		}
		return n
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(min(v.Uint(), math.MaxInt64))
	case v.CanFloat():
		return int64(v.Float())
	case v.Kind() == reflect.Bool && v.Bool():
		return 1
	}
	return 0
}

// slice returns a part of a list: from the first index up to the second one, or to the end.
func slice(list any, indices ...any) any {
	v := reflect.ValueOf(list)
	if kind := v.Kind(); kind != reflect.Slice && kind != reflect.Array {
		panic(fmt.Sprintf("list should be type of slice or array but %s", kind))
	}
	if v.Len() == 0 {
		return nil
	}
	start, end := 0, v.Len()
	if len(indices) > 0 {
		start = int(toInt64(indices[0]))
	}
	if len(indices) > 1 {
		end = int(toInt64(indices[1]))
	}
	return v.Slice(start, end).Interface()
}

// camelCase joins words that white space, hyphens and underscores separate, like xstrings
// before 1.5. The first letter of each word becomes upper case, and the others stay
// unchanged. Separators at the start and the end stay. Of several separators between words,
// only the last one disappears. A text of separators alone gets one more.
func camelCase(text string) string {
	runes := []rune(text)
	first := slices.IndexFunc(runes, func(r rune) bool { return !isSeparator(r) })
	if first < 0 && text != "" {
		return text + string(runes[len(runes)-1:])
	}
	var result strings.Builder
	for i, r := range runes {
		switch {
		case !isSeparator(r):
			if i == first || isSeparator(runes[i-1]) {
				r = unicode.ToUpper(r)
			}
			result.WriteRune(r)
		case i < first, i == len(runes)-1, isSeparator(runes[i+1]):
			result.WriteRune(r)
		}
	}
	return result.String()
}

func isSeparator(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) }

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"slices"
	"strings"
	"text/template"
	"unicode"

	sprig2 "github.com/Masterminds/sprig"
)

// ofSprig2 are the functions of Sprig 2, which Kalypso uses, whose results differ in Sprig 3: there
// "0777" is not a decimal number, and ">1.2" does not match 1.2.3.
var ofSprig2 = []string{"int", "int64", "add1", "add", "sub", "mul", "div", "mod", "max", "biggest", "min", "slice", "semverCompare"}

// sprig2Functions returns the functions that are as in Sprig 2.
func sprig2Functions() template.FuncMap {
	all, functions := sprig2.TxtFuncMap(), template.FuncMap{"camelcase": camelCase}
	for _, name := range ofSprig2 {
		functions[name] = all[name]
	}
	return functions
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

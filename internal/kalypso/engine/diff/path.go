// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// escaped matches what git apply reads as an escape, what does not print, and bytes that are
// not UTF-8.
var escaped = regexp.MustCompile(`["\\\x{FFFD}]|[^\pL\pM\pN\pP\pS ]`)

// quoted writes a path like git with core.quotePath=false: in quotes and with escapes if the
// path contains quotes, backslashes or characters that do not print.
func quoted(path string) string {
	if !escaped.MatchString(path) {
		return path
	}
	return `"` + escaped.ReplaceAllStringFunc(path, func(character string) string {
		if quoted := strconv.Quote(character); len(quoted) == len(`"\t"`) {
			return quoted[1:3] // Go and git have the same escapes of one letter
		}
		var octal strings.Builder
		for _, c := range []byte(character) {
			fmt.Fprintf(&octal, `\%03o`, c)
		}
		return octal.String()
	}) + `"`
}

// spaced adds a tab to a path with a space, so that tools find the end of the path.
func spaced(path string) string {
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}

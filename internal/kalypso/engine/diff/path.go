// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"strconv"
	"strings"
	"unicode"
)

// quoted writes a path like git with core.quotePath=false: in quotes and with escapes if the
// path contains quotes, backslashes or characters that do not print.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// spaced adds a tab to a path with a space, so that tools find the end of the path.
func spaced(path string) string {
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"strconv"
	"strings"
	"unicode"
)

// quoted writes a path as git does with core.quotePath=false: in quotes and with escapes if
// it contains quotes, backslashes or anything that does not print.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// spaced ends a path with a tab if it contains a space, so that tools know where it ends.
func spaced(path string) string {
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}

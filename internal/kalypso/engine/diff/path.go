// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
)

// quoted writes a path as git does: in quotes and with escapes if it contains control
// characters, quotes, backslashes or anything beyond ASCII.
func quoted(path string) string {
	if !strings.ContainsFunc(path, needsQuotes) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		switch escape, named := escapes[c]; {
		case named:
			b.WriteByte('\\')
			b.WriteByte(escape)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func needsQuotes(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// escapes are the characters that have an escape of their own.
var escapes = map[byte]byte{
	'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\',
}

// spaced ends a path with a tab if it contains a space, so that tools know where it ends.
func spaced(path string) string {
	if strings.Contains(path, " ") {
		return path + "\t"
	}
	return path
}

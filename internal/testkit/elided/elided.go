// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package elided compares messages with what a test wants of them. A test names the code or the summary, the
// subject, and the one name or number that it is about. It leaves out the words of the product: "…" represents
// any text. Golden files have whole messages.
package elided

import (
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Texts makes cmp.Diff compare each text as Matches does.
var Texts = cmp.Comparer(func(a, b string) bool { return Matches(a, b) || Matches(b, a) })

// Matches reports whether a text is the wanted one.
func Matches(want, got string) bool {
	parts := strings.Split(want, "…")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 || !strings.HasPrefix(got, first) {
		return want == got
	}
	got = got[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(got, part)
		if !found {
			return false
		}
		got = after
	}
	return strings.HasSuffix(got, last)
}

// Has reports whether a text contains the wanted one.
func Has(got, want string) bool { return Matches("…"+want+"…", got) }

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"
	"strconv"
	"strings"
)

// listing joins words for a sentence, sorted, each once.
func listing(words []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(words))), ", ")
}

// quote puts a piece of input in quotes, shortened where it is long.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// maxShown is how many bytes of a piece of input a message shows.
const maxShown = 80

func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

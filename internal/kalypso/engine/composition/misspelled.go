// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// meantKeywords are the keywords that a misspelled one can stand for, sorted: those that
// restrict values, since a schema that misspells one of them accepts more than it seems to,
// and definitions, to which references lead.
var meantKeywords = func() []string {
	const short = 4 // everything is near to shorter ones
	all := append(slices.Collect(maps.Keys(keywords)), "definitions")
	all = slices.DeleteFunc(all, func(key string) bool { return keywords[key] == annotation || len(key) < short })
	slices.Sort(all)
	return all
}()

// ownWords are words that schemas use for something else, and that are similar to a
// keyword.
var ownWords = []string{"container", "containers", "definition", "formats", "multiple", "patterns", "propertyName", "requiredBy",
	"requiredIf"}

// misspelled returns the keyword that was probably meant by a key of a schema and its
// value. It is empty if the key is a keyword, or a word that the author chose. JSON Schema
// allows any such word, so this compares more strictly than spelling.Nearest.
func misspelled(key string, value any) string {
	if target, isText := value.(string); isText && key == "ref" && strings.HasPrefix(target, "#") {
		return "$ref"
	}
	if keywords[key] != 0 || key == "" || slices.Contains(ownWords, key) || strings.HasPrefix(key, "x-") ||
		strings.ContainsAny(key[:1], "$_#/") {
		return ""
	}
	meant := spelling.Nearest(key, meantKeywords)
	if meant == key || meant == "" || !isNear(strings.ToLower(key), strings.ToLower(meant)) {
		return ""
	}
	return meant
}

// isNear reports whether the word is probably the keyword: neighbouring letters are
// swapped, or only a few letters are wrong for a word of this length.
func isNear(word, keyword string) bool {
	wrong := spelling.Distance(word, keyword)
	switch shorter := min(len(word), len(keyword)); {
	case wrong == 0 || areSwapped(word, keyword):
		return true
	case shorter <= 5:
		return false
	case shorter <= 7:
		return wrong == 1
	default:
		return wrong <= 2
	}
}

// areSwapped reports whether two neighbouring letters in other order make one word of the
// other: "tpye".
func areSwapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

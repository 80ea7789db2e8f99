// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// meantKeywords are the keywords that a misspelled keyword can stand for, sorted. They
// restrict values, so a schema that misspells one accepts more values than intended. Or they
// are definitions, to which references lead.
var meantKeywords = func() []string {
	const short = 4 // shorter keywords are near to every word
	all := append(slices.Collect(maps.Keys(keywords)), "definitions")
	all = slices.DeleteFunc(all, func(key string) bool { return keywords[key] == annotation || len(key) < short })
	slices.Sort(all)
	return all
}()

// ownWords are similar to a keyword, but schemas use them with another meaning.
var ownWords = []string{"container", "containers", "definition", "formats", "multiple", "patterns", "propertyName", "requiredBy",
	"requiredIf"}

// misspelled returns the keyword that the author of a key and its value probably meant. It
// returns "" if the key is a keyword, or a word of the author's own. JSON Schema allows any
// word, so this compares more strictly than spelling.Nearest.
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

// isNear reports whether the word is probably the keyword: two neighbouring letters are
// swapped, or few letters are wrong for a word of this length.
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

// areSwapped reports whether a swap of two neighbouring letters makes one word the other:
// "tpye".
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// enforced are the keywords that restrict values, sorted. A schema that misspells one of
// them accepts more than it seems to. Short ones are left out, since everything is near them.
var enforced = func() []string {
	const short = 4
	all := slices.Sorted(maps.Keys(keywords))
	return slices.DeleteFunc(all, func(key string) bool { return keywords[key] == annotation || len(key) < short })
}()

// mostWrong is how many letters of a keyword may be wrong.
const mostWrong = 3

// misspelled returns the keyword that was probably meant by a key of a schema; empty where
// the key is a keyword, or a word of somebody's own. JSON Schema allows any such word, so
// this compares more strictly than spelling.Nearest.
func misspelled(key string) string {
	if keywords[key] != 0 || key == "" || strings.HasPrefix(key, "x-") || strings.ContainsAny(key[:1], "$_#/") {
		return ""
	}
	word, near := strings.ToLower(key), spelling.Nearest(key, enforced)
	meant := strings.ToLower(near)
	if near != "" && (spelling.Distance(word, meant) <= min(len(meant)/3, mostWrong) || sameLetters(word, meant)) {
		return near
	}
	return ""
}

// sameLetters reports whether two words differ in the order of their letters alone: "tpye".
func sameLetters(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values([]byte(a))), slices.Sorted(slices.Values([]byte(b))))
}

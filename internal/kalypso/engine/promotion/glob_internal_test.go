// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"regexp"
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, context string
		want             bool
	}{
		{"flux", "flux", true}, {"flux", "flux2", false}, {"flux", "Flux", false}, {"flux", "", false},
		{"kustomization/*", "kustomization/apps", true}, {"kustomization/*", "kustomization/apps/1234abcd", true},
		{"kustomization/*", "kustomization/", true}, {"kustomization/*", "kustomization", false},
		{"*", "", true}, {"*", "a/b", true}, {"**", "a", true}, {"*a", "ba", true}, {"*a", "ab", false}, {"a*a", "a", false}, {"a*a", "aa", true},
		{"ci/*/unit", "ci/linux/unit", true}, {"ci/*/unit", "ci/unit", false}, {"*b*b*", "abab", true}, {"*b*b*", "ab", false},
		{"*ab", "aab", true}, {"*a*ab", "ab", false},
		{"ci / build (push)", "ci / build (push)", true}, {"[ab]?", "[ab]?", true}, {"[ab]?", "a1", false}, {"a.c", "abc", false},
		{`\*`, `\x`, true},
	} {
		if got := matches(test.pattern, test.context); got != test.want {
			t.Errorf("%q of %q: %t", test.pattern, test.context, got)
		}
	}
}

// A backtracking matcher would try this pattern for years, and the test would never end.
func TestMatchesIsLinear(t *testing.T) {
	t.Parallel()
	if matches(strings.Repeat("*a", 1000)+"*b", strings.Repeat("a", 100_000)) {
		t.Error("matches")
	}
}

// A pattern means what a regular expression does that has .* for *.
func FuzzMatches(f *testing.F) {
	f.Add("kustomization/*", "kustomization/apps/1234abcd")
	f.Add("*a*ab", "aab")
	f.Add("a**\xff", "a\n\xff")
	f.Fuzz(func(t *testing.T, pattern, context string) {
		if len(pattern) > 100 {
			return
		}
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		like, err := regexp.Compile(`(?s)\A` + strings.Join(parts, ".*") + `\z`)
		if err != nil {
			return // no text
		}
		if got, want := matches(pattern, context), like.MatchString(context); got != want {
			t.Errorf("%q of %q: %t", pattern, context, got)
		}
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, text  string
		valid, matches bool
	}{
		{"a-*", "a-1", true, true}, {"a-*", "a-", true, true}, {"a-*", "b-1", true, false}, {"a", "aa", true, false},
		{"*", "a/b", true, false}, {"*/b", "a/b", true, true}, {"[ab]?", "b1", true, true},
		{"a[", "a[", false, false}, {"", "", false, true},
	} {
		if valid, matches := tree.IsPattern(test.pattern), tree.Matches(test.pattern, test.text); valid != test.valid ||
			matches != test.matches {
			t.Errorf("%q and %q: valid %t, matches %t", test.pattern, test.text, valid, matches)
		}
	}
}

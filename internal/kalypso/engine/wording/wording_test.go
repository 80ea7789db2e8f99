// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 packages", 1: "1 package", 2: "2 packages"} {
		if got := wording.Count(n, "package"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "", "prod": "prod", "a\nb\x1b": `a\nb\x1b`,
		strings.Repeat("ä", 100): strings.Repeat("ä", 60)} {
		if got := wording.Escaped(name); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := wording.Quoted(name); got != `"`+want+`"` {
			t.Errorf("got %s", got)
		}
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := wording.First(names, most); got != want {
			t.Errorf("%d: got %q, want %q", most, got, want)
		}
	}
}

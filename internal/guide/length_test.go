// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reader finishes each page: the pages have limits of words.
func TestLengthOfPages(t *testing.T) {
	t.Parallel()
	for pattern, limit := range map[string]int{
		"README.md": 700, "ARCHITECTURE.md": 900, "CONTRIBUTING.md": 2000, "SECURITY.md": 2000, "docs/guides/*.md": 1500,
	} {
		pages, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: no page, %v", pattern, err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if words := len(strings.Fields(string(text))); words > limit {
				t.Errorf("%s has %d words, and its limit is %d", page, words, limit)
			}
		}
	}
}

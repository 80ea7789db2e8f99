// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"strings"
	"testing"
)

// Whatever stands in an ignore file, paths are judged without a panic. It changes
// nothing outside of its folder, and a comment changes nothing at all.
func FuzzIgnores(f *testing.F) {
	for _, text := range []string{"", "/", "!", "!/", "**", "a/**/b", "[", "\\ ", "#a", "*.yaml\n!a.yaml"} {
		f.Add(text, "a/b.yaml")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		i := newIgnores()
		before := i.match(path)
		i.add(nil, "# "+strings.ReplaceAll(path, "\n", " "))
		if i.match(path) != before {
			t.Errorf("a comment changes what becomes of %q", path)
		}
		i.add([]string{"a"}, text)
		if i.match(path) != before && !strings.HasPrefix(path, "a/") {
			t.Errorf("what stands in a/ changes what becomes of %q", path)
		}
	})
}

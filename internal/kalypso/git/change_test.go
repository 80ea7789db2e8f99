// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// What no repository should hold is refused before anything is written.
func TestApplyRefusesChanges(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	for name, test := range map[string]struct {
		edits edits
		words []string
	}{
		"a file in a folder": {edits{"a/b": folder(drone(t, "one")), "a/b/c": file("f")}, []string{"a/b/c lies in a/b"}},
		"far in it, beside another": {edits{"a": folder(drone(t, "one")), "a-b": file("f"), "a/b/c/d": file("f")},
			[]string{"a/b/c/d lies in a,"}},
		"a folder in one that is removed": {edits{"a": gone(tree.ModeDir), "a/b": folder(drone(t, "one"))}, []string{"a/b lies in a,"}},
		"a double slash":                  {edits{"a//b": file("f")}, []string{"a//b", "empty segment"}},
		"a dot at the beginning":          {edits{"./a": file("f")}, []string{"./a"}},
		"a slash at the beginning":        {edits{"/a": file("f")}, []string{"/a", "empty segment"}},
		"a slash at the end":              {edits{"a/": folder(drone(t, "one"))}, []string{"a/"}},
		"a path that turns back":          {edits{"a/../b": file("f")}, []string{"a/../b", "leave its folder"}},
		"the root":                        {edits{".": folder(drone(t, "one"))}, []string{"not a path below"}},
		"no path":                         {edits{"": file("f")}, []string{"not a path below"}},
		"git's own folder":                {edits{"a/.git/hooks": file("f")}, []string{"git's own folder"}},
		"a symbolic link": {edits{"a": {Mode: tree.ModeSymlink, ID: blob("x")}},
			[]string{"has no content for"}},
		"a folder of which only the id is known": {edits{"a": {Mode: tree.ModeDir, ID: drone(t, "one").ID}},
			[]string{"has no content for"}},
	} {
		_, err := r.client(t).Apply(t.Context(), r.branch("dev"), job("write", test.edits))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, word := range test.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error lacks %q: %v", name, word, err)
			}
		}
	}
	if head := r.repo.Head(t, "dev"); head != "" {
		t.Errorf("something was written: %s", head)
	}
	apply(t, r.client(t), r.branch("dev"), "beside each other", edits{"a": folder(drone(t, "one")), "a-b": file("f"), "a.b": file("f"),
		"b/a": file("f")})
}

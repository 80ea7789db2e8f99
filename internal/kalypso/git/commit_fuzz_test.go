// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Any commit is either refused, or what we read of it fits a message.
func FuzzReadCommit(f *testing.F) {
	root := "tree " + strings.Repeat("1", 40) + "\n"
	for _, text := range []string{
		root + "parent " + strings.Repeat("2", 40) + "\nauthor Ann <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\n\nsubject\n\nbody\n",
		root + "author <> -1\ncommitter >< 99999999999999999999 x\n\n\xff", root + "committer C <c@d> 2", "tree x\n", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readCommit(tree.ID{1}, data)
		if err != nil {
			return
		}
		if c.root.IsZero() && !strings.HasPrefix(string(data), "tree 0000") {
			t.Error("a commit without a tree is read")
		}
		for _, text := range []string{c.Subject(), c.Author.Name, c.Author.Email, c.Message} {
			if !utf8.ValidString(text) {
				t.Errorf("%q is not valid UTF-8", text)
			}
		}
		if strings.Contains(c.Subject(), "\n") {
			t.Errorf("the subject has several lines: %q", c.Subject())
		}
	})
}

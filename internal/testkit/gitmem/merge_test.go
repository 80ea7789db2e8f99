// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// What merges, and what a merge holds, is what git merge-tree says.
func TestMerges(t *testing.T) {
	t.Parallel()
	base := content("a/x", "1", "a/y", "1", "b", "1", "c", "1")
	for name, test := range map[string]struct{ ours, theirs map[string][]byte }{
		"different files":             {content("a/x", "2"), content("b", "2", "d/e", "1")},
		"the same change":             {content("a/x", "2"), content("a/x", "2")},
		"different changes":           {content("a/x", "2"), content("a/x", "3")},
		"both add the same":           {content("d", "1"), content("d", "1")},
		"both add different":          {content("d", "1"), content("d", "2")},
		"ours deletes":                {content("b", ""), content("a/x", "2")},
		"both delete":                 {content("b", ""), content("b", "")},
		"one deletes, one changes":    {content("b", ""), content("b", "2")},
		"one changes, one deletes":    {content("b", "2"), content("b", "")},
		"a folder for a file":         {content("b", "", "b/c", "new content"), content("a/x", "2")},
		"a folder where a file comes": {content("d/e", "one"), content("d", "another")},
		"a whole folder goes":         {content("a", ""), content("b", "2")},
		"nothing":                     {nil, content("b", "2")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onDisk, double := gittest.NewBare(t), gitmem.New(t)
			for _, repo := range []gittest.Repository{onDisk, double} {
				repo.CommitFiles(t, "main", base, "base")
				repo.Branch(t, "topic", "main")
				repo.CommitFiles(t, "main", test.ours, "ours")
				repo.CommitFiles(t, "topic", test.theirs, "theirs")
			}
			merge := gittest.Command(t.Context(), "--git-dir", onDisk.Path(), "merge-tree", "--write-tree", "main", "topic")
			out, err := merge.Output()
			want, _, _ := strings.Cut(string(out), "\n")
			commit, conflict := double.MergeCommit(double.Head(t, "main"), double.Head(t, "topic"), "merge")
			if (err == nil) != (conflict == nil) {
				t.Fatalf("git says %v:\n%s\nand the repository in memory %v", err, out, conflict)
			}
			if err != nil {
				return
			}
			squashed, squashErr := double.SquashCommit(double.Head(t, "main"), double.Head(t, "topic"), "squash")
			rebased, rebaseErr := double.RebaseCommits(double.Head(t, "main"), double.Head(t, "topic"))
			if squashErr != nil || rebaseErr != nil {
				t.Fatal(squashErr, rebaseErr)
			}
			for how, id := range map[string]string{"merged": commit, "squashed": squashed, "rebased": rebased} {
				if got := double.Tree(t, id, ""); got != want {
					t.Errorf("%s: the tree is %s, and git's %s", how, got, want)
				}
			}
		})
	}
}

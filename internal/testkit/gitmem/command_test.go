// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// commands are what the git command line does with a repository that is served over HTTP.
var commands = map[string]func(c *target){
	"clone":               clone,
	"a shallow clone":     shallowClone,
	"a partial clone":     partialClone,
	"fetches":             fetches,
	"pushes":              pushes,
	"pushes of old views": stalePushes,
	"refused pushes":      refusedPushes,
	"raw pushes":          rawPushes,
}

// The git command line is answered the same by a repository in memory and by git.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for name, test := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(transport string) []string {
				c := open(t, transport, true, true)
				test(c)
				return c.notes
			}
			if diff := cmp.Diff(run("http"), run("memory")); diff != "" {
				t.Errorf("(-git +memory):\n%s", diff)
			}
		})
	}
}

// git runs a command and notes whether it went well, and what it said of references.
func (c *target) git(args ...string) {
	c.t.Helper()
	command := gittest.Command(c.t.Context(), append([]string{"-c", "protocol.version=0"}, args...)...) // as our client speaks
	command.Env = append(command.Env, "GIT_AUTHOR_DATE=1800000000 +0000", "GIT_COMMITTER_DATE=1800000000 +0000")
	out, err := command.CombinedOutput()
	said := regexp.MustCompile(`(?m)^(remote: (error|GH).*\S|.*(->|fatal|rejected).*)\s*$`).FindAllString(string(out), -1)
	for i := range said {
		said[i] = strings.TrimSpace(said[i])
	}
	c.note("git %s: %t %q", strings.Join(args, " "), err == nil, said)
}

// objects notes which objects a clone has.
func (c *target) objects(dir string) {
	c.t.Helper()
	out, err := gittest.Command(c.t.Context(), "-C", dir, "cat-file", "--batch-all-objects", "--batch-check").Output()
	shallow, _ := os.ReadFile(filepath.Join(dir, ".git", "shallow")) // there may be none
	ends := strings.Fields(string(shallow))
	slices.Sort(ends)
	c.note("objects %v:\n%s\nshallow %q", err, out, ends)
}

// filled makes branches with a merge, and returns a folder for a clone.
func (c *target) filled() (dir string) {
	for i := range 6 {
		c.CommitFiles(c.t, "main", content(fmt.Sprintf("d%d/x", i%2), fmt.Sprint(i), "same", "1", "deep/er/file", fmt.Sprint(i/3)),
			fmt.Sprint("commit ", i))
	}
	c.Branch(c.t, "side", c.Commits(c.t, "main")[2])
	c.CommitFiles(c.t, "side", content("side", "1"), "aside")
	c.Merge(c.t, "main", "side")
	c.CommitSymlink(c.t, "main", "link", "same")
	return filepath.Join(c.t.TempDir(), "clone")
}

func clone(c *target) {
	empty := filepath.Join(c.t.TempDir(), "empty")
	c.git("clone", "--quiet", c.url, empty)
	dir := c.filled()
	c.git("clone", "--quiet", c.url, dir)
	c.objects(dir)
	c.git("-C", dir, "fsck", "--strict")
	c.git("ls-remote", "--quiet", "--symref", c.url)
	c.git("-C", dir, "fetch", "origin", strings.Repeat("1", 40))
}

func shallowClone(c *target) {
	dir := c.filled()
	c.git("clone", "--quiet", "--depth=1", c.url, dir)
	c.objects(dir)
	c.git("-C", dir, "fetch", "--quiet", "--depth=3")
	c.objects(dir)
	c.CommitFiles(c.t, "main", content("later", "1"), "later")
	c.git("-C", dir, "fetch", "--quiet")
	c.objects(dir)
	c.git("-C", dir, "fetch", "--quiet", "--unshallow")
	c.objects(dir)
}

func partialClone(c *target) {
	dir := c.filled()
	for _, filter := range []string{"blob:none", "tree:1", "tree:2", "blob:limit=2"} {
		c.git("clone", "--quiet", "--no-checkout", "--filter="+filter, c.url, dir+filter)
		c.objects(dir + filter)
	}
	c.git("clone", "--quiet", "--filter=tree:0", c.url, dir) // fetches the rest, by ids
	c.objects(dir)
}

func fetches(c *target) {
	dir := c.filled()
	c.git("clone", "--quiet", c.url, dir)
	c.git("-C", dir, "commit", "--quiet", "--allow-empty", "--message=nobody has it")
	c.CommitFiles(c.t, "main", content("later", "1", "d0/x", ""), "later")
	c.CommitFiles(c.t, "new", content("n", "1"), "a history of its own")
	c.DeleteBranch(c.t, "side")
	c.git("-C", dir, "fetch", "--prune", "origin")
	c.git("-C", dir, "fetch", "origin", c.Commits(c.t, "main")[1])
	c.objects(dir)
}

// work makes a commit in a clone.
func (c *target) work(dir, file, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.git("-C", dir, "add", "--all")
	c.git("-C", dir, "commit", "--quiet", "--message="+file)
}

func pushes(c *target) {
	dir := c.filled()
	c.git("clone", "--quiet", c.url, dir)
	c.work(dir, "same", strings.Repeat("a line that changes little\n", 100))
	c.git("-C", dir, "push", "origin", "main")
	c.work(dir, "same", strings.Repeat("a line that changes little\n", 100)+"more") // as a delta
	c.git("-C", dir, "push", "origin", "main", "main:another/name")
	c.git("-C", dir, "push", "origin", ":another/name", "main:third")
	c.git("-C", dir, "push", "origin", "main")
	c.noteAll("main", "another/name", "third")
}

func stalePushes(c *target) {
	dir := c.filled()
	c.git("clone", "--quiet", c.url, dir)
	c.CommitFiles(c.t, "main", content("meanwhile", "1"), "meanwhile")
	c.work(dir, "ours", "1")
	c.git("-C", dir, "push", "origin", "main")
	c.git("-C", dir, "push", "--force", "origin", "main")
	c.git("-C", dir, "push", "--force-with-lease=side:"+c.Head(c.t, "main"), "origin", ":side")
	c.noteAll("main", "side")
}

func refusedPushes(c *target) {
	dir := c.filled()
	c.git("clone", "--quiet", c.url, dir)
	c.work(dir, "ours", "1")
	c.git("-C", dir, "push", "origin", "main:guarded", "main:other")
	c.git("-C", dir, "push", "origin", "main:main/below")
	c.git("-C", dir, "push", "origin", ":main")
	c.git("-C", dir, "push", "origin", ":absent")
	c.noteAll("main", "guarded", "other", "side")
}

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

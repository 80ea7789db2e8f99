// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The tests here permit the use of a repository in memory: they do the same with one and
// with real ones, and compare everything that was answered. A difference is a defect of
// the repository in memory.

// target is a repository behind a server, and what a test noted of it.
type target struct {
	gittest.Repository
	t     *testing.T
	url   string
	notes []string
}

// Each case does with a repository what it likes, and notes what it sees.
var cases = map[string]func(c *target){
	"commits of tests":    commitsOfTests,
	"an empty repository": emptyRepository,
	"writing and reading": writingAndReading,
	"writers in between":  writersInBetween,
	"names in the way":    namesInTheWay,
	"deleting":            deleting,
	"proposing":           proposing,
	"refusals":            refusals,
	"names of a branch":   namesOfABranch,
	"raw pushes":          rawPushes,
}

// servers are what they allow: partial fetches, wants of any object, fast-forwards alone,
// and a branch that takes no pushes.
var servers = map[string]struct{ filters, anyObject bool }{
	"all is allowed": {true, true}, "no filters": {false, true}, "tips only": {true, false}, "as git is made": {false, false},
}

// A client of ours is answered the same by a repository in memory and by git. What a client reads, and what servers and
// transports do to that, is tested with the client.
func TestContract(t *testing.T) {
	t.Parallel()
	for server, allowed := range servers {
		for name, test := range cases {
			if name != "writing and reading" && server != "all is allowed" {
				continue
			}
			t.Run(name+", "+server, func(t *testing.T) {
				t.Parallel()
				run := func(transport string) []string {
					c := open(t, transport, allowed.filters, allowed.anyObject)
					test(c)
					return c.notes
				}
				if diff := cmp.Diff(run("http"), run("memory")); diff != "" {
					t.Errorf("(-git +memory):\n%s", diff)
				}
			})
		}
	}
}

// open makes a repository that is reached in a way: "memory" is the repository in memory.
func open(t *testing.T, transport string, filters, anyObject bool) *target {
	t.Helper()
	if transport == "memory" {
		repo := gitmem.New(t)
		repo.Limit(t, filters, anyObject)
		repo.RequireFastForward()
		repo.Refuse("guarded", "GH006: it is protected")
		return &target{t: t, Repository: repo, url: repo.URL()}
	}
	repo := gittest.NewBare(t)
	repo.Limit(t, filters, anyObject)
	repo.SetConfig(t, "receive.denyNonFastForwards", "true")
	repo.InstallHook(t, "pre-receive", `while read old new ref; do
  if [ "$ref" = refs/heads/guarded ]; then echo "GH006: it is protected"; exit 1; fi
done`)
	return &target{t: t, Repository: repo, url: gittest.ServeHTTP(t, repo).URL()}
}

// note keeps something that was seen. The same has to be seen everywhere.
func (c *target) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	text = strings.ReplaceAll(text, c.url, "REPO")
	c.notes = append(c.notes, temporary.ReplaceAllString(text, "TMP"))
}

// temporary are folders of a test.
var temporary = regexp.MustCompile(`/\S*/TestC\S*?/\d+\b`)

// noteAll notes what branches hold.
func (c *target) noteAll(branches ...string) {
	for _, branch := range branches {
		if head := c.Head(c.t, branch); head != "" {
			c.note("%s is at %s with %v and %q", branch, head, c.Files(c.t, branch), c.Log(c.t, branch))
		} else {
			c.note("%s does not exist, and has %q", branch, c.Log(c.t, branch))
		}
	}
}

// client is one that writes commits with ids that are always the same.
func (c *target) client() *git.Client {
	c.t.Helper()
	client, err := git.NewClient(git.Options{
		Now:    func() time.Time { return time.Unix(1800000000, 0) },
		Author: git.Signature{Name: "Kalypso", Email: "kalypso@example.com"}, Backoff: wait.Backoff{Duration: time.Millisecond},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

func (c *target) branch(name string) git.Branch { return git.Branch{Repo: c.url, Name: name} }

// apply has our client write files; empty ones are deleted.
func (c *target) apply(branch, message string, files map[string]string) {
	c.t.Helper()
	change := git.Change{Message: message, Edits: map[string]tree.Entry{}}
	for path, content := range files {
		want := tree.File("", []byte(content))
		if content == "" {
			want = tree.Entry{Mode: tree.ModeFile}
		}
		change.Edits[path] = want
	}
	result, err := c.client().Apply(c.t.Context(), c.branch(branch), work(change))
	c.note("apply %s: %+v, %v", message, result, err)
}

// work makes one change, independent of the content of the branch.
func work(change git.Change) git.Work {
	return git.Work{Decide: func(*git.Answer) (git.Change, error) { return change, nil }}
}

// read has our client read a folder with the content of its files.
func (c *target) read(branch, folder string) {
	c.t.Helper()
	mode := map[string]tree.Entry{folder: {Mode: tree.ModeDir}}
	state, err := c.client().Read(c.t.Context(), c.branch(branch), git.Query{Paths: mode, Content: func(string) bool { return true }})
	if err != nil {
		c.note("read %s: %v", branch, err)
		return
	}
	for _, path := range slices.Sorted(maps.Keys(state.Found)) {
		f := state.Found[path]
		c.note("read %s at %s: %s %s %s %+v", branch, state.Head, path, f.Mode, f.ID, f.Entries)
	}
}

func content(files ...string) map[string][]byte {
	all := map[string][]byte{}
	for i := 0; i+1 < len(files); i += 2 {
		if all[files[i]] = []byte(files[i+1]); files[i+1] == "" {
			all[files[i]] = nil
		}
	}
	return all
}

func commitsOfTests(c *target) {
	t := c.t
	c.note("%s", c.CommitFiles(t, "main", content("a/b/c", "1", "a.b", "2", "a/0", "3", "z", "4"), "first"))
	c.note("%s", c.CommitFiles(t, "main", content("a/b", "", "a.b/c", "a folder now", "z/y", "5"), "second\n\nwith a body\n"))
	c.note("%s", c.CommitFiles(t, "main", content("a.b", "a file again", "absent", ""), "third\nline"))
	c.note("%s", c.CommitSymlink(t, "main", "link", "a.b"))
	c.note("%s", c.CommitExecutable(t, "main", "a.b"))
	c.CommitNothing(t, "main", 2)
	c.CommitNothing(t, "new", 1)
	head := c.Head(t, "main")
	c.note("%s", c.Commit(t, gittest.Revision{Branch: "side", Files: content("side", "1")}))
	c.note("%s", c.Commit(t, gittest.Revision{Branch: "side", Merged: []string{head}, Author: "Ann", Message: "merged",
		Time: time.Unix(1750000000, 0), Files: content("both", "1")}))
	c.noteAll("main", "side", "new", "absent")
	c.note("%s %s %s", c.Tree(t, "main", ""), c.Tree(t, "main", "z"), c.Tree(t, "main", "z/y"))
	c.note("%s", c.TreeWithout(t, "main", "z"))
	c.note("%s", c.CommitTree(t, "main", c.Commits(t, "main")[1], "as it was"))
	c.note("%s", c.CommitTree(t, "fresh", "side", "the same"))
	c.Branch(t, "copy", "main")
	c.Branch(t, "copy", c.Commits(t, "main")[0])
	c.DeleteBranch(t, "main")
	c.noteAll("main", "copy", "fresh")
	for name, commit := range c.Branches(t) {
		c.notes = append(c.notes, name+" "+commit)
	}
	slices.Sort(c.notes)
	c.note("%q %q %q %q", c.Commits(t, "side"), c.Paths(t, head), c.Message(t, "side"), c.Message(t, head))
	c.note("%v", c.Files(t, c.Commits(t, head)[2]))
}

func emptyRepository(c *target) {
	c.read("main", "a")
	c.apply("main", "first", map[string]string{"a/b": "1", "a/c/d": "2"})
	c.noteAll("main")
}

func writingAndReading(c *target) {
	c.CommitFiles(c.t, "main", content("other/x", "1", "fleet/large/web/x.yaml", "2", "fleet/small/y", strings.Repeat("long ", 10_000)),
		"first")
	c.CommitSymlink(c.t, "main", "fleet/link", "large")
	c.CommitExecutable(c.t, "main", "other/x")
	c.read("main", "fleet")
	c.read("main", "fleet/large/web")
	c.read("main", "absent")
	c.apply("main", "second", map[string]string{"fleet/large/web/x.yaml": "3", "fleet/new/z": "4"})
	c.apply("main", "the same", map[string]string{"fleet/new/z": "4"})
	c.apply("main", "removes", map[string]string{"fleet/large/web/x.yaml": ""})
	c.apply("main", "in the way", map[string]string{"fleet/small/y/z": "5"})
	c.read("main", "fleet")
	c.noteAll("main")
}

func writersInBetween(c *target) {
	c.CommitFiles(c.t, "main", content("a", "1"), "first")
	decided := 0
	result, err := c.client().Apply(c.t.Context(), c.branch("main"), git.Work{
		Query: git.Query{Paths: map[string]tree.Entry{"a": {Mode: tree.ModeFile}}},
		Decide: func(*git.Answer) (git.Change, error) {
			if decided++; decided < 3 {
				c.CommitFiles(c.t, "main", content("b", fmt.Sprint(decided)), "meanwhile")
			}
			return git.Change{Message: "ours", Edits: map[string]tree.Entry{"a": tree.File("", []byte("2"))}}, nil
		},
	})
	c.note("%s %v after %d decisions", result, err, decided)
	c.noteAll("main")
}

func namesInTheWay(c *target) {
	c.CommitFiles(c.t, "main", content("a", "1"), "first")
	c.apply("main/below", "below a branch", map[string]string{"a": "2"})
	c.CommitFiles(c.t, "deep/er", content("a", "1"), "first")
	c.apply("deep", "above a branch", map[string]string{"a": "2"})
	c.noteAll("main", "main/below", "deep", "deep/er")
}

func deleting(c *target) {
	id := func(text string) tree.ID {
		parsed, err := tree.ParseID(text)
		if err != nil {
			c.t.Fatal(err)
		}
		return parsed
	}
	first := c.CommitFiles(c.t, "main", content("a", "1"), "first")
	c.CommitFiles(c.t, "topic", content("a", "1"), "first")
	second := c.CommitFiles(c.t, "topic", content("a", "2"), "second")
	for _, test := range [][2]string{{"topic", first}, {"topic", second}, {"topic", second}, {"main", first}} {
		gone, err := c.client().DeleteBranch(c.t.Context(), c.branch(test[0]), id(test[1]))
		c.note("delete %s: %t %v", test[0], gone, err)
	}
	for range 2 { // a commit that no branch has is there until it is dropped
		_, err := c.client().Snapshots().Open(c.t.Context(), git.Revision{Repo: c.url, Commit: second}, ".")
		c.note("what was deleted can be read: %t", err == nil)
		c.Prune(c.t)
	}
	c.noteAll("main", "topic")
	c.Fsck(c.t)
}

func proposing(c *target) {
	c.CommitFiles(c.t, "main", content("a", "1", "b", "1"), "first")
	proposal := git.Proposal{
		Work:    work(git.Change{Message: "propose", Edits: map[string]tree.Entry{"a": tree.File("", []byte("2"))}}),
		Name:    func(git.Change, map[string]tree.ID) string { return "kalypso/1" },
		IsKnown: func(string) (bool, error) { return false, nil },
	}
	propose := func(what string) {
		made, err := c.client().Propose(c.t.Context(), c.branch("main"), proposal)
		c.note("%s: %s %s %v", what, made.Branch, made.Commit, err)
	}
	propose("first")
	propose("again")
	c.CommitFiles(c.t, "main", content("b", "2"), "meanwhile")
	propose("on another base")
	c.CommitFiles(c.t, "kalypso/1", content("a", "3"), "pushed by another one")
	propose("over another content")
	proposal.IsKnown = func(string) (bool, error) { return true, nil }
	propose("known")
	c.noteAll("main", "kalypso/1")
	c.Merge(c.t, "main", "kalypso/1")
	proposal.Work = work(git.Change{Message: "propose", Edits: map[string]tree.Entry{"a": tree.File("", []byte("3"))}})
	propose("merged")
	c.note("merged %v", c.Files(c.t, "main"))
}

func refusals(c *target) {
	c.CommitFiles(c.t, "main", content("a", "1"), "first")
	c.apply("guarded", "onto what is protected", map[string]string{"a": "2"})
	c.apply("other", "beside it", map[string]string{"a": "2"})
	c.apply("has space", "a name that is not valid", map[string]string{"a": "2"})
	_, err := c.client().Read(c.t.Context(), git.Branch{Repo: c.url + "-absent", Name: "main"}, git.Query{})
	c.note("%t", err == nil) // what is said of it differs from transport to transport
	c.noteAll("main", "guarded", "other")
}

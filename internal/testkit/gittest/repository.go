// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Served is a repository that ServeHTTP serves.
type Served interface {
	// Handler returns what answers requests below "/name".
	Handler(t testing.TB) (name string, handler http.Handler)
}

// Repository is what tests do with a repository: with a Repo, or with one in memory of
// package gitmem. A revision is the name of a branch, or the id of a commit.
type Repository interface {
	Served
	CommitFiles(t testing.TB, branch string, files map[string][]byte, message string) string
	Commit(t testing.TB, c Revision) string
	CommitSymlink(t testing.TB, branch, path, target string) string
	CommitExecutable(t testing.TB, branch, path string) string
	CommitNothing(t testing.TB, branch string, commits int)
	CommitTree(t testing.TB, branch, of, message string) string
	// Limit says whether the repository accepts filters, and wants of any object. It accepts
	// both until then, as the large forges do.
	Limit(t testing.TB, filters, anyObject bool)
	Branch(t testing.TB, branch, at string)
	Alias(t testing.TB, alias, branch string)
	DeleteBranch(t testing.TB, branch string)
	// Prune drops what no branch reaches.
	Prune(t testing.TB)
	Merge(t testing.TB, into, from string)
	Branches(t testing.TB) map[string]string
	Head(t testing.TB, branch string) string
	Log(t testing.TB, branch string) []string
	Commits(t testing.TB, revision string) []string
	Message(t testing.TB, revision string) string
	Files(t testing.TB, revision string) map[string]string
	Paths(t testing.TB, revision string) []string
	Tree(t testing.TB, revision, path string) string
	TreeWithout(t testing.TB, branch, name string) string
	// Fsck fails the test if anything is wrong with the repository.
	Fsck(t testing.TB)
}

// Limit says whether the repository accepts filters, and wants of any object.
func (r *Repo) Limit(t testing.TB, filters, anyObject bool) {
	t.Helper()
	r.SetConfig(t, "uploadpack.allowFilter", strconv.FormatBool(filters))
	r.SetConfig(t, "uploadpack.allowAnySHA1InWant", strconv.FormatBool(anyObject))
}

// CommitTree makes a commit on a branch that holds what a revision holds: a revert. It
// returns the commit's id.
func (r *Repo) CommitTree(t testing.TB, branch, of, message string) string {
	t.Helper()
	tree := strings.TrimSpace(r.Git(t, "rev-parse", r.commitOf(t, of)+"^{tree}"))
	return r.commit(t, branch, message, []byte("M 040000 "+tree+" \n"))
}

// Branch makes a branch point at the commit of a revision. It creates the branch where it
// does not exist, and moves it if it does.
func (r *Repo) Branch(t testing.TB, branch, at string) {
	t.Helper()
	r.Git(t, "update-ref", "refs/heads/"+branch, r.commitOf(t, at))
}

// Alias makes a branch another name of one, as a symbolic reference.
func (r *Repo) Alias(t testing.TB, alias, branch string) {
	t.Helper()
	r.Git(t, "symbolic-ref", "refs/heads/"+alias, "refs/heads/"+branch)
}

// Prune drops what no branch reaches.
func (r *Repo) Prune(t testing.TB) {
	t.Helper()
	r.Git(t, "gc", "--quiet", "--prune=now")
}

// Branches returns the commits of all branches by their names.
func (r *Repo) Branches(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(r.Git(t, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = commit
	}
	return all
}

// Commits returns the ids of a revision's commits, oldest first, following the first
// parent of each.
func (r *Repo) Commits(t testing.TB, revision string) []string {
	t.Helper()
	return strings.Fields(r.Git(t, "rev-list", "--reverse", "--first-parent", r.commitOf(t, revision)))
}

// Message returns the whole message of a revision's commit.
func (r *Repo) Message(t testing.TB, revision string) string {
	t.Helper()
	_, message, _ := strings.Cut(r.Git(t, "cat-file", "commit", r.commitOf(t, revision)), "\n\n")
	return message
}

// Paths returns the paths of the files of a revision, sorted.
func (r *Repo) Paths(t testing.TB, revision string) []string {
	t.Helper()
	list := r.Git(t, "ls-tree", "-r", "-z", "--name-only", "--full-tree", r.commitOf(t, revision))
	return strings.FieldsFunc(list, func(c rune) bool { return c == 0 })
}

// commitOf returns the commit of a revision.
func (r *Repo) commitOf(t testing.TB, revision string) string {
	t.Helper()
	if head := r.Head(t, revision); head != "" {
		return head
	}
	return revision
}

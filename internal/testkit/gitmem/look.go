// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// The methods here look at what branches hold. If one takes a revision, that is the
// name of a branch or the id of a commit.

// Files returns the whole tree of a revision: path to content.
func (r *Repo) Files(t testing.TB, revision string) map[string]string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]string{}
	for path, e := range r.files(r.commitAt(r.must(t, revision)).tree) {
		all[path] = string(r.objects[e.id].data)
	}
	return all
}

// Paths returns the paths of the files of a revision, sorted.
func (r *Repo) Paths(t testing.TB, revision string) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	return sortedNames(r.files(r.commitAt(r.must(t, revision)).tree))
}

// Tree returns the id of the tree or blob at a path of a revision; "" is the root.
func (r *Repo) Tree(t testing.TB, revision, path string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.commitAt(r.must(t, revision)).tree
	for _, name := range strings.FieldsFunc(path, func(c rune) bool { return c == '/' }) {
		entries := r.objects[id].tree()
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
		if i < 0 {
			t.Fatalf("%s holds no %s", revision, path)
		}
		id = entries[i].id
	}
	return id.String()
}

// TreeWithout returns the id of the root tree that a revision has without one of its entries.
func (r *Repo) TreeWithout(t testing.TB, revision, name string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	entries := slices.Clone(r.objects[r.commitAt(r.must(t, revision)).tree].tree())
	return r.put(plumbing.TreeObject, encodeTree(slices.DeleteFunc(entries, func(e entry) bool { return e.name == name }))).String()
}

// Message returns the whole message of a revision's commit.
func (r *Repo) Message(t testing.TB, revision string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.commitAt(r.must(t, revision)).message
}

// Log returns the subjects of a revision's commits, newest first; none if it does not exist.
func (r *Repo) Log(_ testing.TB, revision string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, id := range r.walk(r.find(revision), plumbing.ZeroHash) {
		subject, _, _ := strings.Cut(strings.TrimLeft(r.commitAt(id).message, "\n"), "\n\n")
		all = append(all, strings.ReplaceAll(strings.TrimSpace(subject), "\n", " "))
	}
	return all
}

// Commits returns the ids of a revision's commits, oldest first, following the first
// parent of each.
func (r *Repo) Commits(t testing.TB, revision string) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for id := r.must(t, revision); ; {
		all = append(all, id.String())
		parents := r.commitAt(id).parents
		if len(parents) == 0 {
			slices.Reverse(all)
			return all
		}
		id = parents[0]
	}
}

// HasCommit reports whether the repository has a commit of that id.
func (r *Repo) HasCommit(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return plumbing.IsHash(id) && r.isCommit(plumbing.NewHash(id))
}

// isCommit is HasCommit for who has locked the repository.
func (r *Repo) isCommit(id plumbing.Hash) bool {
	o := r.objects[id]
	return o != nil && o.kind == plumbing.CommitObject
}

// Ahead returns the ids of the commits that a revision has and a base lacks, newest first.
func (r *Repo) Ahead(base, revision string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, id := range r.walk(r.find(revision), r.find(base)) {
		all = append(all, id.String())
	}
	return all
}

// Fsck fails the test if an object that a branch reaches does not exist, is of the
// wrong kind, or is a tree that git would write otherwise.
func (r *Repo) Fsck(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for branch, id := range r.branches {
		if err := (connection{objects: r.objects}).check(id); err != nil {
			t.Errorf("branch %s: %v", branch, err)
		}
	}
	for id, o := range r.objects {
		if o.kind == plumbing.TreeObject && string(encodeTree(slices.Clone(o.tree()))) != string(o.data) {
			t.Errorf("the tree %s is not sorted, or damaged", id)
		}
	}
}

// walk returns a commit and those before it, newest first and as git does among equals,
// without those of another one. The zero id has none.
func (r *Repo) walk(from, without plumbing.Hash) []plumbing.Hash {
	seen := r.ancestors(without)
	var waiting, all []plumbing.Hash
	add := func(id plumbing.Hash) {
		if !id.IsZero() && !seen[id] {
			seen[id] = true
			waiting = append(waiting, id)
		}
	}
	for add(from); len(waiting) > 0; {
		next := 0
		for i, id := range waiting {
			if r.commitAt(id).time > r.commitAt(waiting[next]).time {
				next = i
			}
		}
		id := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		all = append(all, id)
		for _, parent := range r.commitAt(id).parents {
			add(parent)
		}
	}
	return all
}

// ancestors returns a commit and all before it.
func (r *Repo) ancestors(of ...plumbing.Hash) map[plumbing.Hash]bool {
	all := map[plumbing.Hash]bool{}
	for left := slices.Clone(of); len(left) > 0; {
		id := left[len(left)-1]
		left = left[:len(left)-1]
		if id.IsZero() || all[id] {
			continue
		}
		all[id] = true
		left = append(left, r.commitAt(id).parents...)
	}
	return all
}

// connection is a check whether all that objects name exists, up to what is known.
type connection struct{ objects, known map[plumbing.Hash]*object }

// check checks a commit.
func (c connection) check(id plumbing.Hash) error {
	type named struct {
		id   plumbing.Hash
		kind plumbing.ObjectType
	}
	seen := map[plumbing.Hash]bool{emptyTree: true}
	for left := []named{{id, plumbing.CommitObject}}; len(left) > 0; {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if seen[n.id] || c.known[n.id] != nil {
			continue
		}
		seen[n.id] = true
		o := c.objects[n.id]
		if o == nil || o.kind != n.kind {
			return missingError{n.kind, n.id}
		}
		switch o.kind {
		case plumbing.CommitObject:
			left = append(left, named{o.commit().tree, plumbing.TreeObject})
			for _, parent := range o.commit().parents {
				left = append(left, named{parent, plumbing.CommitObject})
			}
		case plumbing.TreeObject:
			for _, e := range o.tree() {
				switch e.mode {
				case filemode.Dir:
					left = append(left, named{e.id, plumbing.TreeObject})
				case filemode.Submodule: // a commit of another repository
				default:
					left = append(left, named{e.id, plumbing.BlobObject})
				}
			}
		default: // blobs name nothing
		}
	}
	return nil
}

// emptyTree is a tree that every repository has without holding it.
var emptyTree = plumbing.ComputeHash(plumbing.TreeObject, nil)

type missingError struct {
	kind plumbing.ObjectType
	id   plumbing.Hash
}

func (e missingError) Error() string {
	return "the " + e.kind.String() + " " + e.id.String() + " does not exist"
}

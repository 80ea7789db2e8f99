// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The methods here make commits. They are named as those of gittest.Repo, and make
// commits with the same ids.

// tester is who commits what tests commit.
const tester = "Test <test@example.com> 1700000000 +0000"

// CommitFiles makes a commit on a branch, which it creates if it does not exist: path
// to content, nil content deletes the path. It returns the commit's id.
func (r *Repo) CommitFiles(_ testing.TB, branch string, files map[string][]byte, message string) string {
	return r.commit(branch, files, revision{author: tester, committer: tester, message: message})
}

// Commit makes a commit on a branch, which it creates if it does not exist, and returns
// its id.
func (r *Repo) Commit(t testing.TB, c gittest.Revision) string {
	t.Helper()
	when := int64(1700000000)
	if !c.Time.IsZero() {
		when = c.Time.Unix()
	}
	made := revision{
		author:    fmt.Sprintf("%s <author@example.com> %d +0000", cmp.Or(c.Author, "Test"), when),
		committer: fmt.Sprintf("Test <test@example.com> %d +0000", when),
		message:   cmp.Or(c.Message, "change "+c.Branch),
	}
	for _, id := range c.Merged {
		made.parents = append(made.parents, plumbing.NewHash(id))
	}
	return r.commit(c.Branch, c.Files, made)
}

// CommitNothing makes so many commits on a branch that change no file.
func (r *Repo) CommitNothing(_ testing.TB, branch string, commits int) {
	for range commits {
		r.commit(branch, nil, revision{author: tester, committer: tester, message: "nothing"})
	}
}

// CommitSymlink makes a commit with a symbolic link on a branch.
func (r *Repo) CommitSymlink(t testing.TB, branch, path, target string) string {
	t.Helper()
	return r.commitEntry(branch, path, "link "+path, func(map[string]entry) entry {
		return entry{mode: filemode.Symlink, id: r.put(plumbing.BlobObject, []byte(target))}
	})
}

// CommitExecutable makes a commit that turns a file of a branch into an executable one.
func (r *Repo) CommitExecutable(t testing.TB, branch, path string) string {
	t.Helper()
	return r.commitEntry(branch, path, "chmod "+path, func(files map[string]entry) entry {
		if _, ok := files[path]; !ok {
			t.Fatalf("%s holds no %s", branch, path)
		}
		return entry{mode: filemode.Executable, id: files[path].id}
	})
}

func (r *Repo) commitEntry(branch, path, message string, change func(files map[string]entry) entry) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := r.files(r.commitAt(r.branches[r.named(branch)]).tree)
	place(files, path, change(files))
	return r.add(branch, revision{tree: r.putTree(files), author: tester, committer: tester, message: message})
}

// CommitTree makes a commit on a branch that holds what another commit holds, which is
// given by its id or a branch's name: a revert. It returns the commit's id.
func (r *Repo) CommitTree(t testing.TB, branch, of, message string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	tree := r.commitAt(r.must(t, of)).tree
	return r.add(branch, revision{tree: tree, author: tester, committer: tester, message: message})
}

// AddObject adds an object as it is given, and returns its id: a "commit" that nobody
// else makes.
func (r *Repo) AddObject(t testing.TB, kind string, data []byte) string {
	t.Helper()
	parsed, err := plumbing.ParseObjectType(kind)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.put(parsed, data).String()
}

// AddTree adds a tree that holds what another one holds, which is given by its id or is
// empty, with folders by their names and ids. It returns the id.
func (r *Repo) AddTree(t testing.TB, base string, folders map[string]string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var entries []entry
	if base != "" {
		entries = slices.Clone(r.objects[plumbing.NewHash(base)].tree())
	}
	for name, id := range folders {
		entries = append(entries, entry{name, filemode.Dir, plumbing.NewHash(id)})
	}
	return r.put(plumbing.TreeObject, encodeTree(entries)).String()
}

// commit makes a commit that changes files of a branch. Its parents follow the branch's
// own commit.
func (r *Repo) commit(branch string, changes map[string][]byte, c revision) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := r.files(r.commitAt(r.branches[r.named(branch)]).tree)
	for _, path := range sortedNames(changes) {
		if content := changes[path]; content == nil {
			remove(files, path)
		} else {
			place(files, path, entry{mode: filemode.Regular, id: r.put(plumbing.BlobObject, content)})
		}
	}
	c.tree = r.putTree(files)
	return r.add(branch, c)
}

// add makes a commit the one of a branch, after the branch's own one.
func (r *Repo) add(branch string, c revision) string {
	if head, ok := r.branches[r.named(branch)]; ok {
		c.parents = append([]plumbing.Hash{head}, c.parents...)
	}
	id := r.putCommit(c)
	r.branches[r.named(branch)] = id
	return id.String()
}

// remove takes a file or a folder away.
func remove(files map[string]entry, path string) {
	for other := range files {
		if other == path || strings.HasPrefix(other, path+"/") {
			delete(files, other)
		}
	}
}

// place puts a file at a path, instead of whatever is in its way.
func place(files map[string]entry, path string, e entry) {
	remove(files, path)
	for i := range path {
		if path[i] == '/' {
			delete(files, path[:i])
		}
	}
	files[path] = e
}

// signature is who does what a server does now.
func signature() string { return fmt.Sprintf("Test <test@example.com> %d +0000", time.Now().Unix()) }

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// branch is the branch main of a repository in memory, with a client that reads and
// writes it.
type branch struct {
	t      testing.TB
	repo   *gitmem.Repo
	client *git.Client
	// roots are the root trees of commits that were looked at.
	roots map[string]*tree.Dir
}

// newBranch makes a branch that holds nothing.
func newBranch(t testing.TB) *branch {
	t.Helper()
	client, err := git.NewClient(git.Options{Backoff: wait.Backoff{Duration: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	b := &branch{t: t, repo: gitmem.New(t), client: client, roots: map[string]*tree.Dir{}}
	b.repo.CommitNothing(t, "main", 1)
	return b
}

func (b *branch) named(name string) git.Branch { return git.Branch{Repo: b.repo.URL(), Name: name} }

// head is the id of the branch's commit.
func (b *branch) head() tree.ID {
	b.t.Helper()
	id, err := tree.ParseID(b.repo.Head(b.t, "main"))
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// root is what the branch holds.
func (b *branch) root() *tree.Dir {
	b.t.Helper()
	head := b.repo.Head(b.t, "main")
	if b.roots[head] == nil {
		all := map[string]tree.Entry{}
		for path, text := range b.repo.Files(b.t, head) {
			all[path] = tree.File("", []byte(text))
		}
		b.roots[head] = tree.FromEntries(nil).With(all)
	}
	return b.roots[head]
}

// find returns the entry at a path of a tree.
func find(dir *tree.Dir, path string) tree.Entry {
	var e tree.Entry
	for _, name := range tree.SplitPath(path) {
		if dir == nil {
			return tree.Entry{}
		}
		e, _ = dir.Find(name)
		dir = e.Dir
	}
	return e
}

// files are all files of a tree by their paths.
func files(dir *tree.Dir) map[string]tree.Entry {
	all := map[string]tree.Entry{}
	for _, e := range dir.Entries {
		if e.Dir == nil {
			all[e.Name] = e
			continue
		}
		for path, file := range files(e.Dir) {
			all[e.Name+"/"+path] = file
		}
	}
	return all
}

// read reads the branch.
func (b *branch) read(q git.Query) *git.Answer {
	b.t.Helper()
	state, err := b.client.Read(b.t.Context(), b.named("main"), q)
	if err != nil {
		b.t.Fatal(err)
	}
	return state
}

// apply carries out a job on a branch. The error says why nobody may do that. Whatever
// else goes wrong fails the test.
func (b *branch) apply(name string, job git.Work) error {
	b.t.Helper()
	var refused error
	decide := job.Decide
	job.Decide = func(found *git.Answer) (git.Change, error) {
		change, err := decide(found)
		refused = err
		return change, err
	}
	_, err := b.client.Apply(b.t.Context(), b.named(name), job)
	var conflict *git.ConflictError
	var exists *git.ExistsError
	var failed *remote.Error
	expected := err == nil || refused != nil || errors.As(err, &conflict) || errors.As(err, &exists) || errors.As(err, &failed) &&
		failed.Kind == remote.KindOccupied
	if !expected {
		b.t.Fatalf("%s is not written: %v", name, err)
	}
	return err
}

// records are those that count, as somebody who knows nothing reads them.
func (b *branch) records() ownership.Records {
	b.t.Helper()
	folder := find(b.root(), ownership.RecordsFolder)
	if folder.Dir == nil {
		return ownership.Records{}
	}
	records, err := ownership.ReadRecords(&git.Found{Mode: folder.Mode, ID: folder.ID, Entries: folder.Dir.Entries}, "main")
	if err != nil {
		b.t.Fatal(err)
	}
	return records
}

// merge merges another branch and deletes it, and reports whether it did.
func (b *branch) merge(topic string) (merged bool) {
	b.t.Helper()
	head := b.repo.Head(b.t, "main")
	commit, err := b.repo.MergeCommit(head, b.repo.Head(b.t, topic), "merge")
	b.repo.DeleteBranch(b.t, topic)
	return err == nil && b.repo.Move("main", head, commit)
}

// edit changes a file by hand; without content, it is deleted.
func (b *branch) edit(path string, content []byte) {
	b.repo.CommitFiles(b.t, "main", map[string][]byte{path: content}, "by hand")
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Dump is the content of a repository, for test data.
type Dump struct {
	Objects []DumpedObject
	// Branches has commits by the names of branches.
	Branches map[string]string
}

// DumpedObject is an object of git.
type DumpedObject struct {
	Kind string
	Data []byte
}

// Dump returns the content of the repository, in the order of the objects' ids.
func (r *Repo) Dump(t testing.TB) Dump {
	t.Helper()
	dump := Dump{Branches: r.Branches(t)}
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := slices.Collect(maps.Keys(r.objects))
	slices.SortFunc(ids, func(a, b plumbing.Hash) int { return cmp.Compare(a.String(), b.String()) })
	for _, id := range ids {
		dump.Objects = append(dump.Objects, DumpedObject{Kind: r.objects[id].kind.String(), Data: r.objects[id].data})
	}
	return dump
}

// Restore adds the content of a dump to the repository.
func (r *Repo) Restore(t testing.TB, dump Dump) {
	t.Helper()
	for _, object := range dump.Objects {
		r.AddObject(t, object.Kind, object.Data)
	}
	for branch, commit := range dump.Branches {
		r.Branch(t, branch, commit)
	}
}

// VerifyCommits has git verify the signatures of all commits of a committer, on whatever branch.
// It returns how many there are.
func (r *Repo) VerifyCommits(t testing.TB, key gittest.SigningKey, committer string) int {
	t.Helper()
	disk := gittest.NewBare(t)
	var commits []string
	for _, object := range r.Dump(t).Objects {
		if object.Kind == plumbing.CommitObject.String() && bytes.Contains(object.Data, []byte("\ncommitter "+committer+" <")) {
			commits = append(commits, disk.AddCommit(t, object.Data))
		}
	}
	disk.VerifyCommits(t, key, commits...)
	return len(commits)
}

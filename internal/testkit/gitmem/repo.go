// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package gitmem gives tests a git repository in memory, which the test's own process
// serves over smart HTTP on loopback. It starts no process and writes no file, so a test
// that uses it takes milliseconds. Its commits have the ids that the same commits have in
// a repository of package gittest; a contract test holds that both serve the same.
package gitmem

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Repo is a bare repository that keeps branches and refuses pushes of tags. It accepts
// filters and wants of any object, as the large forges do; Limit turns that off. All methods are safe for use at the same time.
type Repo struct {
	mu      sync.Mutex
	objects map[plumbing.Hash]*object
	// branches has commits by the names of branches, and aliases the branches that are
	// other names of one.
	branches map[string]plumbing.Hash
	aliases  map[string]string
	// Without filters, and with wants of nothing but tips of branches.
	unfiltered, tipsOnly bool
	fastForward          bool
	multiACK             bool // clients need it
	// refused has what a push of a reference is refused with.
	refused map[string]string
	url     string
}

// defaultBranch is the one that HEAD names.
const defaultBranch = "main"

// New makes an empty repository, and serves it on a port of its own, to everybody, until
// the test ends. gittest.ServeHTTP serves it besides, with options.
func New(t testing.TB) *Repo {
	t.Helper()
	r := &Repo{objects: map[plumbing.Hash]*object{}, branches: map[string]plumbing.Hash{}, aliases: map[string]string{},
		refused: map[string]string{}}
	r.url = gittest.ServeHTTP(t, r).URL()
	return r
}

// URL is the repository's URL.
func (r *Repo) URL() string { return r.url }

// Handler returns what answers requests below "/name", for gittest.ServeHTTP.
func (r *Repo) Handler(testing.TB) (name string, handler http.Handler) {
	return "repo.git", http.StripPrefix("/repo.git", http.HandlerFunc(r.serve))
}

// Limit says whether the repository accepts filters, and wants of any object.
func (r *Repo) Limit(_ testing.TB, filters, anyObject bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unfiltered, r.tipsOnly = !filters, !anyObject
}

// RequireMultiACK has the repository refuse clients that do not ask for the capability multi_ack, as
// Azure Repos does.
func (r *Repo) RequireMultiACK() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.multiACK = true
}

// RequireFastForward has the repository refuse pushes that drop commits of a branch.
func (r *Repo) RequireFastForward() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fastForward = true
}

// Refuse has the repository refuse each push to a branch, as a hook does, and say a text
// to the client.
func (r *Repo) Refuse(branch, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused["refs/heads/"+branch] = text
}

// Head is the id of a branch's commit; empty if the branch does not exist.
func (r *Repo) Head(_ testing.TB, branch string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return text(r.branches[r.named(branch)])
}

// Branches returns the commits of all branches by their names.
func (r *Repo) Branches(testing.TB) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]string{}
	for name, commit := range r.all() {
		all[name] = commit.String()
	}
	return all
}

// Branch makes a branch point at a commit, which is given by its id or a branch's name.
// It creates the branch if it does not exist, and moves it if it does.
func (r *Repo) Branch(t testing.TB, branch, at string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.branches[r.named(branch)] = r.must(t, at)
}

// Alias makes a branch another name of one, as a symbolic reference.
func (r *Repo) Alias(_ testing.TB, alias, branch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aliases[alias] = branch
}

// DeleteBranch removes a branch.
func (r *Repo) DeleteBranch(_ testing.TB, branch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.branches, r.named(branch))
}

// Prune drops what no branch reaches.
func (r *Repo) Prune(testing.TB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reached := collection{repo: r, filter: everything, depths: map[plumbing.Hash]int{}}
	for _, tip := range r.branches {
		for id := range r.history([]plumbing.Hash{tip}, nil) {
			reached.add(id, 0)
		}
	}
	maps.DeleteFunc(r.objects, func(id plumbing.Hash, _ *object) bool {
		_, ok := reached.depths[id]
		return !ok
	})
}

// Move moves a branch from one commit to another, and reports whether it was at the
// first one. An empty id stands for no branch.
func (r *Repo) Move(branch, from, to string) (moved bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text(r.branches[r.named(branch)]) != from {
		return false
	}
	r.set(r.named(branch), plumbing.NewHash(to))
	return true
}

// named returns the branch that a name stands for.
func (r *Repo) named(branch string) string {
	if target, ok := r.aliases[branch]; ok {
		return target
	}
	return branch
}

// all returns the branches and their other names.
func (r *Repo) all() map[string]plumbing.Hash {
	all := make(map[string]plumbing.Hash, len(r.branches))
	for name, commit := range r.branches {
		all[name] = commit
	}
	for alias, branch := range r.aliases {
		if commit, ok := r.branches[branch]; ok {
			all[alias] = commit
		}
	}
	return all
}

// set moves a branch, or deletes it if the id is zero.
func (r *Repo) set(branch string, to plumbing.Hash) {
	if delete(r.branches, branch); !to.IsZero() {
		r.branches[branch] = to
	}
}

// update moves a branch as a push does: only from where it is expected to be. The texts
// of its errors are git's.
func (r *Repo) update(branch string, from, to plumbing.Hash) error {
	name := "refs/heads/" + branch
	now := r.branches[r.named(branch)]
	switch {
	case now == from:
	case from.IsZero():
		return fmt.Errorf("cannot lock ref '%s': reference already exists", name)
	case now.IsZero():
		return fmt.Errorf("cannot lock ref '%s': unable to resolve reference '%s'", name, name)
	default:
		return fmt.Errorf("cannot lock ref '%s': is at %s but expected %s", name, now, from)
	}
	if now.IsZero() && !to.IsZero() {
		for other := range r.all() {
			if strings.HasPrefix(other, branch+"/") || strings.HasPrefix(branch, other+"/") {
				return fmt.Errorf("cannot lock ref '%s': 'refs/heads/%s' exists; cannot create '%s'", name, other, name)
			}
		}
	}
	if !to.IsZero() && !r.isCommit(to) {
		return fmt.Errorf("cannot update ref '%s': trying to write non-commit object %s to branch '%s'", name, to, name)
	}
	r.set(r.named(branch), to)
	return nil
}

// find returns the commit that an id or the name of a branch stands for; zero for none.
func (r *Repo) find(revision string) plumbing.Hash {
	if commit, ok := r.branches[r.named(revision)]; ok {
		return commit
	}
	if id := plumbing.NewHash(revision); r.objects[id] != nil && plumbing.IsHash(revision) {
		return id
	}
	return plumbing.ZeroHash
}

// must is find for what has to exist. The caller has locked the repository.
func (r *Repo) must(t testing.TB, revision string) plumbing.Hash {
	t.Helper()
	id := r.find(revision)
	if id.IsZero() {
		t.Fatalf("there is no commit and no branch %q", revision)
	}
	return id
}

// text writes an id; the zero one is empty.
func text(id plumbing.Hash) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// sortedNames are the keys of a map.
func sortedNames[V any](all map[string]V) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

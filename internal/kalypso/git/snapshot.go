// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Revision is a commit of a repository: Commit, or the head of Branch if Commit is empty. A
// complete Commit needs no Branch if the server sends commits by id. An abbreviated Commit has
// to be in the branch's history, and so has any Commit with InBranch.
type Revision struct {
	Repo, Branch, Commit string
	InBranch             bool
}

// String returns the revision as repo#branch@commit, without secrets.
func (r Revision) String() string {
	text := remote.Redact(r.Repo) + "#" + r.Branch
	if r.Commit != "" {
		text += "@" + r.Commit
	}
	return text
}

// parallelRepositories is how many repositories are read at the same time.
const parallelRepositories = 8

// Snapshots reads commits for one run. It lists the references of a repository once, so that
// the whole run sees the same head of a branch, and fetches no object twice. Many goroutines
// may use it at the same time.
type Snapshots struct {
	client       *Client
	slots        chan struct{}
	mu           sync.Mutex
	repositories map[reach]*runRepo
}

// reach is a repository with an access: content that one operation reads with a credential
// must not reach an operation without this credential.
type reach struct {
	url    string
	access *access
}

// Snapshots starts a run.
func (c *Client) Snapshots() *Snapshots {
	return &Snapshots{client: c, slots: make(chan struct{}, parallelRepositories), repositories: map[reach]*runRepo{}}
}

type runRepo struct {
	mu   sync.Mutex // guards the session and the fetched objects
	repo *repo
	// references are the references of the first listing; nil before it.
	references *packp.AdvRefs
	// listing is the session of that listing; nil if it cannot be used again.
	listing *listing
	opened  map[Revision]*Snapshot
	commits map[tree.ID]*Snapshot
	logs    map[logKey]*Log
}

// Snapshot is one commit of a repository: the folders that it was opened with,
// and the files that were fetched.
type Snapshot struct {
	run        *Snapshots
	repository *runRepo
	revision   Revision
	source     *source
}

// Open finds a commit and fetches the missing trees of the folders, with all trees below. A
// folder that does not exist is not an error; Find reports it. Errors: those of Client.Read,
// and remote.KindBranchNotFound, remote.KindCommitNotFound, remote.KindTooLarge.
func (s *Snapshots) Open(ctx context.Context, at Revision, folders ...string) (*Snapshot, error) {
	at.Commit = strings.ToLower(at.Commit)
	r, err := s.repository(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := tree.CheckPath(folder); err != nil {
			return nil, err
		}
	}
	var snapshot *Snapshot
	err = s.online(ctx, r, at, func(ctx context.Context) error {
		snapshot, err = s.open(ctx, r, at, folders)
		return err
	})
	return snapshot, err
}

// repository checks a revision and returns the state of its repository.
func (s *Snapshots) repository(ctx context.Context, at Revision) (*runRepo, error) {
	repo, err := s.client.repository(ctx, at.Repo)
	switch {
	case err != nil:
		return nil, err
	case at.Branch == "" && at.Commit == "":
		return nil, fmt.Errorf("the reference to %s has neither a branch nor a commit. Set one", repo.name)
	case at.Commit != "" && !tree.IsCommitID(at.Commit):
		return nil, fmt.Errorf("%q is not a Git commit id. Write its 40 hexadecimal digits", at.Commit)
	}
	if at.Branch != "" {
		if err := CheckBranch(at.Branch); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	by := reach{at.Repo, repo.access}
	r, ok := s.repositories[by]
	if !ok {
		r = &runRepo{repo: repo, opened: map[Revision]*Snapshot{}, commits: map[tree.ID]*Snapshot{}, logs: map[logKey]*Log{}}
		s.repositories[by] = r
	}
	return r, nil
}

// online runs do. It runs one call at a time for each repository, and a few at the same time
// for all repositories. The wait for them takes nothing from the patience for a server.
func (s *Snapshots) online(ctx context.Context, r *runRepo, at Revision, do func(context.Context) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return r.repo.explain(ctx, ctx.Err())
	}
	defer func() { <-s.slots }()
	ctx, done := remote.Work(ctx)
	defer done()
	return s.client.retry(ctx, at, func() error { return do(ctx) })
}

func (s *Snapshots) open(ctx context.Context, r *runRepo, at Revision, folders []string) (*Snapshot, error) {
	snapshot, ok := r.opened[at]
	if !ok {
		found, err := r.find(ctx, at)
		if err != nil {
			r.forget()
			return nil, err
		}
		if snapshot, ok = r.commits[found.commit]; ok {
			found.rest()
		} else {
			snapshot = &Snapshot{run: s, repository: r, revision: at, source: found}
		}
	}
	err := snapshot.source.loadFolders(ctx, folders)
	snapshot.source.rest()
	if err != nil {
		if !ok {
			r.forget()
		}
		return nil, err
	}
	r.opened[at], r.commits[snapshot.source.commit] = snapshot, snapshot
	return snapshot, nil
}

func (r *runRepo) find(ctx context.Context, at Revision) (*source, error) {
	l, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	head := branchOf(r.references, at.Branch)
	s := newSource(r.repo, l, head)
	found, err := r.resolve(ctx, s, at)
	if err != nil {
		l.close()
		return nil, err
	}
	return found, nil
}

// connect opens a session. The first session lists the references.
func (r *runRepo) connect(ctx context.Context) (*listing, error) {
	if r.listing != nil {
		return r.listing, nil
	}
	l, err := r.repo.list(ctx)
	if err != nil {
		return nil, err
	}
	if r.repo.stateless {
		r.listing = l
	}
	if r.references == nil {
		r.references = l.advertised
	}
	return l, nil
}

// forget makes the next attempt list the references again: the branch may have moved.
func (r *runRepo) forget() { r.listing, r.references = nil, nil }

// resolve points the source to the revision's commit. At first, the source is at the branch's
// head.
func (r *runRepo) resolve(ctx context.Context, s *source, at Revision) (*source, error) {
	id, err := tree.ParseID(at.Commit)
	full := err == nil
	switch {
	case (at.Commit == "" || at.InBranch) && s.tip.IsZero():
		return nil, remote.Errorf(remote.KindBranchNotFound, "%s has no branch %q. Check the name, and that the branch has not been "+
			"deleted", r.repo.name, at.Branch)
	case at.Commit == "" || full && id == s.tip:
		return s, nil
	case full && !at.InBranch && r.serves(id):
		pinned := *s
		pinned.commit, pinned.tip = id, id
		if err := pinned.deepen(ctx, 0); err == nil || !declined(err) {
			return &pinned, err
		}
		s.used = pinned.used
	case s.tip.IsZero() && at.Branch != "":
		return nil, remote.Errorf(remote.KindCommitNotFound, "the commit %s of %s cannot be fetched: the branch %q does not exist, and "+
			"the server does not send commits by id", at.Commit, r.repo.name, at.Branch)
	}
	if s.tip.IsZero() {
		return nil, remote.Errorf(remote.KindCommitNotFound, "%s does not send the commit %s. Check the id, write all its 40 digits, "+
			"and name the branch that has this commit in its history", r.repo.name, at.Commit)
	}
	if err := s.find(ctx, at); err != nil {
		return nil, err
	}
	if (!full || at.InBranch) && r.serves(s.commit) {
		s.tip, s.depth = s.commit, 1
	}
	return s, nil
}

// serves reports whether the server's capabilities allow a fetch of the commit by its id.
func (r *runRepo) serves(id tree.ID) bool {
	if r.references.Capabilities.Supports(capability.AllowReachableSHA1InWant) {
		return true
	}
	for _, head := range r.references.References {
		if tree.ID(head) == id {
			return true
		}
	}
	return false
}

// Commit is the commit's id.
func (s *Snapshot) Commit() tree.ID { return s.source.commit }

// Find returns the entry at a path, and whether it exists. Errors: the path is outside of the
// opened folders.
func (s *Snapshot) Find(path string) (tree.Entry, bool, error) {
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	root, err := s.source.rootID()
	if err != nil {
		return tree.Entry{}, false, err
	}
	found := tree.Entry{Mode: tree.ModeDir, ID: root}
	for _, name := range tree.SplitPath(path) {
		if found.Mode != tree.ModeDir {
			return tree.Entry{}, false, nil
		}
		dir, err := s.source.loaded(found.ID)
		if err != nil {
			return tree.Entry{}, false, err
		}
		e, ok := dir.Find(name)
		if !ok {
			return tree.Entry{}, false, nil
		}
		found = normal(e)
	}
	return found, true, nil
}

// Walk calls visit for everything below a folder, in git's order, with paths from the
// repository's root. It stops at the first error of visit.
func (s *Snapshot) Walk(folder string, visit func(path string, e tree.Entry) error) error {
	start, ok, err := s.Find(folder)
	if err != nil || !ok {
		return err
	}
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	prefix := ""
	for _, name := range tree.SplitPath(folder) {
		prefix += name + "/"
	}
	return s.walk(prefix, start.ID, visit)
}

func (s *Snapshot) walk(prefix string, id tree.ID, visit func(path string, e tree.Entry) error) error {
	dir, err := s.source.loaded(id)
	if err != nil {
		return err
	}
	for _, e := range dir.Entries {
		e = normal(e)
		path := prefix + e.Name
		if err := visit(path, e); err != nil {
			return err
		}
		if e.Mode == tree.ModeDir {
			if err := s.walk(path+"/", e.ID, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fetch fetches the missing blobs of files, in one fetch. Errors: those of Open;
// remote.KindTooLarge if these files are too large together.
func (s *Snapshot) Fetch(ctx context.Context, blobs ...tree.ID) error {
	return s.run.online(ctx, s.repository, s.revision, func(ctx context.Context) error {
		defer s.source.rest()
		return s.source.loadBlobs(ctx, blobs...)
	})
}

// Blob returns the content of a fetched file.
func (s *Snapshot) Blob(id tree.ID) ([]byte, error) {
	s.repository.mu.Lock()
	defer s.repository.mu.Unlock()
	o, ok := s.source.objects[id]
	if !ok {
		return nil, s.source.missing(id)
	}
	return o.data, nil
}

// normal returns an entry with a mode that git writes today.
func normal(e tree.Entry) tree.Entry {
	switch {
	case e.Mode.IsDir():
		e.Mode = tree.ModeDir
	case IsFile(e):
		e.Mode = tree.ModeFile
	}
	return e
}

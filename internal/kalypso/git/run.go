// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Revision is a commit of a repository: Commit, or the head of Branch if Commit is empty. A Commit
// needs no Branch if the server sends commits by id. A Commit with InBranch has to be in the
// branch's history.
type Revision struct {
	Repo, Branch, Commit string
	InBranch             bool
	// Patience is how long the server may take for one reading; the operation's time if Patience is 0. The
	// time that a reading waits for its turn does not count.
	Patience time.Duration
}

// String returns the revision as repo#branch@commit, without secrets.
func (r Revision) String() string {
	text := remote.Redact(r.Repo) + "#" + r.Branch
	if r.Commit != "" {
		text += "@" + r.Commit
	}
	return text
}

func (r Revision) check(repo *repo) error {
	switch {
	case r.Branch == "" && r.Commit == "":
		return fmt.Errorf("the reference to %s has neither a branch nor a commit. Set one", repo.name)
	case r.Branch != "":
		if err := CheckBranch(r.Branch); err != nil {
			return err
		}
	}
	if r.Commit == "" {
		return nil
	}
	_, err := tree.ParseID(r.Commit)
	return err
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
	repositories map[reach]*repository
}

// reach is a repository with an access: content that one operation reads with a credential
// must not reach an operation without this credential.
type reach struct {
	url    string
	access *access
}

// Snapshots starts a run.
func (c *Client) Snapshots() *Snapshots {
	return &Snapshots{client: c, slots: make(chan struct{}, parallelRepositories), repositories: map[reach]*repository{}}
}

// repository is a repository in a run.
type repository struct {
	run  *Snapshots
	repo *repo
	mu   sync.Mutex // guards the following
	// reader is nil before the first listing. isRead is true once something was read of what it sees.
	reader *reader
	isRead bool
	// found are the commits of revisions.
	found map[Revision]Commit
}

// view is what a run reads of a repository.
type view struct {
	*repository
	at Revision
}

// view checks a revision and returns the view of its repository.
func (s *Snapshots) view(ctx context.Context, at Revision) (v view, err error) {
	repo, err := s.client.repository(ctx, at.Repo)
	if err == nil {
		err = at.check(repo)
	}
	if err != nil {
		return v, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	by := reach{at.Repo, repo.access}
	r, ok := s.repositories[by]
	if !ok {
		r = &repository{run: s, repo: repo, found: map[Revision]Commit{}}
		s.repositories[by] = r
	}
	return view{r, at}, nil
}

// online reads from a repository: one call at a time, and from parallelRepositories repositories at
// the same time.
func online[T any](ctx context.Context, r view, read func(context.Context, *reader) (T, error)) (found T, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.run.slots <- struct{}{}:
	case <-ctx.Done():
		return found, r.repo.explain(ctx, ctx.Err())
	}
	defer func() { <-r.run.slots }()
	if r.at.Patience > 0 {
		limited, done := remote.Within(ctx, r.at.Patience)
		defer done()
		ctx = limited
	}
	err = r.run.client.retry(ctx, r.at, func() (err error) {
		if r.reader == nil {
			if r.reader, err = r.repo.newReader(ctx); err != nil {
				return err
			}
		}
		defer r.reader.rest()
		found, err = read(ctx, r.reader)
		if r.isRead = r.isRead || err == nil; !r.isRead {
			defer func() { r.reader = nil }() // the branch may have moved since it was listed
		}
		return err
	})
	return found, err
}

// Snapshot is one commit of a repository: the folders that it was opened with, and their files.
type Snapshot struct {
	view
	commit Commit
}

// Open finds a commit and fetches the missing trees of the folders, with all trees below. A
// folder that does not exist is not an error; Find reports it. Errors: those of Client.Read,
// and remote.KindBranchNotFound, remote.KindCommitNotFound, remote.KindTooLarge.
func (s *Snapshots) Open(ctx context.Context, at Revision, folders ...string) (*Snapshot, error) {
	at.Commit = strings.ToLower(at.Commit)
	v, err := s.view(ctx, at)
	if err != nil {
		return nil, err
	}
	deepest, all := 0, false
	for _, folder := range folders {
		if err := tree.CheckPath(folder); err != nil {
			return nil, err
		}
		depth := len(tree.SplitPath(folder))
		deepest, all = max(deepest, depth), all || depth == 0
	}
	commit, err := online(ctx, v, func(ctx context.Context, read *reader) (Commit, error) {
		c, ok := v.found[at]
		if !ok {
			with := read.levels(deepest + 1)
			if all {
				with = allTrees
			}
			var err error
			if c, err = read.resolve(ctx, at, with); err != nil {
				return c, err
			}
			v.found[at] = c
		}
		return c, read.everything(ctx, c, folders)
	})
	return &Snapshot{v, commit}, err
}

// Commit is the commit's id.
func (s *Snapshot) Commit() tree.ID { return s.commit.ID }

func (s *Snapshot) dir(id tree.ID) (*tree.Dir, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := s.reader.objects.dir(id)
	return dir, s.reader.missing(id, err)
}

// Find returns the entry at a path, and whether it exists. Errors: the path is outside of the
// opened folders.
func (s *Snapshot) Find(path string) (tree.Entry, bool, error) {
	found := tree.Entry{Mode: tree.ModeDir, ID: s.commit.root}
	for _, name := range tree.SplitPath(path) {
		if found.Mode != tree.ModeDir {
			return tree.Entry{}, false, nil
		}
		dir, err := s.dir(found.ID)
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
	return s.walk(plain(folder), start.ID, visit)
}

func (s *Snapshot) walk(folder string, id tree.ID, visit func(path string, e tree.Entry) error) error {
	dir, err := s.dir(id)
	if err != nil {
		return err
	}
	for _, e := range dir.Entries {
		e = normal(e)
		at := strings.TrimPrefix(folder+"/"+e.Name, "/")
		if err := visit(at, e); err != nil {
			return err
		}
		if e.Mode == tree.ModeDir {
			if err := s.walk(at, e.ID, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Blobs returns the content of files by their ids. Cost: one fetch of the missing ones. Errors: remote.KindTooLarge if the files are too
// large together.
func (v view) Blobs(ctx context.Context, ids []tree.ID) (map[tree.ID][]byte, error) {
	return online(ctx, v, func(ctx context.Context, read *reader) (map[tree.ID][]byte, error) { return read.blobs(ctx, ids...) })
}

// Log is the history of a branch along first parents, newest first, like git log
// --first-parent. It starts at the head that the run saw first. Commits are fetched when they
// are asked for. Many goroutines may use it at the same time.
type Log struct {
	view
	levels int
}

// Log returns the history of a branch. If the server can, it sends so many levels of trees
// with the commits. Choose as many levels as lead to the paths of At and Folders, and 0 for
// commits without trees. Log itself does not connect.
func (s *Snapshots) Log(ctx context.Context, branch Branch, levels int) (*Log, error) {
	v, err := s.view(ctx, Revision{Repo: branch.Repo, Branch: branch.Name})
	return &Log{v, levels}, err
}

// Commits returns the newest commits, at most so many. It returns none if the branch does not
// exist. Errors: those of Client.Read. Cost: one fetch of the commits that were not read
// before, with commits of side branches in the same depth; the first time, also one listing of
// references.
func (l *Log) Commits(ctx context.Context, most int) ([]Commit, error) {
	return online(ctx, l.view, func(ctx context.Context, read *reader) ([]Commit, error) {
		if err := read.mistaken(l.at.Branch); err != nil {
			return nil, err
		}
		return read.log(ctx, read.branch(l.at.Branch), most, read.levels(l.levels))
	})
}

// At returns the entries at some paths in each of some commits of the log, by path; an entry without a mode
// where a path does not exist. Cost: that of Folders.
func (l *Log) At(ctx context.Context, commits []Commit, paths ...string) (map[string][]tree.Entry, error) {
	return online(ctx, l.view, func(ctx context.Context, read *reader) (map[string][]tree.Entry, error) {
		return read.look(ctx, roots(commits), paths...)
	})
}

// Folders returns folders in each of some commits of the log, by their paths; empty folders
// where a path does not exist. Cost: a fetch for each level of trees that did not come with
// the commits, for all folders together.
func (l *Log) Folders(ctx context.Context, commits []Commit, folders []string) (map[string][]*tree.Dir, error) {
	return online(ctx, l.view, func(ctx context.Context, read *reader) (map[string][]*tree.Dir, error) {
		return read.folders(ctx, roots(commits), folders...)
	})
}

// Dirs returns folders of the log's commits by their ids. Cost: one fetch of the missing ones.
func (l *Log) Dirs(ctx context.Context, ids []tree.ID) (map[tree.ID]*tree.Dir, error) {
	return online(ctx, l.view, func(ctx context.Context, read *reader) (map[tree.ID]*tree.Dir, error) { return read.dirs(ctx, ids...) })
}

// Contents returns the content of files in some folders, by their ids. wanted chooses files by
// their names. Contents leaves out files larger than most bytes. Cost: one fetch of the missing files.
func (l *Log) Contents(ctx context.Context, folders []*tree.Dir, most int, wanted func(name string) bool) (map[tree.ID][]byte, error) {
	var ids []tree.ID
	for _, dir := range folders {
		for _, e := range dir.Entries {
			if IsFile(e) && wanted(e.Name) {
				ids = append(ids, e.ID)
			}
		}
	}
	contents, err := l.Blobs(ctx, ids)
	for id, content := range contents {
		if len(content) > most {
			delete(contents, id)
		}
	}
	return contents, err
}

// Branches returns the names of the repository's branches, sorted. It costs nothing after a call of
// Commits.
func (l *Log) Branches(ctx context.Context) ([]string, error) {
	return online(ctx, l.view, func(_ context.Context, read *reader) ([]string, error) { return read.branches(), nil })
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Log is the history of a branch along first parents, newest first, like git log
// --first-parent. It starts at the head that the run saw first. Commits are fetched when they
// are asked for. Many goroutines may use it at the same time.
type Log struct {
	run        *Snapshots
	repository *runRepo
	branch     Branch
	levels     int

	// source is at the branch's head; nil before the first fetch.
	source   *source
	commits  []Commit
	complete bool
}

// logKey identifies a log of a repository.
type logKey struct {
	branch string
	levels int
}

// Log returns the history of a branch. If the server can, it sends so many levels of trees
// with the commits. Choose as many levels as lead to the paths of At and Folders, and 0 for
// commits without trees. Log itself does not connect.
func (s *Snapshots) Log(ctx context.Context, branch Branch, levels int) (*Log, error) {
	r, err := s.repository(ctx, Revision{Repo: branch.Repo, Branch: branch.Name})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	by := logKey{branch.Name, levels}
	l, ok := r.logs[by]
	if !ok {
		l = &Log{run: s, repository: r, branch: branch, levels: levels}
		r.logs[by] = l
	}
	return l, nil
}

// Commits returns the newest commits, at most so many. It returns none if the branch does not
// exist. Errors: those of Client.Read. Cost: one fetch of the commits that were not read
// before, with commits of side branches in the same depth; the first time, also one listing of
// references.
func (l *Log) Commits(ctx context.Context, most int) ([]Commit, error) {
	return online(ctx, l, func() ([]Commit, error) { return l.read(ctx, most) })
}

// At returns the entry at a path in each of some commits of the log; an entry without a mode
// if the path does not exist. Cost: a fetch for each level of trees on the way that did not
// come with the commits.
func (l *Log) At(ctx context.Context, commits []Commit, path string) ([]tree.Entry, error) {
	found, err := online(ctx, l, func() (map[string][]tree.Entry, error) { return l.source.look(ctx, roots(commits), path) })
	return found[path], err
}

// Folders returns folders in each of some commits of the log, by their paths; empty folders
// where a path does not exist. Cost: a fetch for each level of trees that did not come with
// the commits, for all folders together.
func (l *Log) Folders(ctx context.Context, commits []Commit, folders []string) (map[string][]*tree.Dir, error) {
	return online(ctx, l, func() (map[string][]*tree.Dir, error) { return l.source.folders(ctx, roots(commits), folders...) })
}

// Dirs returns folders of the log's commits by their ids. Cost: one fetch of the missing ones.
func (l *Log) Dirs(ctx context.Context, ids []tree.ID) (map[tree.ID]*tree.Dir, error) {
	return online(ctx, l, func() (map[tree.ID]*tree.Dir, error) { return l.source.dirs(ctx, ids...) })
}

// Blobs returns the content of files in the log's commits, by their ids. Cost: one fetch of
// the missing ones.
func (l *Log) Blobs(ctx context.Context, ids []tree.ID) (map[tree.ID][]byte, error) {
	return online(ctx, l, func() (map[tree.ID][]byte, error) { return l.source.blobs(ctx, ids) })
}

// Contents returns the content of files in some folders, by their ids. wanted chooses files by
// their names. Contents leaves out files larger than most bytes, and does not fetch them if
// the server can filter. Cost: one fetch of the missing files.
func (l *Log) Contents(ctx context.Context, folders []*tree.Dir, most int, wanted func(name string) bool) (map[tree.ID][]byte, error) {
	return online(ctx, l, func() (map[tree.ID][]byte, error) { return l.source.contents(ctx, folders, most, wanted) })
}

// Branches returns the names of the repository's branches, sorted. It costs nothing after a call of
// Commits.
func (l *Log) Branches(ctx context.Context) ([]string, error) {
	return online(ctx, l, func() ([]string, error) { return branchesOf(l.repository.references), nil })
}

func roots(commits []Commit) []tree.ID {
	ids := make([]tree.ID, len(commits))
	for i, c := range commits {
		ids[i] = c.root
	}
	return ids
}

func online[T any](ctx context.Context, l *Log, do func() (T, error)) (found T, err error) {
	err = l.run.online(ctx, l.repository, Revision{Repo: l.branch.Repo, Branch: l.branch.Name}, func(ctx context.Context) error {
		err := l.open(ctx)
		if err == nil {
			found, err = do()
			l.source.rest()
		}
		if err != nil && len(l.commits) == 0 {
			l.source = nil // the branch may have moved
			l.repository.forget()
		}
		return err
	})
	return found, err
}

// open finds the branch's head.
func (l *Log) open(ctx context.Context) error {
	if l.source != nil {
		return nil
	}
	listed, err := l.repository.connect(ctx)
	if err != nil {
		return err
	}
	l.source = newSource(l.repository.repo, listed, branchOf(l.repository.references, l.branch.Name))
	l.complete = l.source.commit.IsZero()
	return nil
}

func (l *Log) read(ctx context.Context, most int) ([]Commit, error) {
	for len(l.commits) < most && !l.complete {
		next := l.source.commit
		if n := len(l.commits); n > 0 {
			next = l.commits[n-1].Parents[0]
		}
		if err := l.reach(ctx, next, most); err != nil {
			return nil, err
		}
		c, err := readCommit(next, l.source.objects[next].data)
		if err != nil {
			return nil, err
		}
		l.commits = append(l.commits, c)
		l.complete = len(c.Parents) == 0 || slices.Contains(l.repository.references.Shallows, plumbing.Hash(next))
	}
	return slices.Clip(l.commits[:min(most, len(l.commits))]), nil
}

// reach fetches the next commit of the log with those before and behind it, up to most.
func (l *Log) reach(ctx context.Context, next tree.ID, most int) error {
	s := l.source
	if _, ok := s.objects[next]; ok {
		return nil
	}
	s.depth, s.levels = most, notFetched
	if err := s.deepen(ctx, l.levels); err != nil {
		return err
	}
	if _, ok := s.objects[next]; !ok {
		return s.missing(next)
	}
	return nil
}

// notFetched is smaller than any number of levels.
const notFetched = -1

// historyDepths are the depths in which find looks for a commit, one after the other; 0 is the
// whole history.
var historyDepths = []int{20, 1000, 0}

// find points the source to a commit in the history of its tip. It compares an abbreviated id
// with the whole history: otherwise, a newer commit with the same beginning could replace the
// older one unnoticed.
func (s *source) find(ctx context.Context, at Revision) error {
	depths := historyDepths
	if len(at.Commit) < 2*len(tree.ID{}) {
		depths = depths[len(depths)-1:]
	}
	for _, depth := range depths {
		s.depth, s.levels = depth, notFetched
		if err := s.deepen(ctx, 0); err != nil {
			return err
		}
		found := s.commitsOf(at.Commit)
		if len(found) > 1 {
			return remote.Errorf(remote.KindCommitNotFound, "the abbreviated commit id %s stands for %d commits of %s. Write all 40 digits",
				at.Commit, len(found), s.repo.name)
		}
		if len(found) == 1 {
			s.commit, s.depth = found[0], s.distance(found[0])+1
			s.forgetHistory()
			return nil
		}
		if s.historyIsComplete() {
			break
		}
	}
	return remote.Errorf(remote.KindCommitNotFound, "there is no commit %s in the history of the branch %q of %s. Check the id; a commit "+
		"that was removed by a force push cannot be read any more", at.Commit, at.Branch, s.repo.name)
}

func (s *source) commitsOf(prefix string) []tree.ID {
	var found []tree.ID
	for id, o := range s.objects {
		if o.kind == plumbing.CommitObject && strings.HasPrefix(id.String(), prefix) {
			found = append(found, id)
		}
	}
	return found
}

// distance returns the number of steps from child to parent between the tip and a commit of
// the fetched history.
func (s *source) distance(to tree.ID) int {
	seen := map[tree.ID]bool{}
	generation := []tree.ID{s.tip}
	for steps := 0; len(generation) > 0; steps++ {
		var parents []tree.ID
		for _, id := range generation {
			if id == to {
				return steps
			}
			if !seen[id] {
				seen[id] = true
				parents = append(parents, parentsOf(s.objects[id].data)...)
			}
		}
		generation = parents
	}
	return len(seen)
}

// historyIsComplete reports whether the parents of all fetched commits are fetched too.
func (s *source) historyIsComplete() bool {
	for _, o := range s.objects {
		if o.kind != plumbing.CommitObject {
			continue
		}
		for _, parent := range parentsOf(o.data) {
			if _, ok := s.objects[parent]; !ok {
				return false
			}
		}
	}
	return true
}

// forgetHistory drops the commits that only the search needed.
func (s *source) forgetHistory() {
	for id, o := range s.objects {
		if o.kind == plumbing.CommitObject && id != s.commit {
			delete(s.objects, id)
		}
	}
}

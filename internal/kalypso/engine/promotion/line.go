// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"maps"
	"slices"
	"time"
)

// line is the source's history in its order, read as far as it was asked for.
type line struct {
	source SourceCommits
	// commits are the candidates, newest first. same are the commits that were read after
	// the last candidate, whose own candidate is not read yet.
	commits []SourceCommit
	same    []SourceCommit
	// read is how many commits were read. complete reports whether they are all commits.
	read     int
	complete bool
	// err is why no more could be read.
	err error
	// at is the position of each commit. A newer commit has a greater one. Commits of the
	// line have even positions. The head of a merged branch has the odd one before its merge.
	at map[string]int
}

// end is beyond the newest commit of any line.
const end = 1 << 30

func newLine(source SourceCommits) *line {
	return &line{source: source, complete: source == nil, at: map[string]int{}}
}

// only is the source of a single candidate.
func only(id string) SourceCommits {
	return func(i int) (SourceCommit, bool, error) { return SourceCommit{ID: id}, i == 0, nil }
}

// find returns the position of a commit, or 0 for an unknown commit. For an unknown commit
// it reads all commits. It does so for the head of a merged branch, too, because an older
// commit may have merged that head first.
func (l *line) find(id string) int {
	for id != "" && (l.at[id] == 0 || l.at[id]%2 != 0) && !l.complete {
		l.more()
	}
	return l.at[id]
}

// candidate returns the i-th candidate, or false if there are no more.
func (l *line) candidate(i int) (SourceCommit, bool) {
	for len(l.commits) <= i && !l.complete {
		l.more()
	}
	if len(l.commits) <= i {
		return SourceCommit{}, false
	}
	return l.commits[i], true
}

// more reads one more commit. A commit without a change has the position of the next older
// commit with a change, or of the oldest commit if no change follows.
func (l *line) more() {
	c, ok, err := l.source(l.read)
	l.complete, l.err = !ok || err != nil, err
	if !l.complete {
		l.read++
		l.same = append(l.same, c)
	}
	if len(l.same) > 0 && (l.complete || !c.Same) {
		l.add()
	}
}

// add puts the commits of same on the line, all at the position of the oldest.
// A head that was merged twice is where it was merged first.
func (l *line) add() {
	at := l.of(len(l.commits))
	for _, c := range l.same {
		for _, head := range c.Parents[min(1, len(c.Parents)):] {
			l.at[head] = at - 1
		}
	}
	for _, c := range l.same {
		l.at[c.ID] = at
	}
	l.commits = append(l.commits, l.same[len(l.same)-1])
	l.same = nil
}

// of returns the position of the i-th candidate.
func (l *line) of(i int) int { return end - 2*(i+1) }

// step is a GitOps commit with the positions of the commits that it carries.
type step struct {
	GitOpsCommit
	// oldest and newest are the positions at both ends; both are 0 if a commit is unknown.
	oldest, newest int
	// came and took bound the time of the commit, which its committer chose. It brought
	// the commits that it carries not later than came. It took the previous ones away not
	// earlier than took. came is zero if nobody knows.
	came, took time.Time
}

func (l *line) step(g GitOpsCommit) step {
	s := step{GitOpsCommit: g}
	first := true
	for _, id := range slices.Sorted(maps.Values(g.Carried)) {
		at := l.find(id)
		if at == 0 {
			return step{GitOpsCommit: g}
		}
		if first || at < s.oldest {
			s.oldest = at
		}
		s.newest, first = max(s.newest, at), false
	}
	return s
}

// places returns the positions of the commits that a step carries, each once.
func (l *line) places(s step) []int {
	var ats []int
	for _, id := range s.Carried {
		ats = append(ats, l.find(id))
	}
	slices.Sort(ats)
	return slices.Compact(ats)
}

// carries reports whether all of the environment had a commit of the line, or one that
// descends from it.
func (s step) carries(at int) bool { return s.oldest%2 == 0 && s.oldest >= at }

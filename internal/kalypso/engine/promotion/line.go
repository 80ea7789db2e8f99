// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

// line is the source's history in its order.
type line struct {
	commits []Commit // newest first
	// at is where a commit is, the newer the greater: even on the line, odd, and just
	// before its merge, for the head of what was merged, 0 for what is not known.
	at map[string]int
}

// newLine puts commits in their order. A head that was merged twice is where it was
// merged first.
func newLine(commits []Commit) *line {
	l := &line{commits: commits, at: make(map[string]int, len(commits))}
	for i, c := range commits {
		for _, head := range c.Parents[min(1, len(c.Parents)):] {
			l.at[head] = l.of(i) - 1
		}
	}
	for i, c := range commits {
		l.at[c.ID] = l.of(i)
	}
	return l
}

// of returns where the i-th commit of the line is.
func (l *line) of(i int) int { return 2 * (len(l.commits) - i) }

// step is a GitOps commit with where the commits are that it carries.
type step struct {
	GitOpsCommit
	// oldest and newest of them; both 0 where one of them is not known.
	oldest, newest int
}

func (l *line) step(g GitOpsCommit) step {
	s := step{GitOpsCommit: g}
	first := true
	for _, id := range g.Carried {
		at := l.at[id]
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

// carries reports whether all of the environment had a commit of the line, or one that
// descends from it.
func (s step) carries(at int) bool { return s.oldest%2 == 0 && s.oldest >= at }

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"context"
	"maps"
	"slices"
)

// line is the source's history in its order, read as far as it was asked for.
type line struct {
	source SourceCommits
	// single is true for a single candidate, which has no history and no sources.
	single bool
	// commits are the candidates, newest first. same are the commits that were read after
	// the last candidate, whose own candidate is not read yet.
	commits []SourceCommit
	same    []SourceCommit
	// read is how many commits were read. complete reports whether they are all commits.
	read     int
	complete bool
	// err is why no more could be read.
	err error
	// at is the position of each commit.
	at map[string]position
	// spellings are those of the sources.
	spellings *spellings
	// work counts comparisons, and ends the decision.
	work work
}

// position is a place in the order of an environment's releases; 0 is unknown. A newer commit
// has a greater position than an older one. Between them is room for the releases of a commit;
// the order of these depends on the branch. The head of a merged branch is between its merge and
// the commit before.
type position int64

// room is the distance of two commits; end is beyond the newest commit of any line.
const (
	room position = 1 << 30
	end           = room * room
)

// commit returns the position of a release's commit. It is the position of its first release.
func (p position) commit() position { return p - p%room }

// last returns the last position that a release of the same commit can have.
func (p position) last() position { return p.commit() + room - 1 }

// isHead reports whether the position is that of a merged branch's head, or a release of it.
func (p position) isHead() bool { return p/room%2 != 0 }

func newLine(ctx context.Context, f Facts, candidate string) *line {
	l := &line{source: f.Source, at: map[string]position{}, spellings: newSpellings(f.SourceKey), work: work{ctx: ctx, most: maxWork}}
	if candidate != "" {
		l.source, l.single = only(candidate), true
	}
	l.complete = l.source == nil
	return l
}

// only is the source of a single candidate.
func only(id string) SourceCommits {
	return func(i int) (SourceCommit, bool, error) { return SourceCommit{ID: id}, i == 0, nil }
}

// find returns the position of a commit, or 0 for an unknown commit. For an unknown commit
// it reads all commits. It does so for the head of a merged branch, too, because an older
// commit may have merged that head first.
func (l *line) find(id string) position {
	for id != "" && (l.at[id] == 0 || l.at[id].isHead()) && !l.complete {
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

// known returns the releases of a GitOps commit that have a commit, with the names of all sources.
// It returns nil for unknown releases, and if one has two commits of a source.
func (l *line) known(carried map[string]Release) map[string]Release {
	if carried == nil {
		return nil
	}
	all := map[string]Release{}
	for _, instance := range slices.Sorted(maps.Keys(carried)) {
		r := carried[instance]
		sources, ok := l.spellings.unify(r.Sources)
		switch {
		case r.Commit == "":
		case l.single:
			all[instance] = Release{Commit: r.Commit}
		case !ok:
			return nil
		default:
			all[instance] = Release{Commit: r.Commit, Sources: sources}
		}
	}
	return all
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
			l.at[head] = at - room
		}
	}
	for _, c := range l.same {
		l.at[c.ID] = at
	}
	l.commits = append(l.commits, l.same[len(l.same)-1])
	l.same = nil
}

// of returns the position of the i-th candidate. index is its inverse, for any release of it.
func (l *line) of(i int) position { return end - position(i+1)*2*room }

func (l *line) index(at position) int { return int((end-at.commit())/(2*room)) - 1 }

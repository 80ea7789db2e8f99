// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"maps"
	"slices"
	"time"
)

// step is a GitOps commit with the positions of what it carries.
type step struct {
	GitOpsCommit
	// parts are the commits that it carries, by instance.
	parts map[string]part
	// oldest and newest are the positions at both ends; both are 0 if a commit is unknown.
	oldest, newest position
	// came and took bound the time of the commit, which its committer chose. It brought
	// the commits that it carries not later than came. It took the previous ones away not
	// earlier than took. came is zero if nobody knows.
	came, took time.Time
}

// part is what an instance carries.
type part struct {
	id string
	at position
}

// step finds the commits of a GitOps commit on the line. number then refines the positions.
func (l *line) step(g GitOpsCommit) *step {
	s := &step{GitOpsCommit: g, parts: map[string]part{}}
	for _, instance := range slices.Sorted(maps.Keys(g.Carried)) {
		id := g.Carried[instance].Commit
		s.parts[instance] = part{id: id, at: l.find(id)}
	}
	s.setEnds()
	return s
}

// setEnds sets oldest and newest.
func (s *step) setEnds() {
	s.oldest, s.newest = 0, 0
	if ats := s.places(); len(ats) > 0 && ats[0] > 0 {
		s.oldest, s.newest = ats[0], ats[len(ats)-1]
	}
}

// places returns the positions of what a step carries, each once, the oldest first.
func (s *step) places() []position {
	var ats []position
	for _, p := range s.parts {
		ats = append(ats, p.at)
	}
	slices.Sort(ats)
	return slices.Compact(ats)
}

// carries reports whether all of the environment had a release of the line, or one that
// descends from it.
func (s *step) carries(at position) bool { return !s.oldest.isHead() && s.oldest >= at }

// sources returns the sources of all instances that carry something.
func (s *step) sources(is func(p part) bool) Sources {
	var all Sources
	for _, instance := range slices.Sorted(maps.Keys(s.parts)) {
		if is(s.parts[instance]) {
			all = all.and(s.Carried[instance].Sources)
		}
	}
	return all
}

// agree reports whether all instances that carry something at a position agree on its sources.
func (s *step) agree(at position) bool {
	all := s.sourcesAt(at)
	for instance, p := range s.parts {
		if p.at == at && !all.agree(s.Carried[instance].Sources) {
			return false
		}
	}
	return true
}

// sourcesAt returns the sources of a release that a step carries.
func (s *step) sourcesAt(at position) Sources {
	return s.sources(func(p part) bool { return p.at == at })
}

// maxReleases is how many releases of one commit are compared, the newest ones.
const maxReleases = 1000

// number gives the releases of each commit their order in a branch: that in which they came.
// Releases that agree are the same release, which then names what any of them names.
func (b *branch) number() error {
	known := map[position]*releases{} // by the commit
	for _, s := range slices.Backward(b.steps) {
		for _, instance := range slices.Sorted(maps.Keys(s.parts)) {
			p := s.parts[instance]
			if p.at == 0 {
				continue
			}
			if err := b.line.work.check(); err != nil {
				return err
			}
			if known[p.at] == nil {
				known[p.at] = &releases{last: map[digest]int{}}
			}
			nth := known[p.at].add(s.Carried[instance].Sources, &b.line.work)
			s.parts[instance] = part{id: p.id, at: p.at + position(nth)}
		}
		s.setEnds()
	}
	return nil
}

// releases are those of a commit, the first one first.
type releases struct {
	all []Sources
	// digests are those of the sources that each release got last.
	digests []digest
	// last is the last release that got these sources.
	last map[digest]int
}

// add returns the number of the last release that agrees with sources. That then names these, too.
// If all have the same names, as almost always, it compares only digests.
func (r *releases) add(sources Sources, w *work) int {
	is := digestOf(sources)
	nth, again := r.last[is]
	if !again {
		nth = -1
	}
	for i := len(r.all) - 1; i > nth && i >= len(r.all)-maxReleases; i-- {
		if r.digests[i].names != is.names && w.agree(r.all[i], sources) {
			nth = i
		}
	}
	if nth < 0 {
		nth = len(r.all)
		r.all, r.digests = append(r.all, nil), append(r.digests, digest{})
	}
	r.all[nth], r.digests[nth], r.last[is] = r.all[nth].and(sources), is, nth
	return nth
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// choice is a release that might be chosen.
type choice struct {
	SourceCommit
	// at is the position of the commit, and releases are those of its releases in
	// decider.after, in the same order.
	at       position
	releases []position
	// Sources are those of the releases, which agree.
	Sources Sources
}

// with adds the release of the next environment.
func (c choice) with(at position, sources Sources) choice {
	c.releases = append(slices.Clip(c.releases), at)
	c.Sources = c.Sources.and(sources)
	return c
}

// isAt reports whether the environment is at a choice.
func (d *decider) isAt(c choice) bool { return c.at == d.commitAt() && c.Sources.agree(d.sources) }

// look evaluates candidates, newest first, and returns the first that is verified. It may be the
// one that the environment is at, if that names sources. It stops at a candidate that is older
// than all commits that an environment before has had.
func (d *decider) look() (*choice, error) {
	current := d.line.find(d.out.Current)
	for i := 0; d.line.of(i) > current || d.line.of(i) == current && len(d.sources) > 0; i++ {
		c, ok := d.line.candidate(i)
		if !ok {
			break
		}
		s := search{decider: d, commit: d.line.of(i)}
		err := s.from(0, choice{SourceCommit: c, at: s.commit})
		if err != nil || s.chosen != nil {
			return s.chosen, err
		}
		if slices.ContainsFunc(d.after, func(e *environment) bool { return s.commit < e.first() }) {
			break
		}
	}
	return nil, nil
}

// search looks for a release of one commit.
type search struct {
	*decider
	commit position
	chosen *choice
	// isOver ends the search.
	isOver bool
	// isListed says that a candidate of the present release of the first environment is in the
	// result. isChecked says that the source's checks are green.
	isListed, isChecked bool
}

// from completes a choice with the releases of the environments from the i-th on, newest first,
// until one is verified.
func (s *search) from(i int, c choice) error {
	if i == len(s.after) {
		return s.judge(c)
	}
	e := s.after[i]
	all, err := e.releasesOf(s.commit)
	if err != nil {
		return err
	}
	hadOne := false
	for _, at := range all {
		if err := s.line.work.check(); err != nil {
			return err
		}
		s.isListed = s.isListed && i > 0 // once for each release of the first environment
		if _, is := e.unverified[at]; is && s.isListed {
			s.line.work.done++
			continue
		}
		sources := e.sources(at)
		if !s.line.work.agree(c.Sources, sources) {
			continue
		}
		hadOne = true
		with := c.with(at, sources)
		s.line.work.done += len(with.Sources)
		if f := e.standing(at); f.state != "" {
			err = s.list(with, f)
		} else {
			err = s.from(i+1, with)
		}
		if err != nil || s.isOver || s.isUnverified(c) {
			return err
		}
	}
	if !hadOne && !s.isListed {
		return s.list(c, e.without(s.commit, c.Sources))
	}
	return nil
}

// isUnverified reports whether an environment has not verified its release of a choice.
func (s *search) isUnverified(c choice) bool {
	for i, at := range c.releases {
		if _, is := s.after[i].unverified[at]; is {
			return true
		}
	}
	return false
}

// judge evaluates a choice that is complete. If the environment is at it, and it has all of its
// sources, there is nothing to evaluate.
func (s *search) judge(c choice) error {
	isAt := s.isAt(c)
	if isAt && s.sources.has(c.Sources) {
		s.chosen, s.isOver = &c, true
		return nil
	}
	if isNew, err := s.isNew(c); err != nil || !isNew && !isAt {
		return err
	}
	f, err := s.evaluate(c)
	if err != nil {
		return err
	}
	if f.state == Verified {
		s.chosen, s.isOver, s.isListed = &c, true, false
	}
	return s.list(c, f)
}

// list adds a candidate to the result, unless the environment has had it, or a candidate with
// the same release of the first environment is there.
func (s *search) list(c choice, f finding) error {
	s.isOver = s.isOver || f.ofAll
	if s.isListed {
		return nil
	}
	isNew, err := s.isNew(c)
	if err != nil || !isNew {
		return err
	}
	s.isListed = true
	s.out.Candidates = append(s.out.Candidates, f.of(c))
	s.titles = append(s.titles, s.title(c))
	return nil
}

// isNew reports whether a choice is newer than what the environment is at, and it has not had it
// before.
func (d *decider) isNew(c choice) (bool, error) {
	if c.at > d.commitAt() {
		return true, nil
	}
	if err := d.target.read(); err != nil {
		return false, d.unreadable(err)
	}
	for _, at := range d.target.releases[c.at] {
		if err := d.line.work.check(); err != nil {
			return false, err
		}
		if at <= d.at.newest && !d.isLater(c, at) {
			return false, nil
		}
	}
	return true, nil
}

// isLater reports whether a choice is not a release that the environment had, and came after it
// in all environments before that had it.
func (d *decider) isLater(c choice, had position) bool {
	sources := d.target.sources(had)
	if had.commit() == c.at && d.line.work.agree(c.Sources, sources) {
		return false
	}
	for i, at := range c.releases {
		e := d.after[i]
		like, known := e.likes[had]
		if !known {
			like = e.like(had.commit(), sources)
			e.likes[had] = like
		}
		if like > 0 && e.came(at) > e.came(like) {
			return false
		}
	}
	return true
}

// evaluate finds the state of a choice: that of the first gate that it does not pass. Gates
// that need no reports come first; from has looked at those of earlier environments. If it soaks in
// several environments, the longest soak counts.
func (s *search) evaluate(c choice) (finding, error) {
	if f, err := s.had(c); err != nil || f.state != "" {
		return f, err
	}
	if !s.isChecked {
		if f, err := s.checked(c.SourceCommit); err != nil || f.state != "" {
			return f, err
		}
		s.isChecked = true
	}
	worst := finding{state: Verified, why: strings.TrimPrefix(s.everywhere(), string(Verified))}
	for i, e := range s.after {
		f, err := e.reported(c.releases[i])
		switch {
		case err != nil || f.state != Verified && f.state != Soaking:
			return f, err
		case f.until.After(worst.until):
			worst = f
		}
	}
	return worst, nil
}

// had looks whether the environment itself has left a choice: backwards, or, if there is no
// history of a source, at all.
func (d *decider) had(c choice) (finding, error) {
	if err := d.target.read(); err != nil {
		return finding{}, d.unreadable(err)
	}
	if f := d.target.departed(c.at.last(), d.Environment); f.state != "" {
		return f, nil
	}
	for _, at := range slices.Sorted(maps.Keys(d.target.deployed)) {
		if err := d.line.work.check(); err != nil {
			return finding{}, err
		}
		left, isLeft := d.target.left(at)
		if isLeft && (at.commit() == c.at || at > c.at && c.at == d.commitAt()) && !d.isLater(c, at) {
			return d.target.reverts(left, c.at, d.Environment), nil
		}
	}
	if d.line.single && len(d.target.deployed[c.at]) > 0 {
		return finding{state: Reverted, why: fmt.Sprintf(" in %s, which had it before it came to %s; to go back to it, pin it, or give the old "+
			"content a new id", d.Environment, d.at.carried())}, nil
	}
	return finding{}, nil
}

// checked compares the reports on a candidate with the checks of the source.
func (d *decider) checked(c SourceCommit) (finding, error) {
	if len(d.SourceChecks) == 0 {
		return finding{}, nil
	}
	reports, err := d.source.on(c.ID)
	if err != nil {
		return finding{}, fmt.Errorf("the reports on the source commit %s cannot be read: %w", short(c.ID), err)
	}
	switch v := judge(d.SourceChecks, reports); v.outcome {
	case Failure:
		return finding{state: Failed, ofAll: true, why: " on the source commit itself: " + v.why}, nil
	case Success:
		return finding{}, nil
	default:
		return finding{state: Waiting, ofAll: true, why: " for the source commit itself: " + v.why}, nil
	}
}

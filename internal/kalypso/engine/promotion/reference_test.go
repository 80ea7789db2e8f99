// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// The reference is the rule once more, as naive as possible: no caching, no reasons.

// past is a track that answers questions about its releases.
type past struct{ promotion.Track }

// life returns the steps since the environment was ended last.
func (p past) life() []promotion.Step {
	steps := p.Steps
	for i, s := range p.Steps {
		if s.Release.Commit == "" {
			steps = p.Steps[i+1:]
		}
	}
	return steps
}

// own returns the present release; the zero Release for none.
func (p past) own() (own promotion.Release) {
	for _, s := range p.life() {
		own = s.Release
	}
	return own
}

// place is the first step of a release in the order; -1 for none.
func (p past) place(r promotion.Release) int {
	return slices.IndexFunc(p.Steps, func(s promotion.Step) bool { return s.Release.Same(r) })
}

// last returns the last step of a release in the present life.
func (p past) last(fits func(promotion.Release) bool) (last *promotion.Step) {
	for _, s := range p.life() {
		if fits(s.Release) {
			last = &s
		}
	}
	return last
}

// releases returns those of the present life, the newest first.
func (p past) releases() (all []promotion.Release) {
	for i := len(p.Steps) - 1; i >= 0; i-- {
		if r := p.Steps[i].Release; p.place(r) == i && p.last(r.Same) != nil {
			all = append(all, r)
		}
	}
	return all
}

func (p past) isReverted(r promotion.Release) (is bool) {
	had := false
	for _, s := range p.life() {
		had = had || s.Release.Same(r)
		is = had && !s.Release.Same(r) && (is || p.place(s.Release) < p.place(r))
	}
	return is
}

func (p past) wentBack() bool { return len(p.life()) > 0 && !p.releases()[0].Same(p.own()) }

// left returns the release before the last step back.
func (p past) left() (left promotion.Release) {
	for i, s := range p.life() {
		if i > 0 && p.place(s.Release) < p.place(p.life()[i-1].Release) {
			left = p.life()[i-1].Release
		}
	}
	return left
}

func carries(r promotion.Release, commit string) bool {
	for _, c := range r.Sources {
		if c == commit {
			return true
		}
	}
	return r.Commit == commit
}

func sameCommit(commit string) func(promotion.Release) bool {
	return func(r promotion.Release) bool { return r.Commit == commit }
}

// judge judges commits, the newest last, by the reports of one check. It returns since when all
// contexts are green, or since when the first of the red ones is red.
func judge(commits []promotion.Commit, reports promotion.Reports, c promotion.Check, expected bool) (promotion.Progress, time.Time) {
	pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(c.Context), `\*`, ".*") + "$")
	states, since := map[string]promotion.State{}, map[string]time.Time{}
	for _, commit := range commits {
		all, _ := reports(commit.ID)
		all = slices.DeleteFunc(slices.Clone(all), func(r promotion.Report) bool {
			return !pattern.MatchString(r.Context) || len(c.Creators) > 0 && !slices.Contains(c.Creators, r.Creator)
		})
		for _, r := range all { // a newer commit forgets what an older one had
			delete(states, r.Context)
		}
		slices.SortFunc(all, func(a, b promotion.Report) int { return a.Time.Compare(b.Time) })
		for _, r := range all {
			if states[r.Context] != r.State {
				states[r.Context], since[r.Context] = r.State, r.Time
			}
		}
	}
	green, isGreen := time.Time{}, true
	var red []time.Time
	for context, state := range states {
		isGreen = isGreen && state == promotion.Success
		if state == promotion.Failure {
			red = append(red, since[context])
		} else if green.Before(since[context]) {
			green = since[context]
		}
	}
	for _, context := range c.Expected {
		isGreen = isGreen && (!expected || states[context] == promotion.Success)
	}
	switch {
	case len(red) > 0:
		return promotion.Failed, slices.MinFunc(red, time.Time.Compare)
	case isGreen && len(states) >= max(1, c.AtLeast):
		return promotion.Verified, green
	}
	return promotion.Waiting, green
}

// verify judges a release in an environment by all of its checks. The time is until when it soaks,
// or since when it is red.
func verify(e promotion.Environment, soak time.Duration, now time.Time, r promotion.Release) (promotion.Progress, time.Time) {
	p := past{e.Track}
	var commits []promotion.Commit
	for _, s := range p.life() {
		if s.Release.Same(r) {
			commits = append(commits, s.Commits...)
		}
	}
	switch {
	case len(commits) == 0:
		return promotion.Waiting, time.Time{}
	case p.isReverted(r):
		return promotion.Reverted, time.Time{}
	}
	since := time.Time{}
	if len(e.Checks) == 0 {
		since = p.last(r.Same).Commits[0].Time
	}
	var red []time.Time
	worst := promotion.Verified
	for _, c := range e.Checks {
		state, at := judge(commits, e.Reports, c, p.releases()[0].Same(r))
		if state == promotion.Failed {
			red = append(red, at)
		}
		if state == promotion.Waiting {
			worst = promotion.Waiting
		}
		if since.Before(at) {
			since = at
		}
	}
	switch {
	case len(red) > 0:
		return promotion.Failed, slices.MinFunc(red, time.Time.Compare)
	case worst == promotion.Verified && now.Before(since.Add(soak)):
		return promotion.Soaking, since.Add(soak)
	}
	return worst, since
}

// severity orders the states in which the environments before see a candidate: the worst counts.
var severity = []promotion.Progress{promotion.Verified, promotion.Soaking, promotion.Waiting, promotion.Failed, promotion.Reverted}

// reference is the rule. ok is false where Decide has to return an error.
func reference(in promotion.Input) (out promotion.Result, ok bool) {
	own, p := past{in.Own.Track}.own(), past{in.Own.Track}
	newer, based := newerReleases(in)
	for _, r := range newer {
		state := promotion.Verified
		if p.isReverted(r) {
			state = promotion.Reverted
		}
		for _, a := range in.After {
			if s, _ := verify(a.Environment, a.Soak, in.Now, r); slices.Index(severity, s) > slices.Index(severity, state) {
				state = s
			}
		}
		out.Candidates = append(out.Candidates, promotion.Candidate{Release: r, State: state})
	}
	out.Release, out.Decision = own, promotion.UpToDate
	if in.Pin != "" {
		out.Decision = promotion.Pinned
		out.Release, ok = pinned(in)
		return out, ok
	}
	_, isFrozen := calendar.InForce(in.Freezes, in.Now)
	isOpen, _ := calendar.Next(in.Windows, in.Now)
	chosen, resumed := own, resumes(in)
	if in.Source != nil && len(in.After) == 0 {
		head := sourceHead(in)
		if resumed || head != "" && (head == own.Commit && !p.wentBack() || p.last(sameCommit(head)) == nil) {
			chosen = promotion.Release{Commit: head}
		}
	}
	for i := len(out.Candidates) - 1; i >= 0; i-- {
		if c := out.Candidates[i]; c.State == promotion.Verified && (!p.wentBack() || resumed && !isBad(in, c.Release)) {
			chosen = c.Release
		}
	}
	switch {
	case in.Hold != "", !chosen.Same(own) && (isFrozen || !isOpen):
		out.Decision = promotion.Held
	case chosen.Commit == "", !based:
		out.Decision = promotion.Nothing
	case chosen.Commit != own.Commit, len(in.After) > 0 && !chosen.Same(own):
		out.Release, out.Decision = chosen, promotion.Promote
	case p.wentBack() && !resumed:
		out.Decision = promotion.Held
	default:
		out.Release = chosen
	}
	if back := rollback(in); back.Commit != "" && in.Hold == "" && !isFrozen && out.Decision != promotion.Promote {
		out.Release, out.Decision = back, promotion.Rollback
	}
	return out, true
}

// base returns the track whose order counts, and the place of the own release in it.
func base(in promotion.Input) (p past, at int, ok bool) {
	own := past{in.Own.Track}.own()
	if own.Commit == "" && len(in.After) > 0 {
		return past{in.After[0].Track}, -1, true
	}
	for _, fits := range []func(promotion.Release) bool{own.Same, sameCommit(own.Commit)} {
		for _, a := range in.After {
			at = -1
			for _, s := range a.Track.Steps {
				if fits(s.Release) {
					at = max(at, past{a.Track}.place(s.Release))
				}
			}
			if at >= 0 {
				return past{a.Track}, at, true
			}
		}
	}
	return past{}, -1, len(in.After) == 0
}

// newerReleases returns the candidates, the newest first.
func newerReleases(in promotion.Input) (newer []promotion.Release, based bool) {
	p, at, based := base(in)
	for _, r := range p.releases() {
		if p.place(r) > at {
			newer = append(newer, r)
		}
	}
	return newer, based
}

// resumes reports whether resume_after names a commit of the release that was left, or of a newer one.
func resumes(in promotion.Input) bool {
	p := past{in.Own.Track}
	if in.ResumeAfter == "" || !p.wentBack() {
		return false
	}
	q, _, _ := base(in)
	for _, p := range []past{p, q} {
		for _, r := range p.releases() {
			left := past{in.Own.Track}.left()
			if carries(r, in.ResumeAfter) && p.place(left) >= 0 && p.place(r) >= p.place(left) {
				return true
			}
		}
	}
	return false
}

// isBad reports whether resume_after names a commit of the release, or of a newer one.
func isBad(in promotion.Input, r promotion.Release) bool {
	p, _, _ := base(in)
	return slices.ContainsFunc(p.releases(), func(bad promotion.Release) bool {
		return carries(bad, in.ResumeAfter) && p.place(bad) >= p.place(r)
	})
}

// sourceHead is the commit of the source that the first environment gets.
func sourceHead(in promotion.Input) string {
	for i, c := range in.Source.Commits {
		isGreen := true
		for _, check := range in.Source.Checks {
			state, _ := judge([]promotion.Commit{c}, in.Source.Reports, check, i == 0)
			isGreen = isGreen && state == promotion.Verified
		}
		if isGreen || (past{in.Own.Track}).last(sameCommit(c.ID)) != nil {
			return c.ID
		}
	}
	return ""
}

// pinned returns the release that pin names.
func pinned(in promotion.Input) (r promotion.Release, ok bool) {
	p := past{in.Own.Track}
	for _, s := range p.life() {
		if slices.ContainsFunc(s.Commits, func(c promotion.Commit) bool { return c.ID == in.Pin }) {
			return s.Release, true
		}
	}
	if s := p.last(sameCommit(in.Pin)); s != nil {
		return s.Release, true
	}
	for _, a := range in.After {
		q := past{a.Track}
		if s := q.last(sameCommit(in.Pin)); s != nil {
			ok = true
			for _, had := range p.releases() {
				ok = ok && q.place(had) < q.place(s.Release)
			}
			return s.Release, ok
		}
	}
	ok = len(p.life()) == 0
	if in.Source != nil {
		place := func(commit string) int {
			return slices.IndexFunc(in.Source.Commits, func(c promotion.Commit) bool { return c.ID == commit })
		}
		ok = ok || place(in.Pin) >= 0
		for _, had := range p.releases() {
			ok = ok && (place(had.Commit) < 0 || place(in.Pin) < place(had.Commit))
		}
	}
	return promotion.Release{Commit: in.Pin}, ok
}

// rollback returns the release that on_failure = "previous" goes back to; the zero Release for none.
func rollback(in promotion.Input) (none promotion.Release) {
	p := past{in.Own.Track}
	own := p.last(p.own().Same)
	if !in.Fallback || own == nil || p.wentBack() {
		return none
	}
	state, red := verify(in.Own, 0, in.Now, own.Release)
	if newest := own.Commits[len(own.Commits)-1].Time; red.Before(newest) {
		red = newest
	}
	if state != promotion.Failed || in.Now.Before(red.Add(in.Grace)) {
		return none
	}
	for _, r := range p.releases()[1:] {
		if state, _ := verify(in.Own, 0, in.Now, r); state == promotion.Verified {
			return r
		}
	}
	return none
}

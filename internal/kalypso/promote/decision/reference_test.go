// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// reference is the rule once more, without reasons; naive has what it says about one environment. The
// environments before are those of in.After, or the source as an environment that had each of its commits
// once. ok is false where Decide returns an error.
func reference(in decision.Input, before []naive) (out decision.Result, ok bool) {
	own, present, isFirst, all := read(decision.After{Environment: in.Own}), record.Release{}, len(in.After) == 0, before
	out.Decision = decision.Nothing
	if len(own.life) > 0 {
		present, out.Decision = own.life[len(own.life)-1].Release, decision.UpToDate
	}
	left, _ := own.newest(anything)
	wentBack := !left.Same(present)
	if in.Pin != "" {
		return pinned(in, own, before)
	}

	// Which releases are newer?
	i := slices.IndexFunc(before, func(b naive) bool { return isFirst || present.Commit == "" || b.rank(present) >= 0 })
	if i < 0 {
		i, out.Decision, before = 0, decision.Nothing, []naive{{}}
	}
	base, least, resumed := before[i], before[i].rank(present), false
	if isFirst {
		_, least = base.newest(func(r record.Release) bool { return own.had(r.Commit).Commit != "" })
	}
	if wentBack && !carries(in.ResumeAfter)(present) { // what is still here was not the bad one
		_, bad := base.newest(carries(in.ResumeAfter))
		switch there := base.rank(left); {
		case isFirst:
			resumed = carries(in.ResumeAfter)(left) && bad < least && least == base.rank(left)
		case carries(in.ResumeAfter)(left) || there >= 0 && bad >= there:
			least, resumed = max(least, bad), true
		}
	}
	for at := len(base.order) - 1; at > least && out.Decision != decision.Promote; at-- {
		r, stage := base.order[at], 0
		if _, isThere := base.newest(r.Same); isThere < 0 {
			continue
		}
		for _, b := range before {
			s, _ := b.judge(r, in.Now)
			stage = max(stage, s)
		}
		if _, here := own.newest(r.Same); here >= 0 {
			stage = len(ladder) - 1 // it is reverted, or older than what is here
		}
		if len(out.Candidates) < 20 {
			out.Candidates = append(out.Candidates, decision.Candidate{Release: r, Stage: ladder[stage]})
		}
		if ladder[stage] == decision.Verified {
			out.Release, out.Decision = r, decision.Promote
		}
	}

	// What of that may come?
	if out.Decision != decision.Promote {
		out.Release = present
	}
	switch {
	case wentBack && !resumed && out.Decision != decision.Nothing && (!isFirst || out.Decision == decision.UpToDate):
		out.Release, out.Decision = present, decision.Held
	case isFirst && out.Decision == decision.UpToDate && resumed && base.order[least].Commit != present.Commit:
		out.Release, out.Decision = base.order[least], decision.Promote
	case isFirst && out.Decision == decision.UpToDate && least >= 0 && base.order[least].Commit == present.Commit:
		out.Release = base.order[least] // with the heads
	}
	isOpen, _ := calendar.Next(in.Windows, in.Now)
	_, isFrozen := calendar.InForce(in.Freezes, in.Now)
	if in.Hold != "" || (isFrozen || !isOpen) && !out.Release.Same(present) {
		out.Release, out.Decision = present, decision.Held
	}

	// Does it have to go back?
	state, red := own.judge(present, in.Now)
	if ladder[state] != decision.Failed || !in.Fallback || wentBack || in.Hold != "" || isFrozen || out.Decision == decision.Promote {
		return out, true
	}
	commits := own.life[len(own.life)-1].Commits
	since := slices.MaxFunc([]time.Time{red, commits[len(commits)-1].Time}, time.Time.Compare)
	back, _ := own.newest(func(r record.Release) bool {
		s, _ := own.judge(r, in.Now)
		return ladder[s] == decision.Verified && !slices.ContainsFunc(all, func(b naive) bool {
			s, _ := b.judge(r, in.Now)
			return ladder[s] == decision.Reverted
		})
	})
	if back.Commit != "" && !in.Now.Before(since.Add(in.Grace)) {
		out.Release, out.Decision = back, decision.Rollback
	}
	return out, true
}

// pinned is the release that pin names. One that the environment never had is not older than one that it had, and
// a commit that nobody knows is not a GitOps commit.
func pinned(in decision.Input, own naive, before []naive) (out decision.Result, ok bool) {
	pin := in.Pin
	out.Release, out.Decision = own.had(pin), decision.Pinned
	for _, b := range before {
		if r := b.had(pin); out.Release.Commit == "" && r.Commit == pin {
			out.Release = r
			for _, s := range own.life {
				if b.rank(s.Release) > b.rank(r) {
					return out, false
				}
			}
		}
	}
	environments := []decision.Environment{in.Own}
	for _, a := range in.After {
		environments = append(environments, a.Environment)
	}
	for _, e := range environments {
		for _, s := range e.Track.Steps {
			isPin := func(c record.Commit) bool { return c.ID == pin }
			if out.Release.Commit == "" && slices.ContainsFunc(append(s.Commits, s.By), isPin) {
				return out, false
			}
		}
	}
	if out.Release.Commit == "" {
		out.Release.Commit = pin
	}
	return out, true
}

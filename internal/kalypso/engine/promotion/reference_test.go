// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
)

// naive is an environment in the reference: the rule once more, with loops over all steps and without reasons.
type naive struct{ promotion.After }

// life returns the steps since the environment was ended last.
func (e naive) life() []promotion.Step {
	end := 0
	for i, s := range e.Track.Steps {
		if s.Release.Commit == "" {
			end = i + 1
		}
	}
	return e.Track.Steps[end:]
}

// place is the first step of a release in the order, else that of its commit.
func (e naive) place(r promotion.Release) int {
	if i := slices.IndexFunc(e.Track.Steps, func(s promotion.Step) bool { return s.Release.Same(r) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(e.Track.Steps, func(s promotion.Step) bool { return s.Release.Commit == r.Commit })
}

// releases returns those of the present life, the newest first.
func (e naive) releases() (all []promotion.Release) {
	for i, s := range slices.Backward(e.Track.Steps) {
		if e.place(s.Release) == i && slices.ContainsFunc(e.life(), func(l promotion.Step) bool { return l.Release.Same(s.Release) }) {
			all = append(all, s.Release)
		}
	}
	return all
}

// had returns the last release with a source commit, or which came with a GitOps commit.
func (e naive) had(id string) (last promotion.Release) {
	for _, s := range e.life() {
		if s.Release.Commit == id || slices.ContainsFunc(s.Commits, func(c promotion.Commit) bool { return c.ID == id }) {
			last = s.Release
		}
	}
	return last
}

func carries(r promotion.Release, id string) bool {
	return id != "" && (r.Commit == id || slices.Contains(slices.Collect(maps.Values(r.Sources)), id))
}

// judge returns the state of a release, and for a red one since when.
func (e naive) judge(r promotion.Release, now time.Time) (state promotion.Progress, red time.Time) {
	var commits []promotion.Commit
	var green time.Time
	reverted := false
	for _, s := range e.life() {
		if s.Release.Same(r) {
			commits, reverted, green = append(commits, s.Commits...), false, s.Commits[0].Time
		}
		reverted = reverted || len(commits) > 0 && e.place(s.Release) < e.place(r)
	}
	if len(commits) == 0 {
		return promotion.Waiting, red
	}
	state = promotion.Verified
	for i, c := range e.Checks {
		if i == 0 {
			green = time.Time{}
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(c.Context), `\*`, ".*") + "$")
		latest, greens := map[string]promotion.Report{}, 0
		for _, commit := range commits {
			reports, _ := e.Reports(commit.ID)
			slices.SortFunc(reports, func(a, b promotion.Report) int { return a.Time.Compare(b.Time) })
			here := map[string]promotion.Report{}
			for _, r := range reports {
				counts := pattern.MatchString(r.Context) && (len(c.Creators) == 0 || slices.Contains(c.Creators, r.Creator))
				if counts && here[r.Context].State != r.State {
					here[r.Context] = r // with the time when the state began
				}
			}
			maps.Copy(latest, here)
		}
		for _, context := range c.Expected {
			if e.releases()[0].Same(r) {
				latest[context] = latest[context] // a silent one is there and not green
			}
		}
		for _, report := range latest {
			if report.State == promotion.Failure && (red.IsZero() || report.Time.Before(red)) {
				red = report.Time
			}
			if report.State == promotion.Success {
				greens++
				green = slices.MaxFunc([]time.Time{green, report.Time}, time.Time.Compare)
			}
		}
		if greens < max(1, c.AtLeast, len(latest)) {
			state = promotion.Waiting
		}
	}
	switch {
	case reverted:
		state = promotion.Reverted
	case !red.IsZero():
		state = promotion.Failed
	case state == promotion.Verified && now.Before(green.Add(e.Soak)):
		state = promotion.Soaking
	}
	return state, red
}

// reference is the rule. ok is false where Decide has to return an error.
func reference(in promotion.Input) (out promotion.Result, ok bool) {
	own := naive{promotion.After{Environment: in.Own}}
	var before []naive
	for _, a := range in.After {
		before = append(before, naive{a})
	}
	if len(in.After) == 0 { // the source had each of its commits once
		source := promotion.Environment{Reports: in.Source.Reports, Checks: in.Source.Checks}
		for _, c := range slices.Backward(in.Source.Commits) {
			source.Track.Steps = append(source.Track.Steps, promotion.Step{Release: promotion.Release{Commit: c.ID}, Commits: []promotion.Commit{c}})
		}
		before = []naive{{promotion.After{Environment: source}}}
	}
	out.Decision = promotion.Nothing
	left, wentBack, resumed := promotion.Release{}, false, false
	if life := own.life(); len(life) > 0 {
		out.Release, out.Decision, left = life[len(life)-1].Release, promotion.UpToDate, own.releases()[0]
		wentBack = !left.Same(out.Release)
	}
	present := out.Release

	if in.Pin != "" {
		out.Release = own.had(in.Pin)
		ok = out.Release.Commit != ""
		for _, b := range before {
			if pinned := b.had(in.Pin); !ok && pinned.Commit == in.Pin {
				out.Release, ok = pinned, !slices.ContainsFunc(own.releases(), func(r promotion.Release) bool { return b.place(r) > b.place(pinned) })
				break
			}
		}
		if present.Commit == "" && !ok {
			out.Release, ok = promotion.Release{Commit: in.Pin}, true
		}
		out.Decision = promotion.Pinned
		return out, ok
	}

	base, least := before[0], -1
	if len(in.After) == 0 {
		for i, s := range base.Track.Steps {
			if own.had(s.Release.Commit).Commit != "" {
				least = i
			}
		}
		resumed = wentBack && least >= 0 && base.Track.Steps[least].Release.Commit != in.ResumeAfter && carries(left, in.ResumeAfter)
	} else if present.Commit != "" {
		i := slices.IndexFunc(before, func(b naive) bool { return b.place(present) >= 0 })
		if i < 0 {
			base, out.Decision = naive{}, promotion.Nothing
		} else {
			base, least = before[i], before[i].place(present)
		}
		bad := -1
		for _, s := range base.Track.Steps {
			if carries(s.Release, in.ResumeAfter) {
				bad = max(bad, base.place(s.Release))
			}
		}
		if resumed = wentBack && (carries(left, in.ResumeAfter) || base.place(left) >= 0 && base.place(left) <= bad); resumed {
			least = max(least, bad)
		}
	}
	severity := []promotion.Progress{promotion.Verified, promotion.Soaking, promotion.Waiting, promotion.Failed, promotion.Reverted}
	for _, r := range base.releases() {
		if base.place(r) <= least || out.Decision == promotion.Promote {
			continue
		}
		state, _ := naive{promotion.After{Environment: promotion.Environment{Track: own.Track}}}.judge(r, in.Now)
		if state != promotion.Reverted {
			state = promotion.Verified
		}
		for _, b := range before {
			if s, _ := b.judge(r, in.Now); slices.Index(severity, s) > slices.Index(severity, state) {
				state = s
			}
		}
		out.Candidates = append(out.Candidates, promotion.Candidate{Release: r, State: state})
		if state == promotion.Verified {
			out.Release, out.Decision = r, promotion.Promote
		}
	}
	out.Candidates = out.Candidates[:min(20, len(out.Candidates))]
	switch {
	case out.Decision == promotion.Nothing:
	case wentBack && !resumed && (len(in.After) > 0 || out.Decision != promotion.Promote):
		out.Release, out.Decision = present, promotion.Held
	case len(in.After) > 0 || out.Decision == promotion.Promote:
	case wentBack && base.Track.Steps[least].Release.Commit != present.Commit:
		out.Release, out.Decision = base.Track.Steps[least].Release, promotion.Promote
	default:
		out.Release = promotion.Release{Commit: present.Commit} // with the heads
	}

	isOpen, _ := calendar.Next(in.Windows, in.Now)
	_, isFrozen := calendar.InForce(in.Freezes, in.Now)
	if in.Hold != "" || (isFrozen || !isOpen) && !out.Release.Same(present) {
		out.Release, out.Decision = present, promotion.Held
	}

	own.Soak = 0
	state, red := own.judge(present, in.Now)
	if out.Decision == promotion.Promote || !in.Fallback || in.Hold != "" || isFrozen || wentBack || state != promotion.Failed {
		return out, true
	}
	commits := own.life()[len(own.life())-1].Commits
	since := slices.MaxFunc([]time.Time{red, commits[len(commits)-1].Time}, time.Time.Compare)
	for _, r := range own.releases()[1:] {
		if s, _ := own.judge(r, in.Now); s == promotion.Verified && !in.Now.Before(since.Add(in.Grace)) {
			out.Release, out.Decision = r, promotion.Rollback
			break
		}
	}
	return out, true
}

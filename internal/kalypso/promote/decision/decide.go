// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Decide chooses the release of an environment. One that is after others gets the newest of their releases that passes all gates and is
// newer than its own, the first one of a chain the head of the source. pin wins over everything.
//
// Errors: the age of a pinned release is not known, or reports cannot be read. The cost grows with the
// reports on the candidates.
func Decide(in Input) (Result, error) {
	d := decider{Input: in, own: pastOf(in.Own, 0)}
	for _, a := range in.After {
		d.before = append(d.before, pastOf(a.Environment, a.Soak))
	}
	choose := d.fromAfter
	if len(in.After) == 0 {
		d.before, choose = []*past{pastOf(in.Source.environment(), 0)}, d.fromSource
	}
	if in.Pin != "" {
		return d.pinned()
	}
	r := Result{Decision: Nothing}
	if rank, has := d.own.present(); has {
		r.Release, r.Decision = d.own.release(rank), UpToDate
	}
	own := r.Release
	if !carries(own, in.ResumeAfter) {
		d.bad = in.ResumeAfter
	}
	if err := choose(&r); err != nil {
		return Result{}, err
	}
	bars, why := in.closed()
	if bars == everything || why != "" && !r.Release.Same(own) {
		d.keep(&r, own, why)
	}
	if in.Fallback && r.Decision != Promote && (why == "" || bars == promotions) {
		if err := d.fallBack(&r); err != nil {
			return Result{}, err
		}
	}
	all := slices.Concat(d.before, []*past{d.own})
	if i := slices.IndexFunc(all, func(p *past) bool { return p.Track.Note != "" }); i >= 0 { // the others may follow from it
		r.Reason = strings.TrimSpace(r.Reason + " " + all[i].Track.Note)
	}
	return r, nil
}

// decider is one decision on its way.
type decider struct {
	Input
	own *past
	// before are the environments before; for an environment without them it is the source.
	before []*past
	// bad is the commit of resume_after, if the present release does not carry it.
	bad string
}

// fromAfter chooses among the releases of the environments before that are newer than the present one.
// After resume_after, they also have to be newer than all releases that carry the bad commit.
func (d *decider) fromAfter(r *Result) error {
	base, least := d.before[0], -1
	if r.Decision != Nothing {
		had := slices.IndexFunc(d.before, func(p *past) bool { _, isThere := p.find(r.Release); return isThere })
		if had < 0 {
			r.Decision, r.Reason = Nothing, d.unknown()
			return nil
		}
		base = d.before[had]
		least, _ = base.find(r.Release)
	}
	stays := false
	if left, wentBack := d.own.left(); wentBack {
		bad := base.newestWith(d.bad)
		there, isThere := base.find(left)
		if stays = !carries(left, d.bad) && (!isThere || bad < there); !stays {
			least = max(least, bad)
		}
	}
	own := r.Release
	err := d.choose(r, base, slices.DeleteFunc(base.newest(), func(rank int) bool { return rank <= least }))
	if stays {
		r.Newer = r.Newer || r.Decision == Promote
		r.Release, r.Decision, r.Reason = own, Held, d.staysBack()
	}
	return err
}

// fromSource chooses the head of the source, or its newest commit that the checks of the source verify
// or that the environment had.
func (d *decider) fromSource(r *Result) error {
	source := d.before[0]
	ranks, had := source.newest(), ""
	for i, rank := range ranks {
		if commit := source.release(rank).Commit; d.own.lastWith(commit) != nil {
			ranks, had = ranks[:i], commit
			break
		}
	}
	if err := d.choose(r, source, ranks); err != nil || r.Decision == Promote {
		return err
	}
	left, wentBack := d.own.left()
	switch {
	case wentBack && (left.Commit != had || had == d.bad || !carries(left, d.bad)):
		r.Decision, r.Reason = Held, d.staysBack()
	case wentBack && had != r.Release.Commit:
		r.Release, r.Decision = record.Release{Commit: had}, Promote
		r.Reason = fmt.Sprintf("%s gets %s of the source again, because resume_after names another commit.", d.own.Name, short(had))
	case had == r.Release.Commit:
		r.Release = record.Release{Commit: had}
	}
	return nil
}

// choose takes the first verified release of some ranks, which are the newest first.
func (d *decider) choose(r *Result, base *past, ranks []int) error {
	own, newest := r.Release, ""
	for _, rank := range ranks {
		release := base.release(rank)
		f, err := d.progress(release)
		if err != nil {
			return err
		}
		name := d.title(release, own)
		if len(r.Candidates) < maxCandidates {
			r.Candidates = append(r.Candidates, Candidate{release, f.stage, name + " " + f.text})
		}
		if f.stage == Verified {
			r.Release, r.Decision = release, Promote
			r.Reason = fmt.Sprintf("%s gets %s, which %s.", d.own.Name, name, f.text)
			break
		}
		if newest == "" && f.stage != Reverted {
			newest, r.Newer = fmt.Sprintf("%s waits for %s: %s %s.", d.own.Name, f.where, name, f.text), true
		}
	}
	if r.Decision != Promote && newest == "" {
		newest = d.waits(base, *r)
	}
	r.Reason = strings.TrimSpace(r.Reason + " " + newest)
	return nil
}

const maxCandidates = 20

// progress says how far a release has come in all environments before. A release that the environment
// itself had and left counts as reverted.
func (d *decider) progress(release record.Release) (all progress, err error) {
	if here, isThere := d.own.exactly(release); isThere {
		by := &d.own.steps[d.own.last[here]+1]
		all = progress{Reverted, d.own.Name, "was reverted in " + d.own.Name + " " + how(by)}
	}
	for _, a := range d.before {
		f := progress{Waiting, a.Name, "has not been in " + a.Name}
		if there, isThere := a.exactly(release); isThere {
			if f, err = a.verify(there, d.Input); err != nil {
				return f, err
			}
		}
		all = all.and(f)
	}
	return all, nil
}

// keep makes the environment keep its own release. The reason says what it would get otherwise.
func (d *decider) keep(r *Result, own record.Release, closed string) {
	text := fmt.Sprintf("%s stays %s: %s.", d.own.Name, d.at(), closed)
	switch {
	case r.Decision == Promote:
		text, r.Newer = text+" After that, "+r.Reason, true
	case r.Decision == Held || r.Newer:
		text += " " + r.Reason
	}
	r.Release, r.Decision, r.Reason = own, Held, text
}

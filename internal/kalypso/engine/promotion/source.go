// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"strings"
)

// fromSource chooses the head of the source, or its newest commit that the checks of the source
// verify.
func (d *decider) fromSource() (Result, error) {
	r := Result{Release: d.release(), Decision: Nothing}
	if _, has := d.own.present(); has {
		r.Decision = UpToDate
	}
	chosen, err := d.newestOfSource(&r)
	if err != nil {
		return Result{}, err
	}
	had := chosen == "" || d.own.lastWith(chosen) != nil
	left, wentBack := d.own.left()
	resumes := wentBack && chosen != "" && chosen != d.ResumeAfter && d.own.release(left).carries(d.ResumeAfter)
	switch {
	case wentBack && had && !resumes:
		r.Decision, r.Reason = Held, d.staysBack()
	case chosen != "" && (!had || resumes && chosen != r.Release.Commit):
		r.Release, r.Decision = Release{Commit: chosen}, Promote
		d.next = d.ofSource(chosen)
		r.Reason = fmt.Sprintf("%s gets %s.", d.own.Name, d.next)
	default:
		r.Reason = d.waitsForSource(r, chosen)
		r.Release = Release{Commit: r.Release.Commit}
	}
	return r, nil
}

// newestOfSource returns the newest commit of the source that is green or that the environment had,
// and "" if there is no such commit. It adds the candidates.
func (d *decider) newestOfSource(r *Result) (string, error) {
	if d.Source == nil {
		return "", nil
	}
	reports := reader{read: d.Source.Reports, known: map[string]byContext{}}
	for i, commit := range d.Source.Commits {
		if d.own.lastWith(commit.ID) != nil {
			return commit.ID, nil
		}
		c := Candidate{Release: Release{Commit: commit.ID}, Subject: commit.Subject, State: Verified}
		text := "is the newest commit of the source"
		if len(d.Source.Checks) > 0 {
			found, err := reports.on(commit.ID)
			if err != nil {
				return "", fmt.Errorf("the reports on commit %s of the source: %w", short(commit.ID), err)
			}
			v := judge(d.Source.Checks, []byContext{found}, i == 0)
			switch {
			case v.red != "":
				c.State, text = Failed, fmt.Sprintf("failed: %s since %s", v.red, minute(v.redSince))
			case len(v.missing) > 0:
				c.State, text = Waiting, "has "+strings.Join(v.missing, " and ")
			default:
				text = "is green in the source"
			}
		}
		c.Reason = title(c.Release, c.Subject, Release{}) + " " + text
		if len(r.Candidates) < maxCandidates {
			r.Candidates = append(r.Candidates, c)
		}
		if c.State == Verified {
			return commit.ID, nil
		}
		r.Newer = true
	}
	return "", nil
}

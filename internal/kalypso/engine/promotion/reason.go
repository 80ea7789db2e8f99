// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"slices"
	"strings"
)

// of makes the candidate of a finding.
func (f finding) of(c choice) Candidate {
	reason := f.sentence()
	return Candidate{
		Commit: c.ID, Subject: c.Subject, Author: c.Author, Time: c.Time, Sources: c.Sources,
		State: f.state, Reason: strings.ToUpper(reason[:1]) + reason[1:], Until: f.until,
	}
}

// title names a choice. If there are several releases of the commit, the title has the sources
// that are unlike those that the environment is at, or those of the release before.
func (d *decider) title(c choice) string {
	if c.at == d.commitAt() {
		return c.title() + c.Sources.unlike(d.sources)
	}
	if len(c.releases) == 0 || len(d.after[0].releases[c.at]) < 2 {
		return c.title()
	}
	all := d.after[0].releases[c.at]
	i := slices.Index(all, c.releases[0]) + 1
	if i == len(all) {
		i -= 2 // the first one is unlike the next one
	}
	return c.title() + c.Sources.unlike(d.after[0].sources(all[i]))
}

// sentence tells a finding, from a small letter to the full stop.
func (f finding) sentence() string {
	return strings.ReplaceAll(string(f.state), "_", " ") + f.why + "."
}

// where says which commit the environment is at.
func (d *decider) where() string {
	if d.at == nil {
		return d.Environment + " carries nothing yet"
	}
	return d.Environment + " is at " + d.at.carried()
}

// stays says that the environment remains where it is.
func (d *decider) stays() string {
	if d.at == nil {
		return d.Environment + " stays without a commit"
	}
	return d.Environment + " stays at " + short(d.out.Current)
}

// everywhere says where a verified candidate is verified: in environments, or by checks.
func (d *decider) everywhere() string {
	var places []string
	for _, e := range d.after {
		places = append(places, e.name)
	}
	switch {
	case len(places) > 0:
		return "verified in " + strings.Join(places, ", ")
	case len(d.SourceChecks) > 0:
		return "verified by the checks of the source commit"
	}
	return "verified, since nothing is required of it"
}

// unverified says that nothing is chosen.
func (d *decider) unverified() (Decision, string) {
	switch {
	case d.Candidate != "" && d.Candidate == d.out.Current:
		return UpToDate, d.where() + ", the candidate."
	case d.at == nil && len(d.out.Candidates) == 0:
		return Nothing, "The source has no commits yet."
	case d.at == nil:
		return Nothing, fmt.Sprintf("%s, and nothing is verified.%s", d.where(), d.underWay(0))
	case len(d.out.Candidates) == 0:
		return UpToDate, d.where() + ", the newest commit of the source."
	}
	return UpToDate, fmt.Sprintf("%s, and nothing newer is verified.%s", d.where(), d.underWay(0))
}

// underWay describes the newest candidates, except the last few of them. It describes
// candidates together if they follow each other and have the same text.
func (d *decider) underWay(but int) string {
	var b strings.Builder
	rest, titles := d.out.Candidates[:len(d.out.Candidates)-but], d.titles
	for range maxListed {
		if len(rest) == 0 {
			break
		}
		alike := 1
		for alike < len(rest) && rest[alike].Reason == rest[0].Reason {
			alike++
		}
		fmt.Fprintf(&b, " %s: %s%s", together(titles[:alike]), strings.ToLower(rest[0].Reason[:1]), rest[0].Reason[1:])
		rest, titles = rest[alike:], titles[alike:]
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, " And %d more.", len(rest))
	}
	return b.String()
}

// maxTogether is how many candidates of one state a sentence names.
const maxTogether = 2

// together names candidates. A semicolon separates them, because a title can have commas.
func together(titles []string) string {
	text := strings.Join(titles[:min(len(titles), maxTogether)], "; ")
	if more := len(titles) - maxTogether; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

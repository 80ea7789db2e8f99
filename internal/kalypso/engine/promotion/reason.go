// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// title names a release by its commit and subject. If the other release has the same commit, it adds
// the first source that differs.
func title(r Release, subject string, other Release) string {
	text := short(r.Commit)
	if subject != "" {
		text += " (" + shown(subject) + ")"
	}
	if r.Commit != other.Commit {
		return text
	}
	for _, name := range differing(r, other) {
		return text + " with " + shown(name) + " at " + short(r.Sources[name])
	}
	return text
}

// differing returns the names of the sources that a release has, and the other one not at the same
// commit.
func differing(r, other Release) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Sources)), func(name string) bool { return r.Sources[name] == other.Sources[name] })
}

// how says when and by which commit a step came.
func how(s *Step) string {
	c := s.Commits[0]
	text := fmt.Sprintf("on %s with GitOps commit %s", c.Time.UTC().Format(time.DateOnly), short(c.ID))
	if c.Author != "" {
		text += " of " + shown(c.Author)
	}
	return text
}

// short shortens the id of a commit, and no other one.
func short(id string) string {
	if len(id) >= 40 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:7]
	}
	return shown(id)
}

// shown prepares a text of others for a sentence: one line, at most 100 letters.
func shown(text string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
	if len(letters) > 100 {
		return string(letters[:99]) + "…"
	}
	return string(letters)
}

// list names the first three of some contexts or logins.
func list(names []string) string {
	sorted := wording.Sorted(names)
	for i := range min(3, len(sorted)) {
		sorted[i] = shown(sorted[i])
	}
	return wording.First(sorted, 3)
}

// minute writes a time in UTC. At the minute that it names it is over.
func minute(t time.Time) string {
	return t.Add(time.Minute-1).UTC().Format("2006-01-02 15:04") + " UTC"
}

// subject returns the subject of the GitOps commit that brought a release.
func (p *past) subject(place int) string { return p.steps[place].Commits[0].Subject }

// name names a release of the environment.
func (p *past) name(place int) string { return title(p.release(place), p.subject(place), Release{}) }

// at says which release the environment has.
func (d *decider) at() string {
	if present, has := d.own.present(); has {
		return "at " + d.own.name(present)
	}
	return "without a release"
}

// staysBack says how the environment went back, and what to write to go on.
func (d *decider) staysBack() string {
	present, _ := d.own.present()
	left, _ := d.own.left()
	was, is := d.own.release(left), d.own.release(present)
	text := fmt.Sprintf("%s went back from %s to %s %s. It stays there until ", d.own.Name, title(was, d.own.subject(left), is),
		title(is, d.own.subject(present), was), how(d.own.reverted(left)))
	var write []string
	if len(d.after) == 0 {
		write = append(write, "the source has a commit that it never had")
	} else if was.Commit != is.Commit {
		write = append(write, fmt.Sprintf("resume_after = %q", was.Commit))
	}
	for _, name := range differing(was, is) {
		write = append(write, fmt.Sprintf("resume_after = %q (%s)", was.Sources[name], shown(name)))
	}
	text += strings.Join(write, " or ") + "."
	if d.ResumeAfter != "" {
		text += fmt.Sprintf(" resume_after = %q does not count: neither the release that %s left nor a newer one carries this commit.",
			shown(d.ResumeAfter), d.own.Name)
	}
	return text
}

// waits says why nothing is chosen from the environments before. The text about the newest candidate
// is empty if nothing can come.
func (d *decider) waits(base *past, r Result, newest string) string {
	text := ""
	for _, a := range d.after {
		if place, isThere := a.exactly(r.Release); isThere {
			if by := a.reverted(place); by != nil {
				text = fmt.Sprintf("%s is %s, which %s reverted %s. It stays there until %s has verified a newer one, or until pin names another one.",
					d.own.Name, d.at(), a.Name, how(by), a.Name)
			}
		}
	}
	_, wentBack := d.own.left()
	switch {
	case newest != "":
		return strings.TrimPrefix(text+" ", " ") + fmt.Sprintf("%s waits for %s.", d.own.Name, newest)
	case text != "":
		return text
	case wentBack:
		return fmt.Sprintf("%s is %s, and %s has no release yet that is newer than all that carry %s (resume_after).", d.own.Name, d.at(),
			base.Name, short(d.ResumeAfter))
	case len(r.Candidates) > 0:
		return fmt.Sprintf("%s is %s, and nothing newer is left: %s.", d.own.Name, d.at(), r.Candidates[0].Reason)
	case r.Decision == UpToDate:
		return fmt.Sprintf("%s is %s, the newest release of %s.", d.own.Name, d.at(), base.Name)
	}
	return fmt.Sprintf("%s waits for the first release of %s.", d.own.Name, base.Name)
}

// unknown says that no environment before had the release.
func (d *decider) unknown() string {
	var names []string
	write := "pin to choose a release"
	for _, a := range slices.Backward(d.after) {
		names = append(names, a.Name)
		if present, has := a.present(); has {
			write = fmt.Sprintf("pin = %q to choose the release of %s", a.release(present).Commit, a.Name)
		}
	}
	return fmt.Sprintf("%s is %s. This release was never in %s, so it is not known which release is newer. Write %s.", d.own.Name, d.at(),
		list(names), write)
}

// ofSource names a commit of the source.
func (d *decider) ofSource(id string) string {
	for _, c := range d.Source.Commits {
		if c.ID == id {
			return title(Release{Commit: id}, c.Subject, Release{})
		}
	}
	return short(id)
}

// waitsForSource says why nothing newer is chosen from the source.
func (d *decider) waitsForSource(r Result, chosen string) string {
	switch {
	case len(r.Candidates) > 0:
		return fmt.Sprintf("%s waits for its source: %s.", d.own.Name, r.Candidates[0].Reason)
	case chosen == "":
		return fmt.Sprintf("%s is %s, and its source has no commits.", d.own.Name, d.at())
	case chosen == r.Release.Commit:
		return fmt.Sprintf("%s is at %s, the newest commit of its source.", d.own.Name, d.ofSource(chosen))
	}
	return fmt.Sprintf("%s is %s, and the newest commit of its source, %s, was there before. Write pin = %q to go back to it.", d.own.Name,
		d.at(), d.ofSource(chosen), chosen)
}

// notes returns what is odd about the tracks.
func (d *decider) notes() string {
	var b strings.Builder
	for _, p := range append(slices.Clone(d.after), d.own) {
		if p.Track.Note != "" {
			b.WriteString(" " + p.Track.Note)
		}
	}
	return b.String()
}

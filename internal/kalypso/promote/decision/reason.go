// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// title names a release by its commit, and by its subject if the source lists it. If the other release
// has the same commit, it adds the first source that differs.
func (d *decider) title(r, other record.Release) string {
	text := short(r.Commit)
	if subject := d.subject(r); subject != "" {
		text += " (" + wording.Escaped(subject) + ")"
	}
	if names := differing(r, other); r.Commit == other.Commit && len(names) > 0 {
		text += " with " + wording.Line(names[0]) + " at " + short(r.Sources[names[0]])
	}
	return text
}

// differing returns the names of the sources of a release that the other release does not have at the
// same commit.
func differing(r, other record.Release) []string {
	commits := record.ByKey(other.Sources)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Sources)), func(name string) bool {
		return r.Sources[name] == commits[record.SourceKey(name)]
	})
}

// how says when and by which commit a step came.
func how(s *record.Step) string {
	c := s.By
	text := fmt.Sprintf("on %s with GitOps commit %s", c.Time.UTC().Format(time.DateOnly), short(c.ID))
	if c.Author != "" {
		text += " of " + wording.Escaped(c.Author)
	}
	return text
}

// short shortens the id of a git commit, and no other id.
func short(id string) string {
	if len(id) >= 40 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:7]
	}
	return wording.Escaped(id)
}

// list names the first three of some contexts or logins.
func list(names []string) string {
	sorted := wording.Sorted(names)
	for i := range min(wording.MaxListed, len(sorted)) {
		sorted[i] = wording.Escaped(sorted[i])
	}
	return wording.First(sorted, wording.MaxListed)
}

// minute writes a time in UTC, rounded up to the next minute.
func minute(t time.Time) string {
	return t.Add(time.Minute-1).UTC().Format("2006-01-02 15:04") + " UTC"
}

// subject returns the subject of the source's commit; empty if the source does not list it.
func (d *decider) subject(r record.Release) string {
	if d.Source == nil {
		return ""
	}
	i := slices.IndexFunc(d.Source.Commits, func(c record.Commit) bool { return c.ID == r.Commit })
	if i < 0 {
		return ""
	}
	return d.Source.Commits[i].Subject
}

// at says which release the environment has.
func (d *decider) at() string {
	if present, has := d.own.present(); has {
		return "at " + d.title(d.own.release(present), record.Release{})
	}
	return "without a release"
}

// staysBack says how the environment went back, and what to write to go on.
func (d *decider) staysBack() string {
	present, _ := d.own.present()
	left := d.own.newest()[0]
	was, is := d.own.release(left), d.own.release(present)
	text := fmt.Sprintf("%s went back from %s to %s %s. It stays there until ", d.own.Name, d.title(was, is), d.title(is, was),
		how(d.own.reverted(left)))
	var until, commits []string
	if len(d.After) == 0 {
		until = append(until, "the source has a commit that it never had")
	} else if was.Commit != is.Commit {
		commits = append(commits, strconv.Quote(was.Commit))
	}
	for _, name := range differing(was, is) {
		commits = append(commits, fmt.Sprintf("%q (%s)", was.Sources[name], wording.Line(name)))
	}
	if len(commits) > 0 {
		until = append(until, "you set resume_after = "+strings.Join(commits, " or, if only that source was bad, "))
	}
	text += strings.Join(until, ", or ") + "."
	if d.ResumeAfter != "" && (d.bad == "" || !carries(was, d.bad)) {
		text += fmt.Sprintf(" resume_after = %q does not count: it has to be a commit of the release that %s left, or of a newer one, and not "+
			"of the present one.", wording.Escaped(d.ResumeAfter), d.own.Name)
	}
	return text
}

// waits says why no release can be chosen.
func (d *decider) waits(base *past, r Result) string {
	is := d.own.Name + " is " + d.at()
	if before, by := d.revertedBefore(r.Release); by != nil {
		return fmt.Sprintf("%s, which %s reverted %s. It stays there until a newer release is verified, or until pin names another one.", is,
			before, how(by))
	}
	if len(r.Candidates) > 0 {
		return fmt.Sprintf("%s. Nothing newer is left: %s.", is, r.Candidates[0].Reason)
	}
	if _, has := base.present(); !has && r.Decision == Nothing && len(d.After) > 0 {
		return fmt.Sprintf("%s, and so is %s.", is, base.Name)
	}
	after := ""
	if _, wentBack := d.own.left(); wentBack {
		after = fmt.Sprintf(" than all that carry %s (resume_after)", short(d.bad))
	}
	return fmt.Sprintf("%s, and %s has nothing newer%s.", is, base.Name, after)
}

// unknown says that no environment before had the release.
func (d *decider) unknown() string {
	var names []string
	for _, a := range d.before {
		names = append(names, a.Name)
	}
	return fmt.Sprintf("%s stays %s: this release was never in %s, so it is not known which release is newer. Bring it there, or "+
		"choose another one with pin = \"<commit>\".", d.own.Name, d.at(), list(names))
}

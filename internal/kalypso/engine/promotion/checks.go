// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// verdict is the result of the reports on a commit for the required checks.
type verdict struct {
	// outcome is Success if all checks are green, Failure if one has failed.
	outcome Conclusion
	// since is when the last of them turned green, and stayed so; of a Failure, when the first
	// of those that have failed began to fail.
	since time.Time
	// why names the checks that have failed or are missing.
	why string
}

// judge compares the reports on one commit with the required checks.
func judge(checks []Check, reports []Report) verdict {
	sorted := slices.SortedFunc(slices.Values(reports), inTime)
	v := verdict{outcome: Success}
	var failed, missing []string
	var began []time.Time
	for _, c := range checks {
		t := c.follow(sorted)
		for by, r := range t.latest {
			if r.Outcome == Failure {
				failed = append(failed, t.failure(by, r))
				began = append(began, r.Time)
			}
		}
		if !t.green {
			missing = append(missing, t.missing(sorted))
		}
		if t.since.After(v.since) {
			v.since = t.since
		}
	}
	switch {
	case len(failed) > 0:
		slices.Sort(failed)
		return verdict{outcome: Failure, since: slices.MinFunc(began, time.Time.Compare), why: wording.First(slices.Compact(failed), maxListed)}
	case len(missing) > 0:
		return verdict{outcome: Pending, why: strings.Join(missing, "; ")}
	}
	return v
}

// maxListed is how many contexts, or candidates, a sentence lists.
const maxListed = 3

// inTime orders reports as they came. Of those that came at once a failure is the last.
func inTime(a, b Report) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Number, b.Number), cmp.Compare(a.gravity(), b.gravity()),
		cmp.Compare(a.Context, b.Context), cmp.Compare(a.Description, b.Description), cmp.Compare(a.Creator, b.Creator))
}

// gravity orders outcomes.
func (r Report) gravity() int {
	switch r.Outcome {
	case Success:
		return 0
	case Failure:
		return 2
	default:
		return 1
	}
}

// tally is how far a check has come with some reports.
type tally struct {
	Check
	// latest are the reports that count. A failure has the time at which it began.
	latest map[reporter]Report
	// contexts are those of latest.
	contexts map[string]bool
	green    bool
	since    time.Time
	// ignored are the creators of reports that do not count.
	ignored map[string]bool
}

// reporter identifies who reports. The check runs of one name in several suites are several
// reporters.
type reporter struct{ context, suite string }

// follow goes through reports in their order. A failure stays until a success.
func (c Check) follow(sorted []Report) tally {
	t := tally{Check: c, latest: map[reporter]Report{}, contexts: map[string]bool{}, ignored: map[string]bool{}}
	successes := 0
	for _, r := range sorted {
		if !matches(c.Context, r.Context) {
			continue
		}
		if !c.trusts(r.Creator) {
			t.ignored[r.Creator] = true
			continue
		}
		by := reporter{r.Context, r.Suite}
		was := t.latest[by].Outcome
		if was == Failure && r.Outcome != Success && r.Outcome != Failure {
			continue
		}
		if was == Failure && r.Outcome == Failure {
			r.Time = t.latest[by].Time // when it began to fail
		}
		if was == Success {
			successes--
		}
		if r.Outcome == Success {
			successes++
		}
		t.latest[by], t.contexts[r.Context] = r, true
		green := successes == len(t.latest) && len(t.contexts) >= c.atLeast()
		if green && !t.green {
			t.since = r.Time
		}
		t.green = green
	}
	return t
}

// trusts reports whether the reports of a login count, in any case of its letters.
func (c Check) trusts(creator string) bool {
	return len(c.Creators) == 0 || slices.ContainsFunc(c.Creators, func(login string) bool { return strings.EqualFold(login, creator) })
}

// failure names a context that has failed, with its words.
func (t tally) failure(by reporter, r Report) string {
	if r.Description != "" {
		return fmt.Sprintf("%s reports %q", t.named(by), shown(r.Description))
	}
	return t.named(by) + " reports a failure"
}

// named is the name of the reporter. It includes the suite if several suites have the
// name.
func (t tally) named(by reporter) string {
	for other := range t.latest {
		if other.context == by.context && other != by && by.suite != "" {
			return fmt.Sprintf("%s (check suite %s)", shown(by.context), shown(by.suite))
		}
	}
	return shown(by.context)
}

// missing says which reports a check that is not green lacks.
func (t tally) missing(sorted []Report) string {
	open := map[string]bool{}
	for by, r := range t.latest {
		if r.Outcome != Success {
			open[by.context] = true
		}
	}
	switch {
	case len(open) > 0:
		return names(open) + " not yet green"
	case len(t.latest) > 0 && len(t.ignored) > 0:
		return fmt.Sprintf("%d of %d contexts of %q green, without those of %s, which creators does not name", len(t.contexts), t.atLeast(),
			t.Context, names(t.ignored))
	case len(t.latest) > 0:
		return fmt.Sprintf("%d of %d contexts of %q green", len(t.contexts), t.atLeast(), t.Context)
	case len(t.ignored) > 0:
		return fmt.Sprintf("of %q only reports of %s, which creators does not name", t.Context, names(t.ignored))
	case len(sorted) > 0:
		others := map[string]bool{}
		for _, r := range sorted {
			others[r.Context] = true
		}
		return fmt.Sprintf("no report of %q yet, only of %s", t.Context, names(others))
	}
	return fmt.Sprintf("no report of %q yet", t.Context)
}

// names lists the first of some names.
func names(all map[string]bool) string {
	var listed []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		listed = append(listed, shown(name))
	}
	return wording.First(listed, maxListed)
}

// matches reports whether a context is as a pattern says: * stands for any text, slashes
// and nothing included, and everything else for itself. This is not pattern.Matches, because
// contexts have slashes and brackets of their own. Cost: linear in the context for
// each part of the pattern.
func matches(pattern, context string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == context
	}
	context, ok := strings.CutPrefix(context, first)
	for ok {
		var part string
		if part, rest, wild = strings.Cut(rest, "*"); !wild {
			return strings.HasSuffix(context, part)
		}
		_, context, ok = strings.Cut(context, part)
	}
	return false
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Rules are the recorded rules for the promotion to an environment.
type Rules struct {
	// Environment is the name of the one that is promoted to.
	Environment string
	// After are the environments in which a commit must have worked before, by name.
	After map[string]Gate
	// SourceChecks are required of the source commit itself.
	SourceChecks []Check
	// Windows are when something new may be chosen; none is always.
	Windows []calendar.Window
	// Freezes are when nothing new may be chosen, also in a window.
	Freezes []calendar.Freeze
	// OnFailure says when the environment goes back by itself; nil for never.
	OnFailure *Fallback
	// Candidate is the one id that is asked about, if there is no source with a history.
	Candidate string
	// Pin is the commit that is chosen, before all other rules; empty for none.
	Pin string
	// Hold keeps the environment at its commit.
	Hold bool
}

// Gate is the conditions that must hold in an environment before.
type Gate struct {
	// Checks are required of its GitOps commits. If it is empty, but not nil, no check is
	// required: only the existence of a commit counts.
	Checks []Check
	// Soak is how long a commit must have been there since the last check turned green.
	Soak time.Duration
}

// Check is a required report.
type Check struct {
	// Context is a pattern of contexts, in which * stands for any text, also with slashes.
	Context string
	// AtLeast is how many distinct contexts must match and be green; 0 is 1.
	AtLeast int
	// Creators are the logins whose reports count. If it is empty, the reports of all
	// logins count.
	Creators []string
}

func (c Check) atLeast() int { return max(1, c.AtLeast) }

// Check says why rules are not valid, for any facts. Errors are a problem.List.
func (r Rules) Check() error {
	_, err := r.times()
	return err
}

// times are when something new may be chosen, and when not.
type times struct {
	windows []calendar.Opening
	freezes []calendar.Period
}

// times checks the rules, and returns their windows and freezes.
func (r Rules) times() (times, error) {
	var problems problem.List
	add := func(where, format string, args ...any) {
		problems.Add(problem.Problem{Summary: "Invalid promotion", Subject: where, Detail: fmt.Sprintf(format, args...)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.After)) {
		where, gate := fmt.Sprintf("after[%q]", name), r.After[name]
		if name == r.Environment {
			add(where, "%s cannot come after itself: nothing would ever be promoted to it. Name the environments before it.", name)
		}
		if gate.Checks == nil {
			add(where, "There are no checks, so nothing would show whether a commit works in %s. Write at least one block checks, as with context "+
				"= \"kustomization/*\"; or no_checks = true, where it is enough that it is there.", name)
		}
		if gate.Soak < 0 {
			add(where+".soak", "%s is less than nothing. Write how long a commit must have run, such as \"2h\".", gate.Soak)
		}
		checkChecks(where+".checks", gate.Checks, add)
	}
	checkChecks("source_checks", r.SourceChecks, add)
	if r.Candidate != "" && len(r.SourceChecks) > 0 {
		add("source_checks", "They ask for reports on commits of the source, and a candidate has none. Remove them, or give a source instead of "+
			"the candidate.")
	}
	r.checkFailure(add)
	var t times
	for i, w := range r.Windows {
		t.windows = append(t.windows, w.Opening(fmt.Sprintf("windows[%d]", i), add))
	}
	t.freezes = calendar.Periods(r.Freezes, add)
	return t, problems.Err()
}

func checkChecks(where string, checks []Check, add calendar.Report) {
	for i, c := range checks {
		at := fmt.Sprintf("%s[%d]", where, i)
		if c.Context == "" {
			add(at+".context", "It is empty. Write the context of the report, such as \"kustomization/*\", in which * stands for any text.")
		}
		if c.AtLeast < 0 {
			add(at+".at_least", "%d is less than nothing. Write how many contexts must be green, or leave it out for one.", c.AtLeast)
		}
		if slices.Contains(c.Creators, "") {
			add(at+".creators", "One is empty. Write logins, or leave creators out if all reports count.")
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

var histories = flag.Int("histories", 300, "how many random histories of each kind the simulation plays")

// TestSimulation plays random histories. In each plan, Decide has to agree with the reference, and
// to keep the promises of the rule. In the end, everything gets green.
func TestSimulation(t *testing.T) {
	t.Parallel()
	for name, calm := range map[string]bool{"nobody intervenes": true, "people intervene": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[decision.Decision]int{}
			seeds := race.Seeds(uint64(*histories))
			for seed := range seeds {
				events := history(seed, calm)
				if _, problem := play(seed, calm, events, seen); problem != "" {
					events = minimised(seed, calm, events)
					w, problem := play(seed, calm, events, seen)
					t.Fatalf("seed %d: %s\n%s", seed, problem, w)
				}
			}
			t.Logf("decisions: %v", seen)
			if seeds < uint64(*histories) {
				return // a part of the histories does not lead to every decision
			}
			for _, d := range []decision.Decision{decision.Promote, decision.UpToDate, decision.Held, decision.Nothing} {
				if seen[d] == 0 {
					t.Errorf("no history leads to %s", d)
				}
			}
			for _, d := range []decision.Decision{decision.Pinned, decision.Rollback} {
				if seen[d] == 0 != calm {
					t.Errorf("%d plans decide %s", seen[d], d)
				}
			}
		})
	}
}

// history returns random events.
func history(seed uint64, calm bool) []event {
	r := rand.New(rand.NewPCG(seed, 1))
	events := make([]event, 20+r.IntN(50))
	for i := range events {
		kinds := calmEvents
		if !calm && r.IntN(4) == 0 {
			kinds = interventions
		}
		events[i].what = kinds[r.IntN(len(kinds))]
		for j := range events[i].n {
			events[i].n[j] = r.IntN(1 << 20)
		}
		if i > 0 && events[i-1].what == "outage" && r.IntN(2) == 0 {
			events[i] = events[i-1] // it goes on
		}
	}
	return events
}

// minimised returns the events that the problem needs.
func minimised(seed uint64, calm bool, events []event) []event {
	for size := len(events) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(events); {
			fewer := slices.Delete(slices.Clone(events), i, i+size)
			if _, problem := play(seed, calm, fewer, map[decision.Decision]int{}); problem != "" {
				events = fewer
			} else {
				i += size
			}
		}
	}
	return events
}

// play lets a history happen. It returns what is wrong, if something is.
func play(seed uint64, calm bool, events []event, seen map[decision.Decision]int) (*world, string) {
	w := newWorld(rand.New(rand.NewPCG(seed, 0)), calm)
	for _, ev := range events {
		w.happen(ev)
		planned := w.envs
		if ev.what == "plan" || ev.what == "outage" {
			planned = []*place{w.envs[ev.n[0]%len(w.envs)]}
		} else if ev.what != "rollout" {
			continue
		}
		for i, e := range planned {
			chosen, problem := w.plan(e)
			if problem != "" {
				return w, e.name + ": " + problem
			}
			seen[chosen]++
			if ev.what == "rollout" {
				state := decision.Success
				if ev.n[0]%10 == i {
					state = decision.Failure
				}
				w.all(e, state)
				w.now = w.now.Add(90 * time.Minute)
			}
		}
	}
	return w, w.settle()
}

// decide compares Decide with the reference.
func (w *world) decide(e *place) (got decision.Result, problem string) {
	got, err := decision.Decide(w.input(e, true))
	in := w.input(e, false)
	want, ok := reference(in, before(in))
	switch {
	case err != nil && ok:
		return got, fmt.Sprintf("Decide returns the error %q, the reference %s", err, written(want))
	case err == nil && !ok:
		return got, fmt.Sprintf("Decide returns %s, the reference an error", written(got))
	case ok && written(got) != written(want):
		return got, fmt.Sprintf("Decide returns\n  %s %s\nthe reference\n  %s", written(got), got.Reason, written(want))
	case err != nil:
		return decision.Result{}, ""
	}
	return got, ""
}

// before returns the environments before, or the source as one that had each of its commits once.
func before(in decision.Input) (all []naive) {
	for _, a := range in.After {
		all = append(all, read(a))
	}
	if len(in.After) == 0 {
		source := decision.Environment{Reports: in.Source.Reports, Checks: in.Source.Checks}
		for _, c := range slices.Backward(in.Source.Commits) {
			source.Track.Steps = append(source.Track.Steps, record.Step{Release: record.Release{Commit: c.ID}, Commits: []record.Commit{c}})
		}
		all = append(all, read(decision.After{Environment: source}))
	}
	return all
}

// written writes what is compared.
func written(r decision.Result) string {
	line := fmt.Sprintf("%s %s", r.Decision, shown(r.Release))
	for _, c := range r.Candidates {
		line += fmt.Sprintf(", %s %s", shown(c.Release), c.Stage)
	}
	return line
}

// plan plans and applies an environment, and plans again.
func (w *world) plan(e *place) (decision.Decision, string) {
	got, problem := w.decide(e)
	if problem != "" || got.Decision == "" {
		return "", problem
	}
	if problem := w.broken(e, got); problem != "" {
		return "", problem
	}
	if got.Release.Commit == "" {
		return got.Decision, ""
	}
	resolved := got.Release
	if len(resolved.Sources) == 0 {
		resolved.Sources = w.apps
	}
	if !resolved.Same(e.own()) {
		w.apply(e, got.Release, string(got.Decision))
	}
	again, problem := w.decide(e)
	switch {
	case problem != "":
		return "", problem
	case again.Decision == decision.Promote, again.Decision == decision.Rollback:
		return "", fmt.Sprintf("the plan after an apply of %s decides %s", written(got), written(again))
	case !again.Release.Same(got.Release) && !again.Release.Same(resolved):
		return "", fmt.Sprintf("the plan after an apply of %s wants %s", written(got), shown(again.Release))
	}
	return got.Decision, ""
}

// broken returns the promise that a decision breaks.
func (w *world) broken(e *place, got decision.Result) string {
	own := e.own()
	is := func(r record.Release) bool { return r.Same(got.Release) }
	switch {
	case got.Decision == decision.Pinned || len(e.after) == 0 && got.Release.Commit == own.Commit:
		return ""
	case got.Decision != decision.Promote && got.Decision != decision.Rollback:
		if !is(own) {
			return fmt.Sprintf("%s changes %s to %s", got.Decision, shown(own), shown(got.Release))
		}
		return ""
	case slices.ContainsFunc(e.reverted, is):
		return shown(got.Release) + " was reverted and comes back"
	case got.Decision == decision.Rollback:
		target := read(decision.After{Environment: w.input(e, false).Own})
		if state, _ := target.judge(got.Release, w.now); ladder[state] != decision.Verified || e.place(got.Release) >= e.place(own) {
			return fmt.Sprintf("it goes back to %s, which is %s", shown(got.Release), ladder[state])
		}
		return ""
	case e.place(got.Release) >= 0 && e.place(got.Release) < e.place(own):
		return fmt.Sprintf("promote goes back from %s to %s", shown(own), shown(got.Release))
	case e.wentBack() && len(e.after) > 0 && e.resume == "":
		return fmt.Sprintf("it went back, and gets %s without resume_after", shown(got.Release))
	}
	for _, n := range before(w.input(e, false)) {
		if state, _ := n.judge(got.Release, w.now); ladder[state] != decision.Verified && (len(e.after) > 0 || e.resume == "") {
			return fmt.Sprintf("%s is %s in %s", shown(got.Release), ladder[state], n.Name)
		}
	}
	for _, f := range w.before(e) {
		if slices.ContainsFunc(f.reverted, is) {
			return fmt.Sprintf("%s is reverted in %s", shown(got.Release), f.name)
		}
	}
	return ""
}

// settle ends all interventions, moves the source and the applications and lets everything turn green.
// Every environment has to reach these heads.
func (w *world) settle() string {
	w.merge(0)
	for _, app := range slices.Sorted(maps.Keys(w.apps)) {
		w.apps[app] = w.id("a")
	}
	for _, e := range w.envs {
		e.pin, e.hold, e.freezes, e.resume = "", "", nil, ""
		if e.wentBack() {
			e.resume = e.bad()
			w.note("%s: resume_after = %q", e.name, e.resume)
		}
		had := func(f *place) bool { return f.past().rank(e.own()) >= 0 }
		if e.own().Commit != "" && len(e.after) > 0 && !slices.ContainsFunc(w.before(e), had) {
			return "" // somebody has to pin
		}
		if len(e.after) == 2 && len(w.envs[1].after) == 0 {
			return "" // two environments that read the heads at different times
		}
	}
	for range len(w.envs) + 1 {
		for w.now = w.now.Truncate(24 * time.Hour).Add(34 * time.Hour); w.now.Weekday() != time.Tuesday; {
			w.now = w.now.Add(24 * time.Hour)
		}
		for _, e := range w.envs {
			w.all(e, decision.Success)
		}
		w.built()
		w.now = w.now.Add(2 * time.Hour)
		for _, e := range w.envs {
			if _, problem := w.plan(e); problem != "" {
				return e.name + ": " + problem
			}
		}
	}
	newest := record.Release{Commit: w.source[0].ID, Sources: w.apps}
	for _, e := range w.envs {
		if !e.own().Same(newest) {
			return fmt.Sprintf("%s does not reach %s", e.name, shown(newest))
		}
	}
	return ""
}

// String writes the settings and what happened.
func (w *world) String() string {
	var b strings.Builder
	for _, e := range w.envs {
		fmt.Fprintf(&b, "%s after %v, soak %s, checks %v, target %v, fallback %t after %s, %d windows, pin %q, resume_after %q, hold %q\n",
			e.name, e.after, e.soak, e.checks, e.target, e.fallback, e.grace, len(e.windows), e.pin, e.resume, e.hold)
		for _, s := range e.steps {
			fmt.Fprintf(&b, "  %s in", shown(s.Release))
			for _, c := range s.Commits {
				fmt.Fprintf(&b, " %s", c.ID)
			}
			b.WriteString("\n")
		}
	}
	return b.String() + fmt.Sprintf("the source: checks %v\n", w.checks) + strings.Join(w.log, "\n")
}

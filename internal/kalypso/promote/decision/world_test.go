// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package decision_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// world is a control plane with its applications and its environments, in which things happen.
type world struct {
	now     time.Time
	source  []record.Commit   // the newest first
	apps    map[string]string // the heads of the applications
	envs    []*place
	reports map[string][]decision.Report // by commit
	checks  []decision.Check             // of the source
	made    int                          // commits
	reads   uint64                       // of reports
	log     []string
}

// place is an environment of the world.
type place struct {
	name     string
	steps    []record.Step
	after    []int
	soak     time.Duration
	checks   []decision.Check // that those after it require
	target   []decision.Check
	windows  []calendar.Opening
	freezes  []calendar.Freeze
	fallback bool
	grace    time.Duration

	pin, resume, hold string
	// reverted are releases that somebody took back, in this life of the environment.
	reverted []record.Release
}

// event is something that happens. The numbers choose where, and how.
type event struct {
	what string
	n    [4]int
}

var contexts = []string{"kalypso/eu/a", "kalypso/eu/b", "e2e/smoke"}

// possibleChecks are requirements on the reports of an environment; none is the rarest.
var possibleChecks = [][]decision.Check{
	{{Context: "kalypso/*"}},
	{{Context: "kalypso/*", AtLeast: 2}},
	{{Context: "kalypso/*", Expected: contexts[:2]}},
	{{Context: "*/smoke", Creators: []string{"ci"}}},
	{{Context: "kalypso/*"}, {Context: "e2e/smoke", Creators: []string{"ci", "qa"}}},
	{{Context: "kalypso/*/b"}, {Context: "kalypso/*", Expected: contexts[1:2]}},
	{{Context: "*", AtLeast: 3, MinGreen: &decision.Share{Percent: 50}}},
	{{Context: "kalypso/*", Expected: contexts[:2], MinGreen: &decision.Share{Number: 1}}, {Context: "e2e/*"}},
	{},
}

var windows = calendar.Openings([]calendar.Window{
	{Days: []string{"mon", "tue", "wed", "thu"}, From: "09:00", To: "16:00", Timezone: "Europe/Berlin"},
	{Days: []string{"fri"}, From: "22:00", To: "02:00", Timezone: "UTC"},
}, nil)

var start = time.Date(2026, 1, 5, 7, 0, 0, 0, time.UTC) // a Monday

// shapes are the environments before each environment.
var shapes = [][][]int{
	{{}},
	{{}, {0}},
	{{}, {0}, {1}},
	{{}, {0}, {1}, {2}},
	{{}, {0}, {0}, {1, 2}}, // a diamond
	{{}, {0}, {1, 0}},
	{{}, {}, {0, 1}}, // two that read heads themselves
}

// newWorld returns a random world before its first event.
func newWorld(r *rand.Rand, calm bool) *world {
	w := &world{now: start, apps: map[string]string{}, reports: map[string][]decision.Report{}}
	for i := range r.IntN(3) {
		w.apps[fmt.Sprintf("app%d", i)] = fmt.Sprintf("a%d.0", i)
	}
	if r.IntN(3) == 0 {
		w.checks = []decision.Check{{Context: "e2e/*"}}
	}
	w.merge(0)
	shape := shapes[r.IntN(len(shapes))]
	if calm {
		shape = shapes[r.IntN(len(shapes)-1)]
	}
	for i, after := range shape {
		e := &place{name: "env" + string(rune('A'+i)), after: after, checks: possibleChecks[r.IntN(len(possibleChecks))]}
		e.soak = time.Duration(r.IntN(3)) * 45 * time.Minute
		if r.IntN(4) == 0 {
			e.windows = windows
		}
		if r.IntN(2) == 0 && !calm {
			e.fallback, e.grace = true, time.Duration(r.IntN(3))*20*time.Minute
			e.target = possibleChecks[r.IntN(len(possibleChecks))]
		}
		w.envs = append(w.envs, e)
	}
	return w
}

func (w *world) note(format string, args ...any) {
	w.log = append(w.log, w.now.Format("02 15:04 ")+fmt.Sprintf(format, args...))
}

func (w *world) id(prefix string) string {
	w.made++
	return fmt.Sprintf("%s%d", prefix, w.made)
}

// merge puts a commit on top of the source, after some of its newest were removed by force.
func (w *world) merge(removed int) {
	w.source = slices.Insert(slices.Clone(w.source[min(removed, len(w.source)):]), 0, record.Commit{ID: w.id("c"), Time: w.now})
	w.note("the source is at %s, %d are removed", w.source[0].ID, removed)
}

func (e *place) past() naive {
	return read(decision.After{Environment: decision.Environment{Track: record.Track{Steps: e.steps}}})
}

// place is the first step of the present life with exactly this release; -1 for none.
func (e *place) place(r record.Release) int {
	return slices.IndexFunc(e.past().life, func(s record.Step) bool { return s.Release.Same(r) })
}

// own is the present release.
func (e *place) own() (r record.Release) {
	if len(e.steps) > 0 {
		r = e.steps[len(e.steps)-1].Release
	}
	return r
}

func (e *place) wentBack() bool { return !e.left().Same(e.own()) }

// left is the newest release.
func (e *place) left() record.Release {
	r, _ := e.past().newest(anything)
	return r
}

// apply writes a release into the GitOps branch of an environment.
func (w *world) apply(e *place, r record.Release, why string) {
	if r.Commit != "" && len(r.Sources) == 0 {
		r.Sources = maps.Clone(w.apps)
	}
	commit := record.Commit{ID: w.id(e.name + "."), Time: w.now}
	w.note("%s: %s writes %s in %s", e.name, why, shown(r), commit.ID)
	last := len(e.steps) - 1
	if last < 0 && r.Commit == "" {
		return
	}
	if last >= 0 && e.steps[last].Release.Same(r) {
		e.steps[last].Commits = append(e.steps[last].Commits, commit)
		return
	}
	e.reverted = slices.DeleteFunc(e.reverted, r.Same)
	if left := e.own(); left.Commit != "" && e.place(r) >= 0 && e.place(r) < e.place(left) {
		e.reverted = append(e.reverted, left)
	}
	if r.Commit == "" {
		e.reverted = nil
	}
	e.steps = append(e.steps, record.Step{Release: r, Commits: []record.Commit{commit}})
}

// report adds a report on a commit.
func (w *world) report(commit string, context int, state decision.State, creator string) {
	w.reports[commit] = append(w.reports[commit], decision.Report{Context: contexts[context], State: state, Time: w.now, Creator: creator})
}

// commits are the GitOps commits of an environment, the newest first.
func (e *place) commits() (ids []string) {
	for _, s := range e.steps {
		for _, c := range s.Commits {
			ids = append(ids, c.ID)
		}
	}
	slices.Reverse(ids)
	return ids
}

// known are the commits that a pin or a resume_after may name.
func (w *world) known(e *place) (ids []string) {
	for _, f := range append([]*place{e}, w.before(e)...) {
		for _, s := range slices.Backward(f.past().life) {
			ids = append(append(ids, s.Release.Commit), slices.Sorted(maps.Values(s.Release.Sources))...)
		}
	}
	return ids
}

func (w *world) before(e *place) (all []*place) {
	for _, i := range e.after {
		all = append(all, w.envs[i])
	}
	return all
}

// pick returns one of the values, the first ones more often; the zero value if there is none.
func pick[T any](values []T, n int) (none T) {
	if len(values) == 0 {
		return none
	}
	return values[min(n%len(values), n/7%len(values))]
}

// said are the states of reports; success is the most frequent one.
var said = []decision.State{decision.Success, decision.Success, decision.Success, decision.Failure, decision.Pending}

// calmEvents happen without an intervention. Their number is their weight.
var calmEvents = strings.Fields("merge merge app wait wait late report report report outage green green again " +
	"plan plan plan rollout rollout")

// interventions are what people do.
var interventions = strings.Fields("revert revert revert pin unpin resume resume hold freeze free drop remove destroy move cut")

// happen applies an event that is not a plan. Whatever the numbers are, something is done that is possible.
func (w *world) happen(ev event) {
	w.now = w.now.Add(time.Minute)
	n := ev.n
	e := w.envs[n[0]%len(w.envs)]
	switch ev.what {
	case "merge":
		w.merge(0)
	case "drop": // a force push of the source
		w.merge(1 + n[1]%2)
	case "remove": // a force push of the source, back to an older commit
		if len(w.source) > 1 {
			w.source = w.source[1:]
			w.note("the source goes back to %s", w.source[0].ID)
		}
	case "app":
		if app := pick(slices.Sorted(maps.Keys(w.apps)), n[1]); app != "" {
			w.apps[app] = w.id("a")
			w.note("%s is at %s", app, w.apps[app])
		}
	case "wait":
		w.now = w.now.Add(time.Duration(n[1]%120) * time.Minute)
	case "late":
		w.now = w.now.Add(time.Duration(n[1]%48) * time.Hour)
	case "report":
		commit, creator := pick(e.commits(), n[1]), pick([]string{"ci", "qa", ""}, n[3])
		if n[2]%4 == 0 {
			commit = pick(w.source, n[1]).ID
		}
		if commit != "" {
			state, context := said[n[3]%len(said)], n[2]%len(contexts)
			w.report(commit, context, state, creator)
			w.note("%s reports %s to %s, by %q", contexts[context], state, commit, creator)
		}
	case "green":
		w.all(e, decision.Success)
	case "outage":
		w.all(e, decision.Failure)
		w.now = w.now.Add(time.Duration(n[1]%4) * 20 * time.Minute)
	case "rollout":
		w.built()
	case "again": // something else of the same environment changes
		if r := e.own(); r.Commit != "" {
			w.apply(e, r, "a new manifest")
		}
	case "revert":
		if life := e.past().life; len(life) > 1 {
			w.apply(e, pick(life[:len(life)-1], len(life)+n[1]).Release, "a person")
		}
	case "pin":
		names := append(e.commits(), w.known(e)...)
		if len(e.after) == 0 {
			names = append(names, w.source[0].ID, pick(w.source, n[2]).ID)
		}
		e.pin = pick(names, n[1])
		w.note("%s: pin = %q", e.name, e.pin)
	case "resume":
		e.resume = pick(w.known(e), n[1])
		if n[2]%2 == 0 && e.wentBack() {
			e.resume = e.bad()
		}
		w.note("%s: resume_after = %q", e.name, e.resume)
	case "hold":
		e.hold = "an audit"
		w.note("%s: hold", e.name)
	case "freeze":
		from, to := w.now.Format(time.DateOnly), w.now.AddDate(0, 0, n[1]%3).Format(time.DateOnly)
		e.freezes = []calendar.Freeze{{From: from, To: to, Timezone: "UTC", Reason: "an audit"}}
		w.note("%s: freeze to %s", e.name, e.freezes[0].To)
	case "unpin", "free":
		e.pin, e.hold, e.freezes = "", "", nil
		w.note("%s: no pin, no hold, no freeze", e.name)
	case "destroy":
		w.apply(e, record.Release{}, "destroy")
	case "move": // to a new GitOps repository
		own := e.own()
		e.steps, e.reverted = nil, nil
		w.note("%s: moved", e.name)
		w.apply(e, own, "the move")
	case "cut": // a force push of the GitOps branch
		if len(e.steps) > 0 {
			e.steps, e.reverted = e.steps[:len(e.steps)-1], nil
			w.note("%s: its last step is removed by force", e.name)
		}
	}
}

// all lets every context report one state, where the environment is now.
func (w *world) all(e *place, state decision.State) {
	for _, commit := range e.commits()[:min(1, len(e.commits()))] {
		for i := range contexts {
			w.report(commit, i, state, "ci")
		}
		w.note("%s: all contexts report %s to %s", e.name, state, commit)
	}
}

// built turns the newest commit of the source green.
func (w *world) built() {
	for i := range contexts {
		w.report(w.source[0].ID, i, decision.Success, "ci")
	}
	w.note("the source: %s is green", w.source[0].ID)
}

// bad is what an environment that went back has to write as resume_after.
func (e *place) bad() (commit string) {
	left := e.left()
	for _, c := range append(slices.Sorted(maps.Values(left.Sources)), left.Commit) {
		if !carries(c)(e.own()) {
			commit = c
		}
	}
	return commit
}

// input is what Decide reads for an environment.
func (w *world) input(e *place, strict bool) decision.Input {
	env := func(e *place, checks []decision.Check) decision.Environment {
		return decision.Environment{Name: e.name, Track: e.past().Track, Checks: checks, Reports: w.reader(strict)}
	}
	in := decision.Input{Own: env(e, e.target), Pin: e.pin, ResumeAfter: e.resume, Hold: e.hold,
		Windows: e.windows, Freezes: calendar.Periods(e.freezes, nil),
		Fallback: e.fallback, Grace: e.grace, Now: w.now}
	for _, f := range w.before(e) {
		in.After = append(in.After, decision.After{Environment: env(f, f.checks), Soak: f.soak})
	}
	if len(e.after) == 0 {
		commits := w.source[:1]
		if len(w.checks) > 0 || e.pin != "" {
			commits = w.source[:min(50, len(w.source))]
		}
		in.Source = &decision.Source{Commits: commits, Reports: w.reader(strict), Checks: w.checks}
	}
	return in
}

// reader returns the reports on commits, in changing orders. It refuses a second question about the
// same commit if it is strict.
func (w *world) reader(strict bool) decision.Reports {
	asked := map[string]bool{}
	return func(commit string) ([]decision.Report, error) {
		if asked[commit] && strict {
			return nil, fmt.Errorf("%s is asked for twice", commit)
		}
		asked[commit] = true
		w.reads++
		all := slices.Clone(w.reports[commit])
		rand.New(rand.NewPCG(w.reads, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all, nil
	}
}

// shown writes a release for people.
func shown(r record.Release) string {
	if r.Commit == "" {
		return "nothing"
	}
	var b strings.Builder
	b.WriteString(r.Commit)
	for _, app := range slices.Sorted(maps.Keys(r.Sources)) {
		fmt.Fprintf(&b, " %s=%s", app, r.Sources[app])
	}
	return "{" + b.String() + "}"
}

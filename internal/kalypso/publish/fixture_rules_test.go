// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// ruledTypes are the cluster types of these tests.
var ruledTypes = []string{"u", "v", "w"}

// ruled is what a configuration says of one resource. Without a list it names the whole fleet.
type ruled struct {
	environment, branch, path string
	list                      []string
	removal                   ownership.Removal
	hold                      bool
}

// workspace is a configuration, its state and what the state was before, by address.
type workspace struct {
	configs map[string]*ruled
	states  map[string]*instance
	older   []map[string]*instance
	fleet   []string
	family  string
}

// rulesWorld is a repository, two workspaces that write to it, and what happened, in words.
type rulesWorld struct {
	server
	*rand.Rand
	t      *testing.T
	spaces [2]*workspace
	story  []string
	// seen are the commits of each branch that were checked.
	seen map[string]int
	cost int
}

func newRulesWorld(t *testing.T, seed uint64) *rulesWorld {
	t.Helper()
	w := &rulesWorld{server: newServer(t), Rand: rand.New(rand.NewPCG(seed, 11)), t: t, seen: map[string]int{}}
	w.tell("seed %d", seed)
	for i := range w.spaces {
		w.spaces[i] = &workspace{configs: map[string]*ruled{}, states: map[string]*instance{}, fleet: ruledTypes, family: "f0"}
	}
	for _, branch := range []string{"prod", "next"} {
		w.edit(t, branch, map[string]string{"docs/index.md": "# Docs"})
	}
	a := &ruled{environment: "dev", branch: "prod", path: ".", removal: ownership.Empty}
	w.spaces[0].configs["a"] = a
	if w.IntN(4) > 0 {
		b := *a
		a.list, b.list = ruledTypes[:1], ruledTypes[1:]
		w.spaces[0].configs["b"] = &b
	}
	w.catchUp()
	return w
}

func (w *rulesWorld) tell(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf(format, args...))
}

// wrong ends the test with what led there.
func (w *rulesWorld) wrong(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s, after:\n%s", fmt.Sprintf(format, args...), strings.Join(w.story, "\n"))
}

// pick returns one of some names, sorted before, so that a seed is one sequence.
func pick[V any](w *rulesWorld, all map[string]V) string {
	names := slices.Sorted(maps.Keys(all))
	return names[w.IntN(len(names))]
}

// names are the cluster types that a configuration names and the fleet has.
func (s *workspace) names(c *ruled) []string {
	if c.list == nil {
		return s.fleet
	}
	return slices.DeleteFunc(slices.Clone(c.list), func(name string) bool { return !slices.Contains(s.fleet, name) })
}

// wants reports whether a configuration names a folder.
func (s *workspace) wants(c *ruled, at folderAt) bool {
	return c.branch == at.branch && c.path == at.path && slices.Contains(s.names(c), at.name)
}

// settingsOf are the settings of a configuration.
func (w *rulesWorld) settingsOf(s *workspace, c *ruled) publish.Settings {
	in := fleetOf(c.environment, s.family, s.fleet...)
	if c.list != nil {
		in.ClusterTypes = append([]string{}, c.list...)
	}
	settings := w.settings(in)
	settings.Branch.Value, settings.Path.Value, settings.Removal, settings.Hold = c.branch, c.path, c.removal, c.hold
	settings.Detail, settings.Limits.AllowEmpty = "cluster_type", true
	return settings
}

// runOptions say how Terraform is run.
type runOptions struct {
	target, replace []string
	// createFirst is create_before_destroy.
	createFirst bool
	// kill ends the apply before so many of its steps are done, unless it is 0; notSaved has
	// the state be as it was before.
	kill     int
	notSaved bool
	// aliases has two processes share the resources.
	aliases bool
}

// failure is what a run says of one address.
type failure struct {
	address string
	message.Message
	instance string
}

// acting is one resource in one run.
type acting struct {
	address   string
	process   int
	config    *ruled
	before    *instance // as it was refreshed; nil for one that is new
	next      *instance
	plan      *publish.Plan
	replaced  bool
	destroyed bool
}

// run plans a workspace and applies it. It returns the errors that prevent the plan or the
// apply.
func (w *rulesWorld) run(number int, o runOptions) (failures []failure, differs bool) {
	s := w.spaces[number]
	w.tell("run of workspace %d: %+v", number, o)
	addresses := map[string]bool{}
	for address := range s.configs {
		addresses[address] = true
	}
	for address := range s.states {
		addresses[address] = true
	}
	var all []*acting
	order := slices.Sorted(maps.Keys(addresses))
	w.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	processes := []*publish.Publisher{w.publisher(w.t), w.publisher(w.t)}
	s.older = append(s.older, maps.Clone(s.states))
	for _, address := range order {
		if o.target != nil && !slices.Contains(o.target, address) {
			continue
		}
		a := &acting{address: address, config: s.configs[address]}
		if o.aliases {
			a.process = w.IntN(2)
		}
		a.next = &instance{server: w.server, run: processes[a.process]}
		if s.states[address] != nil {
			a.before = stateOf(s.states[address])
			a.before.run = a.next.run
		}
		m := w.planOne(s, a, slices.Contains(o.replace, address))
		for _, e := range m.Errors {
			id := ""
			if a.before != nil {
				id = a.before.was.Instance
			}
			failures = append(failures, failure{address, e, id})
		}
		differs = differs || a.destroyed || a.plan != nil && a.plan.Differs
		all = append(all, a)
	}
	for _, f := range failures {
		w.tell("  %s is not planned: %s %s", f.address, f.Summary, f.Detail)
	}
	if len(failures) > 0 {
		return failures, true
	}
	before := maps.Clone(s.states)
	if failures = w.applyAll(s, number, all, o); o.notSaved && o.kill > 0 {
		s.states = before
	}
	return failures, differs
}

// planOne plans one resource: of a replacement, an update first.
func (w *rulesWorld) planOne(s *workspace, a *acting, replace bool) message.Messages {
	w.cost++
	if a.config == nil {
		a.destroyed = true
		a.before.refresh(w.t)
		return a.before.planDestroy(w.t)
	}
	settings := w.settingsOf(s, a.config)
	var m message.Messages
	if a.before != nil {
		a.next = a.before
	}
	if a.replaced = replace && a.before != nil; a.replaced {
		if _, m = a.before.plan(w.t, settings); m.Failed() {
			return m
		}
		a.next = a.before.replacement(w.t)
	}
	a.plan, m = a.next.plan(w.t, settings)
	return m
}

// applyAll applies what was planned in any order, in processes of their own.
func (w *rulesWorld) applyAll(s *workspace, number int, all []*acting, o runOptions) (failures []failure) {
	w.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	left := o.kill
	killed := func() bool {
		left--
		return left == 0
	}
	run := w.publisher(w.t)
	for _, a := range all {
		if a.before != nil {
			s.states[a.address] = a.before
			a.before.run = run
		}
		a.next.run = run
	}
	for _, a := range all {
		note := func(m message.Messages) bool {
			for _, e := range m.Errors {
				w.tell("  %s is not applied: %s %s", a.address, e.Summary, e.Detail)
				failures = append(failures, failure{a.address, e, ""})
			}
			w.check(number, a, all)
			return m.Failed()
		}
		if killed() {
			return failures
		}
		w.cost++
		if a.destroyed {
			w.tell("  %s (%s) is destroyed", a.address, a.before.was.Instance)
			gone := stateOf(a.before)
			if !note(gone.destroy(w.t)) {
				delete(s.states, a.address)
			}
			continue
		}
		if a.replaced && !o.createFirst {
			gone := stateOf(a.before)
			succeeded(w.t, gone.remove(w.t, false))
			delete(s.states, a.address)
			if killed() {
				return failures
			}
		}
		next := stateOf(a.next)
		failed := note(next.carryOut(w.t, w.settingsOf(s, a.config), a.plan))
		if failed {
			continue
		}
		w.tell("  %s is %s", a.address, next.was.Instance)
		next.replaces = nil // only the plan of its creation is told of the one before
		s.states[a.address] = next
		if a.replaced && o.createFirst {
			if killed() {
				return failures
			}
			gone := stateOf(a.before)
			succeeded(w.t, gone.remove(w.t, false))
		}
	}
	return failures
}

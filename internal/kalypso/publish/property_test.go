// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

var sequences = flag.Int("sequences", 100, "how many sequences TestRandomSequences plays")

// TestRandomSequences plays what people do with resources, states and branches, on the real code.
// Each apply is held against the promises of the guide "Folders":
//
//   - only the owner of a folder empties or deletes it;
//   - only the owner, or a resource of the same environment that may take the folder over, changes
//     its content;
//   - no apply makes two owners of a folder;
//   - no folder changes its owner without a code, an import, a release, or the regrouping of waves that own
//     something there: a second state, which owns nothing, takes nothing;
//   - what people have to do in the end is what the errors say, and then everything settles.
func TestRandomSequences(t *testing.T) {
	t.Parallel()
	const groups = 10
	for group := range groups {
		t.Run(fmt.Sprint(group), func(t *testing.T) {
			t.Parallel()
			for i := group; i < int(race.Seeds(uint64(*sequences))) && !t.Failed(); i += groups {
				t.Run(fmt.Sprint(i), func(t *testing.T) { // a server for each
					w := newWorld(t, int64(i))
					for range 1 + w.rand.Intn(8) {
						w.act()
					}
					w.settle()
					if t.Failed() {
						t.Errorf("sequence %d: %s", i, strings.Join(w.log, ", "))
					}
				})
			}
		})
	}
}

// world is two workspaces that write to the branches of one repository.
type world struct {
	*server
	t          *testing.T
	rand       *rand.Rand
	workspaces [2]*workspace
	log        []string
}

// workspace has resources by their addresses, in the configuration and in the state.
type workspace struct {
	config map[string]*resourceConfig
	state  map[string]*resource
	// fleet is the family of the workload.
	types  []string
	family string
	old    []map[string]*resource
	// codes are those in acknowledge, and publisher is that of all runs.
	codes     []string
	publisher *publish.Publisher
}

// resourceConfig is a resource in the configuration. types nil is all.
type resourceConfig struct {
	environment, branch, path string
	types                     []string
	removal, destroy          ownership.Removal
	hold                      bool
}

var allTypes = []string{"ant", "bee", "cow"}

func newWorld(t *testing.T, seed int64) *world {
	w := &world{server: newServer(t), t: t, rand: rand.New(rand.NewSource(seed))}
	w.compute = computeOnce
	for i := range w.workspaces {
		w.workspaces[i] = &workspace{config: map[string]*resourceConfig{}, state: map[string]*resource{}, types: allTypes, family: "one",
			publisher: w.publisher(t)}
	}
	main := w.workspaces[0]
	if w.rand.Intn(4) == 0 {
		main.config["a"] = newConfig(nil)
	} else {
		main.config["a"], main.config["b"] = newConfig([]string{"ant"}), newConfig([]string{"bee", "cow"})
	}
	w.run(main, options{})
	return w
}

var computed sync.Map // of *engine.Result, by the input

// computeOnce is the engine, which gives the same result for the same input.
func computeOnce(ctx context.Context, in engine.Input) (*engine.Result, error) {
	key := fmt.Sprintf("%+v %q %t", in.Manifests, in.ClusterTypes, in.ClusterTypes == nil)
	if found, ok := computed.Load(key); ok {
		return found.(*engine.Result), nil //nolint:errcheck // nothing else is there
	}
	result, err := engine.Compute(ctx, in)
	if err == nil {
		computed.Store(key, result)
	}
	return result, err
}

func newConfig(types []string) *resourceConfig {
	return &resourceConfig{environment: "prod", branch: "prod", path: ".", types: types, removal: ownership.Empty, destroy: ownership.Retain}
}

func (w *world) settings(s *workspace, c *resourceConfig) publish.Settings {
	settings := w.server.settings(fleetOf(c.environment, s.family, s.types...))
	settings.Fleet.ClusterTypes = c.types
	settings.Branch, settings.Path, settings.Hold = given(c.branch), given(c.path), c.hold
	settings.OnRemoval, settings.OnDestroy = c.removal, c.destroy
	settings.Limits.AllowEmpty, settings.Acknowledge = true, s.codes
	return settings
}

// options are those of a run of Terraform.
type options struct {
	target, replace string
	createFirst     bool
	// kill ends the run before that many steps, and loses the state of the last one if forget is
	// true; 0 does not kill.
	kill   int
	forget bool
}

// run plans and applies a workspace, as Terraform does. It returns the errors of the plan and of the
// apply.
func (w *world) run(s *workspace, o options) (all []message.Message) {
	w.shared = s.publisher
	s.old = append(s.old, clone(s.state))
	addresses := map[string]bool{}
	for address := range s.config {
		addresses[address] = true
	}
	for address := range s.state {
		addresses[address] = true
	}
	order := slices.Sorted(maps.Keys(addresses))
	if o.target != "" {
		order = slices.DeleteFunc(order, func(address string) bool { return address != o.target })
	}
	plans := map[string]*publish.Plan{}
	for _, address := range order {
		r, c := w.resourceOf(s, address), s.config[address]
		if c == nil {
			if m := r.refresh(w.t); m.Failed() {
				all = append(all, m.Errors...)
				continue
			}
			memory, m := r.publisher(w.t).PlanDestroy(w.t.Context(), r.job(r.was.Settings))
			r.memory = memory
			all = append(all, m.Errors...)
			continue
		}
		plan, m := r.plan(w.t, w.settings(s, c))
		plans[address] = plan
		all = append(all, m.Errors...)
	}
	if len(all) > 0 {
		return all
	}
	w.rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	steps := 0
	for _, address := range order {
		if steps++; o.kill > 0 && steps >= o.kill {
			if o.forget && w.rand.Intn(2) == 0 { // it wrote, and the state was not saved
				before := clone(s.state)
				w.carryOut(s, address, plans[address], o)
				s.state = before
			}
			break
		}
		all = append(all, w.carryOut(s, address, plans[address], o)...)
	}
	return all
}

// resourceOf returns the resource at an address; a new one without a state.
func (w *world) resourceOf(s *workspace, address string) *resource {
	if r := s.state[address]; r != nil {
		return r
	}
	return w.resource()
}

func clone(state map[string]*resource) map[string]*resource {
	all := map[string]*resource{}
	for address, r := range state {
		copied := *r
		all[address] = &copied
	}
	return all
}

// carryOut applies one resource, and holds each write against the promises.
func (w *world) carryOut(s *workspace, address string, plan *publish.Plan, o options) []message.Message {
	r, c := w.resourceOf(s, address), s.config[address]
	if c == nil {
		m := w.watched(r, r.was.Settings, func() message.Messages { return r.remove(w.t, true) })
		if !m.Failed() {
			delete(s.state, address)
		}
		return m.Errors
	}
	settings := w.settings(s, c)
	if replaces := len(plan.Replaces) > 0 || o.replace == address && r.was != nil; replaces {
		old := *r
		created := w.resource()
		destroyOld := func() message.Messages { return old.remove(w.t, false) }
		if !o.createFirst {
			if m := w.watched(&old, publish.Settings{}, destroyOld); m.Failed() {
				return m.Errors
			}
			delete(s.state, address)
		}
		next, m := created.plan(w.t, settings)
		if m.Failed() {
			return m.Errors
		}
		if m := w.watched(created, settings, func() message.Messages { return created.carryOut(w.t, settings, next) }); m.Failed() {
			return m.Errors
		}
		s.state[address] = created
		if o.createFirst {
			return w.watched(&old, publish.Settings{}, destroyOld).Errors
		}
		return nil
	}
	m := w.watched(r, settings, func() message.Messages { return r.carryOut(w.t, settings, plan) })
	if !m.Failed() {
		s.state[address] = r
	}
	return m.Errors
}

// content is what a branch has: the id of each folder, and the records.
type content struct {
	folders map[string]string // by path
	records map[string]record.Record
}

func (w *world) content(branch string) content {
	c := content{map[string]string{}, map[string]record.Record{}}
	if w.repo.Branches(w.t)[branch] == "" {
		return c
	}
	for file, text := range w.repo.Files(w.t, branch) {
		if record.IsRecord(file) {
			if r, err := record.ParseRecord(path.Base(file), []byte(text)); err == nil && r.Branch == branch {
				c.records[r.Instance] = r
			}
			continue
		}
		for _, place := range []string{"p/", ""} {
			if below, inside := strings.CutPrefix(file, place); inside {
				name, _, isFolder := strings.Cut(below, "/")
				if isFolder {
					folder := place + name
					c.folders[folder] = w.repo.Tree(w.t, branch, folder)
				}
				break
			}
		}
	}
	for folder, id := range c.folders {
		if id == ownership.EmptiedFolder.ID.String() {
			delete(c.folders, folder)
		}
	}
	return c
}

// owners returns the records that list a folder with a value.
func (c content) owners(folder string, line record.Line) (all []record.Record) {
	for _, r := range c.records {
		for _, key := range r.Keys(line) {
			if r.PathOf(key) == folder {
				all = append(all, r)
			}
		}
	}
	return all
}

// watched does something, and holds the result against the promises.
func (w *world) watched(r *resource, settings publish.Settings, do func() message.Messages) message.Messages {
	w.t.Helper()
	instance, imported, environment := "", r.memory.Imported, settings.Fleet.Environment
	if r.was != nil {
		instance = r.was.Instance
	}
	had, mayTakeAll := r.memory.OursAtApply, imported || w.usesCode(*r, settings)
	before := map[string]content{}
	for branch := range w.repo.Branches(w.t) {
		before[branch] = w.content(branch)
	}
	m := do()
	for branch := range w.repo.Branches(w.t) {
		old, now := before[branch], w.content(branch)
		for folder := range now.folders {
			if owners := now.owners(folder, record.Owned); len(owners) > 1 && len(old.owners(folder, record.Owned)) < 2 {
				w.t.Errorf("%s of %s has two owners: %v", folder, branch, owners)
			}
		}
		for folder := range old.folders {
			was, is := old.owners(folder, record.Owned), now.owners(folder, record.Owned)
			if len(was) != 1 || len(is) != 1 || was[0].Instance == is[0].Instance {
				continue
			}
			_, isOld := had[path.Base(folder)]
			regroups := was[0].IsPart && is[0].IsPart && was[0].Environment == is[0].Environment && !isOld &&
				len(old.records[is[0].Instance].Keys(record.Owned)) > 0
			if !mayTakeAll && !regroups {
				w.t.Errorf("%s of %s went from %v to %v", folder, branch, was[0], is[0])
			}
		}
		for folder, id := range old.folders {
			if now.folders[folder] == id {
				continue
			}
			owners := append(old.owners(folder, record.Owned), old.owners(folder, record.Released)...)
			isOwner := slices.ContainsFunc(old.owners(folder, record.Owned), func(o record.Record) bool { return o.Instance == instance })
			mayTake := imported || len(owners) > 0 && !slices.ContainsFunc(owners, func(o record.Record) bool {
				return o.Environment != environment && o.Instance != instance
			})
			if _, stays := now.folders[folder]; !stays && !isOwner {
				w.t.Errorf("%s of %s was removed by %q, and its owners are %v", folder, branch, instance, owners)
			} else if !isOwner && !mayTake {
				w.t.Errorf("%s of %s was changed by %q of %q, and its owners are %v", folder, branch, instance, environment, owners)
			}
		}
	}
	return m
}

// usesCode reports whether a resource could not take something over without one of the codes in acknowledge.
func (w *world) usesCode(r resource, settings publish.Settings) bool {
	codes := settings.Acknowledge
	if settings.Acknowledge = nil; len(codes) == 0 || settings.Hold {
		return false
	}
	shared := w.shared
	w.shared = nil
	_, m := r.plan(w.t, settings)
	w.shared = shared
	return slices.ContainsFunc(codesOf(m), func(code string) bool { return slices.Contains(codes, code) })
}

// act does something that people do.
func (w *world) act() {
	s := w.workspaces[0]
	addresses := slices.Sorted(maps.Keys(s.config))
	pick := func() string { return addresses[w.rand.Intn(len(addresses))] }
	acts := []struct {
		name string
		do   func()
	}{
		{"apply", func() { w.run(s, options{}) }},
		{"apply again", func() { w.run(s, options{}) }},
		{"regroup", func() { w.regroup(s) }},
		{"change", func() { s.family = fmt.Sprint("f", w.rand.Intn(20)) }},
		{"leave", func() {
			s.types = slices.DeleteFunc(slices.Clone(s.types), func(n string) bool { return n == allTypes[w.rand.Intn(3)] })
		}},
		{"target", func() { w.run(s, options{target: pick()}) }},
		{"kill", func() { w.run(s, options{kill: 1 + w.rand.Intn(3), forget: w.rand.Intn(2) == 0}) }},
		{"replace", func() { w.run(s, options{replace: pick(), createFirst: w.rand.Intn(2) == 0}) }},
		{"rename", func() {
			from, to := pick(), fmt.Sprint("n", w.rand.Intn(99))
			if s.config[to] == nil && s.state[to] == nil {
				s.config[to] = s.config[from]
				delete(s.config, from)
				if r := s.state[from]; r != nil && w.rand.Intn(2) == 0 {
					s.state[to] = r
					delete(s.state, from)
				}
			}
		}},
		{"remove a resource", func() {
			if len(addresses) > 1 {
				delete(s.config, pick())
			}
		}},
		{"add a resource", func() {
			if len(addresses) < 3 {
				c := *s.config[addresses[0]]
				s.config[fmt.Sprint("n", w.rand.Intn(99))] = &c
				w.regroup(s)
			}
		}},
		{"move", func() {
			to := [][2]string{{"prod", "."}, {"next", "."}, {"prod", "p"}}[w.rand.Intn(3)]
			for _, c := range s.config {
				c.branch, c.path = to[0], to[1]
			}
		}},
		{"other environment", func() {
			to := []string{"prod", "test"}[w.rand.Intn(2)]
			for _, c := range s.config {
				c.environment = to
			}
		}},
		{"hold", func() { c := s.config[pick()]; c.hold = !c.hold }},
		{"on_removal", func() {
			s.config[pick()].removal = []ownership.Removal{ownership.Empty, ownership.Delete, ownership.Retain}[w.rand.Intn(3)]
		}},
		{"on_destroy", func() {
			s.config[pick()].destroy = []ownership.Removal{ownership.Empty, ownership.Delete, ownership.Retain}[w.rand.Intn(3)]
		}},
		{"state rm", func() { delete(s.state, pick()) }},
		{"old state", func() { s.state = clone(s.old[w.rand.Intn(len(s.old))]) }},
		{"lost private state", func() {
			if r := s.state[pick()]; r != nil {
				r.memory = publish.Memory{}
			}
		}},
		{"copy the configuration", func() {
			other := w.workspaces[1]
			other.types, other.family = s.types, s.family
			other.config = map[string]*resourceConfig{}
			for address, c := range s.config {
				copied := *c
				other.config[address] = &copied
			}
		}},
		{"copy the state", func() { w.workspaces[1].state = clone(s.state) }},
		{"apply the other workspace", func() { w.run(w.workspaces[1], options{}) }},
		{"apply the other workspace with codes", func() {
			other := w.workspaces[1]
			other.codes = codesOf(message.Messages{Errors: w.run(other, options{})})
			w.run(other, options{})
		}},
		{"another environment", func() {
			other := w.workspaces[1]
			c := newConfig([]string{allTypes[w.rand.Intn(3)]})
			c.environment = "other"
			other.config, other.types, other.family = map[string]*resourceConfig{"f": c}, allTypes, "other"
			w.run(other, options{})
		}},
		{"write by hand", func() {
			w.edit(w.t, map[string]string{allTypes[w.rand.Intn(3)] + "/hand.yaml": fmt.Sprint(w.rand.Intn(99))})
		}},
		{"edit a record", w.editRecord},
		{"reset", func() {
			if w.repo.Branches(w.t)["prod"] == "" {
				return
			}
			if commits := w.repo.Commits(w.t, "prod"); len(commits) > 1 {
				w.repo.CommitTree(w.t, "prod", commits[w.rand.Intn(len(commits))], "reset")
			}
		}},
	}
	act := acts[w.rand.Intn(len(acts))]
	w.log = append(w.log, act.name)
	act.do()
}

// regroup gives each cluster type to one resource, or to no resource.
func (w *world) regroup(s *workspace) {
	if len(s.config) < 2 {
		return
	}
	addresses := slices.Sorted(maps.Keys(s.config))
	for _, address := range addresses {
		s.config[address].types = []string{}
	}
	for _, name := range allTypes {
		if i := w.rand.Intn(len(addresses) + 1); i < len(addresses) {
			c := s.config[addresses[i]]
			c.types = append(c.types, name)
		}
	}
}

// editRecord removes a record, or a line of it, or adds a line.
func (w *world) editRecord() {
	records := w.content("prod").records
	if len(records) == 0 {
		return
	}
	instances := slices.Sorted(maps.Keys(records))
	r := records[instances[w.rand.Intn(len(instances))]]
	name := allTypes[w.rand.Intn(3)]
	if r.Folders == nil { // somebody removed the last line
		r.Folders = map[string]record.Line{}
	}
	text := ""
	switch w.rand.Intn(3) {
	case 0:
		delete(r.Folders, name)
		text = string(r.Content())
	case 1:
		r.Folders[name] = record.Owned
		text = string(r.Content())
	}
	w.edit(w.t, map[string]string{record.Path(r.Instance): text})
}

// settle makes the first workspace the only one, with a configuration that names each cluster type
// once, and does what the errors say until nothing is left to do.
func (w *world) settle() {
	w.t.Helper()
	s := w.workspaces[0]
	first := s.config[slices.Sorted(maps.Keys(s.config))[0]]
	named := map[string]bool{}
	for _, address := range slices.Sorted(maps.Keys(s.config)) {
		c := s.config[address]
		c.environment, c.branch, c.path, c.hold, c.destroy = first.environment, first.branch, first.path, false, ownership.Retain
		if len(s.config) > 1 && c.types == nil {
			c.types = slices.Clone(allTypes)
		}
		if c.types != nil {
			c.types = slices.DeleteFunc(slices.Clone(c.types), func(name string) bool { return named[name] || !slices.Contains(s.types, name) })
		}
		for _, name := range c.types {
			named[name] = true
		}
	}
	for _, r := range w.content(first.branch).records { // resources that nobody has any more
		isKept := false
		for _, kept := range s.state {
			isKept = isKept || kept.was.Instance == r.Instance
		}
		if !isKept {
			for key := range r.Folders {
				r.Folders[key] = record.Released
			}
			r.Environment = first.environment
			w.repo.CommitFiles(w.t, first.branch, map[string][]byte{record.Path(r.Instance): r.Content()}, "given up")
		}
	}
	for _, r := range s.state { // a resource on hold cannot be destroyed, and its state has settings that nobody wrote
		r.was.Hold, r.memory.Complete = false, ""
	}
	var errors []message.Message
	for range 14 {
		heads := maps.Clone(w.repo.Branches(w.t))
		if errors = w.run(s, options{}); len(errors) > 0 {
			w.cure(s, errors)
		} else if maps.Equal(heads, w.repo.Branches(w.t)) {
			w.checkSettled(s)
			return
		}
	}
	w.t.Errorf("nothing settles: %+v", errors)
}

// cure does what errors say.
func (w *world) cure(s *workspace, errors []message.Message) {
	w.log = append(w.log, "cure "+errors[0].Summary)
	text := fmt.Sprint(errors)
	branch := s.config[slices.Sorted(maps.Keys(s.config))[0]].branch
	if strings.Contains(text, "list the same folders") { // delete the lines of one record
		c := w.content(branch)
		for folder := range w.content(branch).folders {
			if owners := c.owners(folder, record.Owned); len(owners) > 1 {
				slices.SortFunc(owners, func(a, b record.Record) int { return strings.Compare(a.Instance, b.Instance) })
				loser := owners[w.rand.Intn(len(owners))]
				delete(loser.Folders, path.Base(folder))
				w.repo.CommitFiles(w.t, branch, map[string][]byte{record.Path(loser.Instance): loser.Content()}, "cure")
				return
			}
		}
		return
	}
	if codes := codesOf(message.Messages{Errors: errors}); len(codes) > 0 {
		s.codes = append(s.codes, codes...)
		return
	}
	if strings.Contains(text, "import") { // import each refused resource
		for address, c := range s.config {
			settings := w.settings(s, c)
			_, m := w.resourceOf(s, address).plan(w.t, settings)
			isRefused := func(m message.Message) bool { return strings.HasPrefix(m.Summary, "Folders exist already") }
			if m.Failed() || s.state[address] == nil || slices.ContainsFunc(m.Warnings, isRefused) {
				r := w.resource()
				if m := r.imports(w.t, settings, c.environment); !m.Failed() {
					s.state[address] = r
				}
				return
			}
		}
	}
}

// checkSettled checks that each named folder has its content and one owner: the resource.
func (w *world) checkSettled(s *workspace) {
	w.t.Helper()
	for address, c := range s.config {
		now := w.content(c.branch)
		for _, name := range s.types {
			if c.types != nil && !slices.Contains(c.types, name) {
				continue
			}
			folder := strings.TrimPrefix(path.Join(c.path, name), "./")
			owners := now.owners(folder, record.Owned)
			text := w.repo.Files(w.t, c.branch)[folder+"/web-live/reconciler.yaml"]
			if len(owners) != 1 || owners[0].Instance != s.state[address].was.Instance || !strings.Contains(text, "family: "+s.family) {
				w.t.Errorf("%s of %s has the owners %v and the content %q", folder, address, owners, text)
			}
		}
	}
}

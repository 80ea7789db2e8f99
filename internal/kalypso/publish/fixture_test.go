// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// server is a repository with the publisher that reaches it; github is nil for one
// without a forge.
type server struct {
	repo   *gitmem.Repo
	url    string
	github *githubtest.Server
	// login is the password that the server asks for, of the user deployer; with
	// fromEnvironment, it and tokens are the environment's.
	login           string
	fromEnvironment bool
	*publish.Publisher
	// key signs the commits, unless it is nil.
	key *git.SigningKey
	// reads has runs that may only read.
	reads bool
	// variables are those of the environment of runs.
	variables map[string]string
	// version is the version of the provider, test if it is empty. renders changes what it
	// renders, as a new version may do.
	version string
	renders func(engine.Input) engine.Input
	// computed counts runs of the engine.
	computed *atomic.Int64
	// now is the clock; time.Now if it is nil.
	now func() time.Time
	// waits is called instead of waiting for a forge; late has the time be up then.
	waits func()
	late  bool
}

func newServer(t testing.TB) server {
	t.Helper()
	repo := gitmem.New(t)
	s := server{repo: repo, url: repo.URL(), computed: new(atomic.Int64), waits: func() {}}
	s.Publisher = s.publisher(t)
	return s
}

// lookup is the environment of a run.
func (s server) lookup(name string) (string, bool) {
	value, found := s.variables[name]
	return value, found
}

// publisher is that of one run.
func (s server) publisher(t testing.TB) *publish.Publisher {
	t.Helper()
	options := publish.Options{Lookup: s.lookup, Now: s.now, Version: "test", MaxDiffLines: 400, WrittenBy: "Written by a test.",
		Compute: func(ctx context.Context, in engine.Input) (*engine.Result, error) {
			s.computed.Add(1)
			if s.renders != nil {
				in = s.renders(in)
			}
			return engine.Compute(ctx, in)
		}}
	if s.version != "" {
		options.Version = s.version
	}
	credentials := []git.Credential{}
	if s.login != "" {
		credentials = append(credentials, git.Credential{FromEnvironment: s.fromEnvironment, Username: "deployer", Password: s.login})
	}
	if s.github != nil {
		token := s.github.AddToken("kalypso", !s.reads)
		options.Forges = forge.NewClient(forge.Options{
			Forges: []forge.Config{{URLPrefix: s.github.Address(), Kind: forge.GitHub, BaseURL: s.github.Address(), Token: token,
				FromEnvironment: s.fromEnvironment}},
			Sleep: func(ctx context.Context, _ time.Duration) bool {
				s.waits()
				return !s.late && ctx.Err() == nil
			},
		})
		credentials = append(credentials, git.Credential{URLPrefix: s.url, FromEnvironment: s.fromEnvironment, Username: "x-access-token",
			Password: token})
	}
	var err error
	if options.Git, err = git.NewClient(git.Options{Credentials: credentials, Trust: remote.Trust{remote.ParsePrefix("file://")},
		Signing: s.key, Backoff: wait.Backoff{Duration: time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	return publish.New(options)
}

// sameRun makes instances part of one run.
func (s server) sameRun(t testing.TB, instances ...*instance) {
	t.Helper()
	run := s.publisher(t)
	for _, i := range instances {
		i.run = run
	}
}

// settings are those of an instance that writes a fleet to the branch prod. What is no
// longer wanted is deleted, so that tests see at once that it is not there.
func (s server) settings(in engine.Input) publish.Settings {
	given := func(value string) publish.Text { return publish.Text{Value: value, Given: true} }
	return publish.Settings{
		Fleet: in, Repo: given(s.url), Branch: given("prod"), Path: given("."), Detail: engine.DetailPackage,
		Removal: ownership.Delete,
	}
}

// instance is one resource between runs, as Terraform keeps it: what was applied,
// and the inventory as text. Each plan and apply is a run of its own, unless run is set.
type instance struct {
	server
	run   *publish.Publisher
	was   *publish.Applied
	noted []byte
	// replaces is what guards the resource that this one replaces.
	replaces *ownership.Guard
}

func (i *instance) publisher(t testing.TB) *publish.Publisher {
	t.Helper()
	if i.run != nil {
		return i.run
	}
	return i.server.publisher(t)
}

// applied is what was applied, as a run reads it.
func (i *instance) applied() *publish.Applied {
	if i.was == nil {
		return nil
	}
	return &publish.Applied{Settings: i.was.Settings, Location: i.was.Location, Instance: i.was.Instance, Attributes: i.was.Attributes}
}

func (i *instance) inventory(t testing.TB) *ownership.Inventory {
	t.Helper()
	inv, err := publish.ReadInventory(i.noted, i.was)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

func (i *instance) note(t testing.TB, inv *ownership.Inventory) {
	t.Helper()
	var err error
	if i.noted, err = inv.Note(); err != nil {
		t.Fatal(err)
	}
}

// refresh looks at the repository.
func (i *instance) refresh(t testing.TB) {
	t.Helper()
	if i.was == nil {
		return
	}
	was, inv := i.applied(), i.inventory(t)
	_, m := i.publisher(t).Refresh(t.Context(), was, inv)
	succeeded(t, m)
	i.was = was
	i.note(t, inv)
}

// status checks what was reported last, refreshed what is after another look.
func (i *instance) status(t testing.TB, want ownership.State) {
	t.Helper()
	if i.was.Status != want {
		t.Errorf("status %q, want %q", i.was.Status, want)
	}
}

func (i *instance) refreshed(t testing.TB, want ownership.State) {
	t.Helper()
	i.refresh(t)
	i.status(t, want)
}

// plan refreshes and plans.
func (i *instance) plan(t testing.TB, settings publish.Settings) (*publish.Plan, message.Messages) {
	t.Helper()
	i.refresh(t)
	return i.publisher(t).Plan(t.Context(), i.job(t, settings))
}

func (i *instance) job(t testing.TB, settings publish.Settings) publish.Job {
	t.Helper()
	job := publish.Job{Settings: &settings, Was: i.applied(), Inventory: i.inventory(t), Replaces: i.replaces}
	job.OthersChange = job.Was == nil || !reflect.DeepEqual(besideTheFleet(settings), besideTheFleet(job.Was.Settings))
	return job
}

// besideTheFleet are settings without the fleet and its location.
func besideTheFleet(settings publish.Settings) publish.Settings {
	settings.Fleet.Environment, settings.Fleet.Manifests = "", nil
	settings.Repo, settings.Branch, settings.Path = publish.Text{}, publish.Text{}, publish.Text{}
	return settings
}

// apply refreshes, plans and applies, and returns what the plan said.
func (i *instance) apply(t testing.TB, settings publish.Settings) *publish.Plan {
	t.Helper()
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	succeeded(t, i.carryOut(t, settings, plan))
	return plan
}

// carryOut applies a plan.
func (i *instance) carryOut(t testing.TB, settings publish.Settings, plan *publish.Plan) message.Messages {
	t.Helper()
	return i.carryOutUntil(t.Context(), t, settings, plan)
}

// applyTogether plans all instances of a run before it applies the first plan.
func applyTogether(t testing.TB, instances []*instance, settings []publish.Settings) {
	t.Helper()
	plans := make([]*publish.Plan, len(instances))
	for i, each := range instances {
		plan, m := each.plan(t, settings[i])
		succeeded(t, m)
		plans[i] = plan
	}
	for i, each := range instances {
		succeeded(t, each.carryOut(t, settings[i], plans[i]))
	}
}

// carryOutUntil applies a plan, until ctx ends.
func (i *instance) carryOutUntil(ctx context.Context, t testing.TB, settings publish.Settings, plan *publish.Plan) message.Messages {
	t.Helper()
	out, m := i.publisher(t).Apply(ctx, i.job(t, settings), publish.Planned{Location: plan.Location, Packages: plan.Packages,
		TakenOver: plan.TakenOver})
	if m.Failed() {
		return m
	}
	i.was = &publish.Applied{Settings: settings, Location: out.Location, Instance: out.Inventory.Instance, Attributes: out.Attributes}
	i.note(t, out.Inventory)
	return m
}

// standsStill checks that nothing is to do, and that looking again finds nothing.
func (i *instance) standsStill(t testing.TB, settings publish.Settings) {
	t.Helper()
	before := i.was.Attributes
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs || plan.CommitOpen || plan.RequestOpen || plan.Location != i.was.Location || !cmp.Equal(plan.Attributes, before) ||
		!cmp.Equal(i.was.Attributes, before) {
		t.Errorf("something is to do: %+v after %+v, and %+v before it", plan, i.was.Attributes, before)
	}
	if !reflect.DeepEqual(besideTheFleet(settings), besideTheFleet(i.was.Settings)) {
		t.Errorf("settings were not applied: %+v after %+v", settings, i.was.Settings)
	}
}

// fails plans and applies, and checks that the plan or an error says so and that nothing
// is written.
func (i *instance) fails(t testing.TB, settings publish.Settings, words ...string) {
	t.Helper()
	heads := i.repo.Branches(t)
	plan, m := i.plan(t, settings)
	told := slices.Concat(m.Warnings, m.Errors)
	if !m.Failed() {
		m = i.carryOut(t, settings, plan)
		told = append(told, m.Errors...)
	}
	if says(t, told, words...); !maps.Equal(heads, i.repo.Branches(t)) || !m.Failed() {
		t.Errorf("want nothing written, and not %v", i.repo.Branches(t))
	}
}

// destroy removes what was applied.
func (i *instance) destroy(t testing.TB) message.Messages {
	t.Helper()
	return i.remove(t, true)
}

// remove is a destroy that was planned, or half of a replacement.
func (i *instance) remove(t testing.TB, meant bool) message.Messages {
	t.Helper()
	m := i.publisher(t).Destroy(t.Context(), i.job(t, i.was.Settings), meant)
	if !m.Failed() {
		i.was = nil
	}
	return m
}

// planDestroy says what a destroy does.
func (i *instance) planDestroy(t testing.TB) message.Messages {
	t.Helper()
	return i.publisher(t).PlanDestroy(i.job(t, i.was.Settings))
}

// replacement is the resource that takes the place of this one, as Terraform plans it:
// without a state, and with the guard that protects this one from a replacement.
func (i *instance) replacement(t testing.TB) *instance {
	t.Helper()
	return &instance{server: i.server, run: i.run, replaces: &i.inventory(t).Guard}
}

func succeeded(t testing.TB, m message.Messages) {
	t.Helper()
	if m.Failed() {
		t.Fatalf("errors: %+v", m.Errors)
	}
}

// says checks that one of the messages holds the words.
func says(t testing.TB, messages []message.Message, words ...string) {
	t.Helper()
	for _, word := range words {
		if !slices.ContainsFunc(messages, func(m message.Message) bool { return strings.Contains(m.Summary+"\n"+m.Detail, word) }) {
			t.Errorf("nothing says %q in %+v", word, messages)
		}
	}
}

// warnsOf checks what a plan warns of, beside the change that it shows.
func warnsOf(t testing.TB, m message.Messages, want ...string) {
	t.Helper()
	var got []string
	for _, w := range m.Warnings {
		if summary, _, _ := strings.Cut(w.Summary, ": "); summary != "Planned change" {
			got = append(got, summary)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings %+v (-want +got):\n%s", m.Warnings, diff)
	}
}

// changes checks that a plan changes something, and how it sums that up.
func changes(t testing.TB, plan *publish.Plan, summary string) {
	t.Helper()
	if !plan.Differs || plan.Summary != summary {
		t.Errorf("want %q, got the plan %+v", summary, plan)
	}
}

// packages checks which packages there are, each with its digest.
func packages(t testing.TB, got engine.Digests, want ...string) {
	t.Helper()
	digest := regexp.MustCompile("^[0-9a-f]{12}$")
	keys := slices.Sorted(maps.Keys(got))
	if diff := cmp.Diff(want, keys); diff != "" || slices.ContainsFunc(keys, func(key string) bool { return !digest.MatchString(got[key]) }) {
		t.Errorf("packages %v (-want +got):\n%s", got, diff)
	}
}

// holds checks which files a branch has, records aside.
func (s server) holds(t testing.TB, branch string, want ...string) {
	t.Helper()
	list := slices.DeleteFunc(s.repo.Paths(t, branch), func(path string) bool { return strings.HasPrefix(path, ".kalypso/") })
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), list, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", branch, diff)
	}
}

// contains checks the content of one file of the branch prod; empty where there is none.
func (s server) contains(t testing.TB, path, want string) {
	t.Helper()
	if got := s.repo.Files(t, "prod")[path]; got != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

// commits checks how many commits a branch has.
func (s server) commits(t testing.TB, branch string, want int) {
	t.Helper()
	if log := s.repo.Log(t, branch); len(log) != want {
		t.Errorf("want %d commits, got %q", want, log)
	}
}

// edit commits files behind our back; without content, they are deleted.
func (s server) edit(t testing.TB, branch string, files map[string]string) {
	t.Helper()
	all := map[string][]byte{}
	for path, content := range files {
		all[path] = []byte(content)
		if content == "" {
			all[path] = nil
		}
	}
	s.repo.CommitFiles(t, branch, all, "by hand")
}

// record returns the path of an instance's record.
func record(i *instance) string { return ".kalypso/" + i.was.Instance }

// owned checks who has recorded what in the branch prod: folders by instance, "large small".
func (s server) owned(t testing.TB, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for path, text := range s.repo.Files(t, "prod") {
		instance, ok := strings.CutPrefix(path, ".kalypso/")
		if !ok {
			continue
		}
		var folders []string
		for line := range strings.Lines(text) {
			if name, listed := strings.CutPrefix(line, "cluster_type: "); listed {
				folders = append(folders, strings.TrimSpace(name))
			}
		}
		got[instance] = strings.Join(folders, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// hears checks that a plan in which nothing is to do warns.
func (i *instance) hears(t testing.TB, settings publish.Settings, words ...string) {
	t.Helper()
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if says(t, m.Warnings, words...); plan.Differs {
		t.Errorf("something is to do: %+v", plan)
	}
}

// loses checks that an instance finds that its folders have another owner, changes
// nothing there, and can be destroyed.
func (i *instance) loses(t testing.TB, settings publish.Settings) {
	t.Helper()
	i.fails(t, settings, "Folders have another owner now", "belong")
	before := i.repo.TreeWithout(t, "prod", ".kalypso")
	m := i.destroy(t)
	succeeded(t, m)
	says(t, m.Warnings, "Left to others")
	if after := i.repo.TreeWithout(t, "prod", ".kalypso"); after != before {
		t.Errorf("the destroy of what is another's has changed %v", i.repo.Files(t, "prod"))
	}
}

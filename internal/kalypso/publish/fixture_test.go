// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// server is a repository, with a GitHub unless github is nil.
type server struct {
	repo   *gitmem.Repo
	url    string
	github *githubtest.Server
	// hold is the hold of the provider. now is the clock; time.Now if it is nil.
	hold bool
	now  func() time.Time
	// version is the version of the provider, test if it is empty. compute is the engine.
	version string
	compute func(context.Context, engine.Input) (*engine.Result, error)
	// lookup is the environment of a run.
	lookup func(string) (string, bool)
	logger remote.Logger
	// address is the forge's; github's own if it is empty.
	address string
	// ctx is that of every run; that of the test if it is nil.
	ctx context.Context //nolint:containedctx // a test kills a run by it
	// maxFetch is how many bytes one fetch may have; the default of git if it is zero.
	maxFetch int64
	// shared is the publisher of all runs; nil if each has its own.
	shared *publish.Publisher
}

func newServer(t testing.TB) *server {
	t.Helper()
	repo := gitmem.New(t)
	return &server{repo: repo, url: repo.URL()}
}

// newGitHub is a GitHub whose repository has a branch prod with a foreign file.
func newGitHub(t testing.TB) *server {
	t.Helper()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
	host := githubtest.Start(t, repo)
	return &server{repo: repo, url: host.URL(), github: host}
}

// publisher is that of one run.
func (s *server) publisher(t testing.TB) *publish.Publisher {
	t.Helper()
	if s.shared != nil {
		return s.shared
	}
	options := publish.Options{Version: "test", WrittenBy: "Written by a test.", HoldAll: s.hold, Now: s.now, Compute: s.compute,
		MaxDiffLines: 400, Lookup: s.lookup, Logger: s.logger}
	if s.version != "" {
		options.Version = s.version
	}
	var credentials []git.Credential
	if s.github != nil {
		token := s.github.AddToken("kalypso", true)
		address := s.address
		if address == "" {
			address = s.github.Address()
		}
		options.Forges = forge.NewClient(forge.Options{
			Forges: []forge.Config{{URLPrefix: address, Kind: forge.GitHub, BaseURL: address, Token: token}},
			Sleep:  func(context.Context, time.Duration) bool { return false },
		})
		credentials = []git.Credential{{URLPrefix: s.url, Username: "x-access-token", Password: token}}
	}
	var err error
	if options.Git, err = git.NewClient(git.Options{Credentials: credentials, Trust: remote.Trust{remote.ParsePrefix("file://")},
		MaxFetch: s.maxFetch, Backoff: wait.Backoff{Duration: time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	return publish.New(options)
}

// context is that of a run.
func (s *server) context(t testing.TB) context.Context {
	if s.ctx != nil {
		return s.ctx
	}
	return t.Context()
}

func given(value string) publish.Text { return publish.Text{Value: value, Given: true} }

// settings are those of a resource that writes a fleet to the branch prod. What leaves the fleet is
// deleted, so that tests see at once that it is gone.
func (s *server) settings(in engine.Input) publish.Settings {
	return publish.Settings{
		Fleet: in, Repo: given(s.url), Branch: given("prod"), Path: given("."), Detail: engine.DetailPackage,
		OnRemoval: ownership.Delete, OnDestroy: ownership.Retain,
	}
}

// proposing are settings whose changes are proposed.
func (s *server) proposing(family string) publish.Settings {
	settings := s.settings(both(family))
	settings.Request = &request.Settings{}
	return settings
}

// resource is one resource between runs, as Terraform keeps it.
type resource struct {
	*server
	was    *publish.Applied
	memory publish.Memory
}

func (s *server) resource() *resource { return &resource{server: s} }

func (r *resource) job(settings publish.Settings) publish.Job {
	job := publish.Job{Settings: &settings, Memory: r.memory}
	if r.was != nil {
		was := *r.was
		was.Packages = maps.Clone(was.Packages)
		job.Was = &was
	}
	return job
}

// refresh looks at the repository. With a shared publisher it checks that the last look shortens it, and changes nothing.
func (r *resource) refresh(t testing.TB) message.Messages {
	t.Helper()
	if r.was == nil || r.hold || r.was.Hold { // on hold, nothing is read
		return message.Messages{}
	}
	job := r.job(r.was.Settings)
	found, m := r.publisher(t).Refresh(r.context(t), job)
	if job.Memory.LastLook = (publish.Look{}); r.shared != nil {
		long, _ := r.publisher(t).Refresh(r.context(t), job)
		long.Memory.LastLook = found.Memory.LastLook
		if diff := cmp.Diff(long, found); diff != "" && !m.Failed() {
			t.Errorf("the last look changes the refresh (-without +with):\n%s", diff)
		}
	}
	if !m.Failed() {
		was := *r.was
		was.Attributes = found.Attributes
		r.was, r.memory = &was, found.Memory
	}
	return m
}

// plan refreshes and plans.
func (r *resource) plan(t testing.TB, settings publish.Settings) (*publish.Plan, message.Messages) {
	t.Helper()
	m := r.refresh(t)
	if m.Failed() {
		return nil, m
	}
	plan, more := r.publisher(t).Plan(r.context(t), r.job(settings))
	r.plansShort(t, settings, plan, more)
	m.Add(more)
	return plan, m
}

// plansShort checks that the short way of a plan whose settings are those of the state plans the same as the long way. It says the same,
// except for what the fleet itself is like, which the plan of the change said, and for released lines of others, which no apply takes then.
func (r *resource) plansShort(t testing.TB, settings publish.Settings, long *publish.Plan, said message.Messages) {
	t.Helper()
	if r.was == nil || !reflect.DeepEqual(settings, r.was.Settings) {
		return
	}
	job := r.job(settings)
	job.IsSame = true
	short, m := r.publisher(t).Plan(r.context(t), job)
	told := func(m message.Messages) []message.Message {
		return slices.DeleteFunc(slices.Concat(m.Errors, m.Warnings), func(m message.Message) bool {
			title, _, _ := strings.Cut(m.Summary, ":")
			return slices.Contains([]string{"Findings", "Cluster types have left the fleet", "New branch", "Folders of another resource"}, title)
		})
	}
	if diff := cmp.Diff(told(said), told(m), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the short way says (-long +short):\n%s", diff)
	}
	if diff := cmp.Diff(long, short, cmpopts.IgnoreFields(publish.Plan{}, "Memory")); diff != "" {
		t.Errorf("the short way plans (-long +short):\n%s", diff)
	}
}

// carryOut applies a plan. If the plan replaces the resource, it destroys the old one first.
func (r *resource) carryOut(t testing.TB, settings publish.Settings, plan *publish.Plan) message.Messages {
	t.Helper()
	if len(plan.Replaces) > 0 {
		if m := r.remove(t, false); m.Failed() {
			return m
		}
		again, m := r.publisher(t).Plan(r.context(t), r.job(settings))
		if m.Failed() {
			return m
		}
		plan = again
	}
	job := r.job(settings)
	job.Memory = plan.Memory
	out, m := r.publisher(t).Apply(r.context(t), job, publish.Planned{Location: plan.Location, Packages: plan.Packages})
	if m.Failed() {
		return m
	}
	if !plan.RequestUnknown && out.Status != plan.Status {
		t.Errorf("the plan knows the status %s, and the apply makes %s", plan.Status, out.Status)
	}
	r.was = &publish.Applied{Settings: settings, Location: out.Location, Instance: out.Instance, TrustsRepo: settings.Repo.Given,
		Attributes: out.Attributes}
	r.memory = out.Memory
	return m
}

// apply refreshes, plans and applies, and returns the plan with all messages.
func (r *resource) apply(t testing.TB, settings publish.Settings) (*publish.Plan, message.Messages) {
	t.Helper()
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	more := r.carryOut(t, settings, plan)
	succeeded(t, more)
	m.Add(more)
	return plan, m
}

// isQuiet checks that nothing is to do.
func (r *resource) isQuiet(t testing.TB, settings publish.Settings) {
	t.Helper()
	heads := r.repo.Branches(t)
	plan, m := r.plan(t, settings)
	succeeded(t, m)
	if plan.CommitUnknown || plan.RequestUnknown || len(plan.Replaces) > 0 || !cmp.Equal(plan.Attributes, r.was.Attributes) {
		t.Errorf("something is to do: %+v after %+v", plan, r.was.Attributes)
	}
	if len(m.Warnings) > 0 {
		t.Errorf("the plan warns: %+v", m.Warnings)
	}
	succeeded(t, r.carryOut(t, settings, plan))
	if diff := cmp.Diff(heads, r.repo.Branches(t)); diff != "" {
		t.Errorf("an apply without a change wrote (-before +after):\n%s", diff)
	}
}

// fails plans and applies, and checks that an error says so, and that nothing is written.
func (r *resource) fails(t testing.TB, settings publish.Settings, words ...string) {
	t.Helper()
	heads := r.repo.Branches(t)
	plan, m := r.plan(t, settings)
	if !m.Failed() {
		m = r.carryOut(t, settings, plan)
	}
	if says(t, m.Errors, words...); !m.Failed() || !maps.Equal(heads, r.repo.Branches(t)) {
		t.Errorf("want an error and nothing written, got %+v and %v", m, r.repo.Branches(t))
	}
}

// destroy plans and carries out a destroy.
func (r *resource) destroy(t testing.TB) message.Messages {
	t.Helper()
	succeeded(t, r.refresh(t))
	memory, m := r.publisher(t).PlanDestroy(r.context(t), r.job(r.was.Settings))
	if m.Failed() {
		return m
	}
	r.memory = memory
	m.Add(r.remove(t, true))
	return m
}

// remove is a destroy that was planned as one, or half of a replacement.
func (r *resource) remove(t testing.TB, isPlanned bool) message.Messages {
	t.Helper()
	job := r.job(r.was.Settings)
	job.Memory.Destroys = isPlanned
	m := r.publisher(t).Destroy(r.context(t), job)
	if !m.Failed() {
		r.was, r.memory = nil, publish.Memory{}
	}
	return m
}

// imports imports a place.
func (r *resource) imports(t testing.TB, settings publish.Settings, environment string) message.Messages {
	t.Helper()
	at := git.Location{Repo: r.url, Branch: settings.Branch.Value, Path: settings.Path.Value}
	imported, m := r.publisher(t).Import(r.context(t), at, environment)
	if m.Failed() {
		return m
	}
	was := settings
	was.Fleet = engine.Input{Environment: imported.Environment}
	r.was = &publish.Applied{Settings: was, Location: at, Instance: imported.Instance, TrustsRepo: true,
		Attributes: publish.Attributes{Packages: imported.Packages, Status: publish.InSync}}
	r.memory = imported.Memory
	return m
}

func succeeded(t testing.TB, m message.Messages) {
	t.Helper()
	if m.Failed() {
		t.Fatalf("errors: %+v", m.Errors)
	}
}

// says checks that one of the messages holds each of the words.
func says(t testing.TB, messages []message.Message, words ...string) {
	t.Helper()
	for _, word := range words {
		if !slices.ContainsFunc(messages, func(m message.Message) bool { return strings.Contains(m.Summary+"\n"+m.Detail, word) }) {
			t.Errorf("nothing says %q in %+v", word, messages)
		}
	}
}

// holds checks which files a branch has, records aside.
func (s *server) holds(t testing.TB, branch string, want ...string) {
	t.Helper()
	list := slices.DeleteFunc(s.repo.Paths(t, branch), func(path string) bool { return strings.HasPrefix(path, ".kalypso/") })
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), list, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", branch, diff)
	}
}

// record returns the record of a resource in the branch prod.
func (r *resource) record(t testing.TB) record.Record {
	t.Helper()
	text, ok := r.repo.Files(t, "prod")[record.Path(r.was.Instance)]
	if !ok {
		return record.Record{}
	}
	record, err := record.ParseRecord(r.was.Instance, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// edit commits files to the branch prod behind our back; files without content are deleted.
func (s *server) edit(t testing.TB, files map[string]string) {
	t.Helper()
	all := map[string][]byte{}
	for path, content := range files {
		all[path] = []byte(content)
		if content == "" {
			all[path] = nil
		}
	}
	s.repo.CommitFiles(t, "prod", all, "by hand")
}

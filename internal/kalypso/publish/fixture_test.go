// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// fleet is the environment prod of cluster types large and small, with the workload
// web on all of them, whose label family every package renders.
func fleet(family string, clusterTypes ...string) engine.Input {
	var b strings.Builder
	b.WriteString(templates)
	fmt.Fprintf(&b, workload, family)
	for _, name := range clusterTypes {
		fmt.Fprintf(&b, clusterType, name)
	}
	return engine.Input{Environment: "prod", Manifests: []manifest.Input{{Name: "fleet", Text: b.String()}}}
}

// both is the fleet of both cluster types.
func both(family string) engine.Input { return fleet(family, "large", "small") }

const templates = `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: reconciler}
spec: {type: reconciler, manifests: ["{kind: ConfigMap, apiVersion: v1, metadata: {name: {{ .DeploymentTargetName }}, namespace: {{ .Namespace }}, labels: {family: {{ .Labels.family }}}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: namespace}
spec: {type: namespace, manifests: ["{kind: Namespace, apiVersion: v1, metadata: {name: {{ .Namespace }}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: everywhere}
spec: {deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
`

const workload = `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: web, labels: {workspace: web-team, family: %s}}
spec: {deploymentTargets: [{name: live, environment: prod}]}
`

const clusterType = `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: %s}
spec: {reconciler: reconciler, namespaceService: namespace}
`

// fleetFiles are the files of both cluster types.
var fleetFiles = []string{
	"large/README.md", "large/web-live/namespace.yaml", "large/web-live/platform-config.yaml", "large/web-live/reconciler.yaml",
	"small/README.md", "small/web-live/namespace.yaml", "small/web-live/platform-config.yaml", "small/web-live/reconciler.yaml",
}

// below returns paths below a folder.
func below(folder string, paths ...string) []string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = folder + "/" + path
	}
	return all
}

// server is a repository with the publisher that reaches it; github is nil for one
// without a forge.
type server struct {
	repo   *gittest.Repo
	url    string
	github *githubtest.Server
	*publish.Publisher
	// computed counts runs of the engine.
	computed *int
}

func newServer(t testing.TB) server {
	t.Helper()
	repo := gittest.NewBare(t)
	s := server{repo: repo, url: repo.FileURL(), computed: new(int)}
	s.Publisher = s.publisher(t)
	return s
}

// newGitHub is a GitHub whose repository has a branch prod with a foreign file.
func newGitHub(t testing.TB) server {
	t.Helper()
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
	host := githubtest.Start(t, repo)
	s := server{repo: repo, url: host.URL(), github: host, computed: new(int)}
	s.Publisher = s.publisher(t)
	return s
}

// publisher is that of one run.
func (s server) publisher(t testing.TB) *publish.Publisher {
	t.Helper()
	options := publish.Options{Version: "test", WrittenBy: "Written by a test.", Compute: func(in engine.Input) (*engine.Result, error) {
		*s.computed++
		return engine.Compute(in)
	}}
	credentials := []git.Credential{}
	if s.github != nil {
		token := s.github.AddToken("kalypso", true)
		options.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: s.github.Address(), Kind: forge.GitHub, BaseURL: s.github.Address(), Token: token}}})
		credentials = append(credentials, git.Credential{URLPrefix: s.url, Username: "x-access-token", Password: token})
	}
	var err error
	if options.Git, err = git.NewClient(git.Options{Credentials: credentials, Backoff: wait.Backoff{Duration: time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	return publish.New(options)
}

// settings are those of an instance that writes a fleet to the branch prod.
func (s server) settings(in engine.Input) publish.Settings {
	given := func(value string) publish.Text { return publish.Text{Value: value, Given: true} }
	return publish.Settings{
		Fleet: in, Repo: given(s.url), Branch: given("prod"), Path: given("."), Detail: engine.DetailPackage, MaxDiffLines: 400,
		Findings: findings.Rules{Ignore: []string{"TARGET_UNASSIGNED"}},
	}
}

// proposing are settings whose changes are proposed.
func (s server) proposing(family string) publish.Settings {
	settings := s.settings(both(family))
	settings.Request = &publish.RequestSettings{}
	return settings
}

// instance is one resource between runs, as Terraform keeps it: what was applied,
// and the inventory as text. Each plan and apply is a run of its own, unless run is set.
type instance struct {
	server
	run   *publish.Publisher
	was   *publish.Applied
	noted []byte
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
	return &publish.Applied{Settings: i.was.Settings, Location: i.was.Location, Report: i.was.Report}
}

func (i *instance) inventory(t testing.TB) *publish.Inventory {
	t.Helper()
	inv := &publish.Inventory{}
	if i.was == nil {
		return inv
	}
	if err := json.Unmarshal(i.noted, inv); err != nil {
		t.Fatal(err)
	}
	inv.Location, inv.Packages, inv.Detail = i.was.Location, maps.Clone(i.was.Packages), i.was.Detail
	return inv
}

func (i *instance) note(t testing.TB, inv *publish.Inventory) {
	t.Helper()
	var err error
	if i.noted, err = json.Marshal(inv); err != nil {
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

// plan refreshes and plans.
func (i *instance) plan(t testing.TB, settings publish.Settings) (*publish.Plan, publish.Messages) {
	t.Helper()
	i.refresh(t)
	return i.publisher(t).Plan(t.Context(), i.job(t, settings))
}

func (i *instance) job(t testing.TB, settings publish.Settings) publish.Job {
	t.Helper()
	return publish.Job{Settings: &settings, Was: i.applied(), Inventory: i.inventory(t)}
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
func (i *instance) carryOut(t testing.TB, settings publish.Settings, plan *publish.Plan) publish.Messages {
	t.Helper()
	out, m := i.publisher(t).Apply(t.Context(), i.job(t, settings), publish.Planned{Location: plan.Location, Packages: plan.Packages, Diff: true})
	if m.Failed() {
		return m
	}
	i.was = &publish.Applied{Settings: settings, Location: out.Location, Report: out.Report}
	i.note(t, out.Inventory)
	return m
}

// standsStill checks that nothing is to do, and that looking again finds nothing.
func (i *instance) standsStill(t testing.TB, settings publish.Settings) {
	t.Helper()
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	if plan.Differs || plan.CommitOpen || plan.RequestOpen || !maps.Equal(plan.Packages, i.was.Packages) || plan.Status != i.was.Status {
		t.Errorf("something is to do: %+v after %+v", plan, i.was.Report)
	}
}

// destroy removes what was applied.
func (i *instance) destroy(t testing.TB) publish.Messages {
	t.Helper()
	m := i.publisher(t).Destroy(t.Context(), publish.Job{Settings: &i.was.Settings, Was: i.applied(), Inventory: i.inventory(t)})
	if !m.Failed() {
		i.was = nil
	}
	return m
}

func succeeded(t testing.TB, m publish.Messages) {
	t.Helper()
	if m.Failed() {
		t.Fatalf("errors: %+v", m.Errors)
	}
}

// says checks that one of the messages holds the words.
func says(t testing.TB, messages []publish.Message, words ...string) {
	t.Helper()
	for _, word := range words {
		if !slices.ContainsFunc(messages, func(m publish.Message) bool { return strings.Contains(m.Summary+"\n"+m.Detail, word) }) {
			t.Errorf("nothing says %q in %+v", word, messages)
		}
	}
}

// holds checks which files a branch has.
func (s server) holds(t testing.TB, branch string, want ...string) {
	t.Helper()
	got := slices.Sorted(maps.Keys(s.repo.Files(t, branch)))
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), got); diff != "" {
		t.Errorf("files of %s (-want +got):\n%s", branch, diff)
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// broken checks which packages a plan or an apply calls broken.
func broken(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("the broken packages are %v, want %v", got, want)
	}
}

// What breaks stays as it is, with a warning in every plan until it is fixed. Everything else
// is written.
func TestKeep(t *testing.T) {
	t.Parallel()
	for _, detail := range []engine.Detail{engine.DetailPackage, engine.DetailClusterType} {
		s := newServer(t)
		i := &instance{server: s}
		settings := func(family string, ways ...int) publish.Settings {
			settings := s.keeping(apps(family, ways...))
			settings.Detail = detail
			return settings
		}
		i.apply(t, settings("blue", sound, sound))
		plan := i.apply(t, settings("green", failing, violating))
		broken(t, plan.Broken, "large/app0-live", "large/app1-live", "small/app0-live", "small/app1-live")
		for _, of := range []struct{ app, family string }{{"app0", "blue"}, {"app1", "blue"}, {"web", "green"}} {
			s.contains(t, "large/"+of.app+"-live/reconciler.yaml", "{kind: ConfigMap, apiVersion: v1, metadata: {name: "+of.app+
				"-live, namespace: prod-large-"+of.app+"-live, labels: {family: "+of.family+"}}}")
		}
		for range 2 {
			i.standsStill(t, settings("green", failing, violating))
			plan, m := i.plan(t, settings("green", failing, violating))
			succeeded(t, m)
			warnsOf(t, m, "Packages cannot be rendered")
			says(t, m.Warnings, "4 packages cannot be rendered: see the errors below. The apply writes all others. Unchanged in the branch: "+
				"packages large/app0-live, "+
				"large/app1-live, small/app0-live, small/app1-live.", "Template failed: Template/reconciler", "Deployment target: object 0, line 4.",
				"Configuration does not satisfy its schema: config schema 1 of Workload/app1, target live")
			if plan.Differs {
				t.Error("nothing changes")
			}
		}
		s.commits(t, "prod", 2)
		broken(t, i.apply(t, settings("green", sound, sound)).Broken)
		warnsOf(t, mustPlan(t, i, settings("green", sound, sound)))
	}
}

// mustPlan returns the messages of a plan that succeeds.
func mustPlan(t testing.TB, i *instance, settings publish.Settings) message.Messages {
	t.Helper()
	_, m := i.plan(t, settings)
	succeeded(t, m)
	return m
}

// What is new and broken is left out, with its cluster type if nothing else is there. A folder
// that is there is never emptied, whatever breaks.
func TestKeepNew(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	all := s.keeping(with(fleet("blue", "large", "small"), configSchema("large", "NOTHING")))
	says(t, mustPlan(t, i, all).Warnings, "1 package cannot be rendered: see the errors below.", "Left out, because they are not in the "+
		"branch: package large/web-live.")
	i.apply(t, all)
	s.holds(t, "prod", filesOf("small")...)
	packages(t, i.was.Packages, "small/README.md", "small/web-live")
	broken(t, i.was.Broken)
	i.standsStill(t, all)
	warnsOf(t, mustPlan(t, i, all), "Packages cannot be rendered") // also later

	i.apply(t, s.keeping(both("blue")))
	s.holds(t, "prod", fleetFiles...)
	settings := s.keeping(with(both("green"), configSchema("large", "NOTHING"), configSchema("small", "NOTHING")))
	i.apply(t, settings)
	s.holds(t, "prod", fleetFiles...)
	s.commits(t, "prod", 2)
	i.standsStill(t, settings)

	// What has left the fleet goes, broken or not, and what somebody has deleted does not come back.
	s.edit(t, "prod", map[string]string{"large/web-live/namespace.yaml": "", "large/web-live/reconciler.yaml": "",
		"large/web-live/platform-config.yaml": "", "large/README.md": ""})
	i.apply(t, s.keeping(with(fleet("green", "large", "medium"), configSchema("large", "NOTHING"))))
	s.holds(t, "prod", append(filesOf("medium"), "large/README.md")...)
}

// A deployment target that moves to another cluster type and breaks in one change keeps its package
// until it can be rendered: otherwise the application would run nowhere.
func TestKeepWhatMovesAndBreaks(t *testing.T) {
	t.Parallel()
	for _, detail := range []engine.Detail{engine.DetailPackage, engine.DetailClusterType} {
		s := newServer(t)
		i := &instance{server: s}
		on := func(clusterTypes string, way int) publish.Settings {
			settings := s.keeping(placed(apps("blue", way), clusterTypes))
			settings.Detail = detail
			return settings
		}
		i.apply(t, on("small", sound))
		before := s.repo.Files(t, "prod")["small/README.md"]
		m := mustPlan(t, i, on("large", failing))
		says(t, m.Warnings, "1 package cannot be rendered", "Template failed", "1 old package of their deployment targets on other "+
			"cluster types: small/app0-live.", "Left out, because they are not in the branch: package large/app0-live.")
		for range 2 {
			i.apply(t, on("large", failing))
			broken(t, i.was.Broken, "small/app0-live")
			s.contains(t, "small/README.md", strings.Replace(before, "| on-small |", "| kept |", 1)) // no policy wants it there any more
			i.standsStill(t, on("large", failing))
		}
		s.holds(t, "prod", and(fleetFiles, below("small/app0-live", "namespace.yaml", "platform-config.yaml", "reconciler.yaml")...)...)
		// Where it can be rendered, it is written. It breaks in the branch, so nothing is kept elsewhere.
		i.apply(t, on("large", sound))
		s.holds(t, "prod", and(fleetFiles, below("large/app0-live", "namespace.yaml", "platform-config.yaml", "reconciler.yaml")...)...)
		i.apply(t, on("large small", sound))
		i.apply(t, on("large", failing))
		broken(t, i.was.Broken, "large/app0-live")
		s.holds(t, "prod", and(fleetFiles, below("large/app0-live", "namespace.yaml", "platform-config.yaml", "reconciler.yaml")...)...)
		// Nothing is kept on a cluster type that leaves, or of an application that nothing assigns.
		i.apply(t, on("small", failing))
		i.apply(t, on("", failing))
		broken(t, i.was.Broken)
		s.holds(t, "prod", fleetFiles...)
	}
}

// configSchema is a ConfigSchema of a cluster type whose configuration needs a value.
func configSchema(clusterType, needs string) string {
	return "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: needs-" + clusterType + ", labels: " +
		"{cluster-type: " + clusterType + "}}\nspec: {schema: '{\"required\": [\"" + needs + "\"]}'}\n"
}

// Without KeepBroken, and where nobody knows what the branch has, a plan fails with all
// problems.
func TestKeepNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	settings := s.keeping(apps("blue", failing))
	strict := settings
	strict.KeepBroken = false
	i.fails(t, strict, "Template failed", "Template/reconciler")

	_, m := publish.New(publish.Options{Version: "test"}).Plan(t.Context(), i.job(t, settings))
	says(t, m.Errors, "Template failed", "Packages cannot be kept\nThe provider's configuration is not known yet")

	// The branch has other folders than those that the state knows.
	job := i.job(t, settings)
	s.edit(t, "prod", map[string]string{"large/app0-live/namespace.yaml": "edited"})
	_, m = s.Plan(t.Context(), job)
	says(t, m.Errors, "Packages cannot be kept", "Somebody else changed folder large", "package large/app0-live", "Plan again")
}

// An apply notices if somebody has changed a folder since the plan.
func TestKeepChangedSincePlan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	settings := s.keeping(apps("green", failing))
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	s.edit(t, "prod", map[string]string{"large/app0-live/namespace.yaml": "edited"})
	says(t, i.carryOut(t, settings, plan).Errors, "Somebody else changed folder large", "Plan again")
	s.commits(t, "prod", 2)
}

// What somebody changes in a kept package is drift, and is not repaired: the plan names the
// commit.
func TestKeepDrift(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	settings := s.keeping(apps("blue", failing))
	i.apply(t, settings)
	before := i.was.Packages["large/app0-live"]
	s.edit(t, "prod", map[string]string{"large/app0-live/namespace.yaml": "edited"})
	i.refreshed(t, ownership.Drifted)
	if i.was.Packages["large/app0-live"] == before {
		t.Error("the packages do not show the drift")
	}
	m := mustPlan(t, i, settings)
	warnsOf(t, m, "Packages cannot be rendered")
	says(t, m.Warnings, "Drift in the unchanged packages is not repaired. Commits that caused the drift:", "by hand")
	i.apply(t, settings)
	s.contains(t, "large/app0-live/namespace.yaml", "edited")
	i.standsStill(t, settings)
	plan := i.apply(t, s.keeping(apps("blue", sound)))
	changes(t, plan, "+0 ~1 -0 packages in 1 cluster type")
}

// Waves keep what breaks in their own cluster types, also what they take over.
func TestKeepInWaves(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w := s.waves(2)
	wave := func(clusterTypes string, ways ...int) publish.Settings {
		return s.keeping(part(apps("blue", ways...), clusterTypes))
	}
	w[0].apply(t, wave("small", sound))
	w[1].apply(t, wave("large", sound))
	before := s.repo.Files(t, "prod")
	broken(t, w[0].apply(t, wave("small", failing)).Broken, "small/app0-live")
	s.sameRun(t, w...)
	applyTogether(t, w, []publish.Settings{wave("small large", failing), wave("", failing)})
	broken(t, w[0].was.Broken, "large/app0-live", "small/app0-live")
	for path := range before {
		if path != record(w[0]) && path != record(w[1]) {
			s.contains(t, path, before[path])
		}
	}
	s.owned(t, map[string]string{w[0].was.Instance: "large small"})
}

// Packages that cannot be rendered do not move to another place: neither the branch nor the
// state may lose them.
func TestKeepAndMove(t *testing.T) {
	t.Parallel()
	s, other := newServer(t), newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	broken := apps("blue", failing)
	for _, moved := range []publish.Settings{other.keeping(broken), inFolder(s.keeping(broken), "fleet")} {
		i.fails(t, moved, "Packages cannot be kept", "The packages move from "+s.url+"#prod:. to ", "Fix it first, or move later",
			"Template failed")
	}
	i.apply(t, other.keeping(apps("blue", sound)))
	i.standsStill(t, other.keeping(apps("blue", sound)))
}

// On hold nothing is kept, because nothing is written.
func TestKeepOnHold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.keeping(apps("blue", failing))
	settings.Hold = true
	broken(t, i.apply(t, settings).Broken)
	settings.Hold = false
	i.apply(t, s.keeping(apps("blue", sound)))
	i.apply(t, settings)
	settings.Hold = true
	want := i.was.Attributes
	if got := i.apply(t, settings).Attributes; !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// An apply whose plan could not know the fleet says what it keeps.
func TestKeepUnplanned(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	m := i.carryOut(t, s.keeping(apps("green", failing)), &publish.Plan{})
	succeeded(t, m)
	says(t, m.Warnings, "2 packages cannot be rendered: see the errors below.")
	broken(t, i.was.Broken, "large/app0-live", "small/app0-live")
}

// A pull request proposes for a broken package what the base branch has, whatever was proposed
// before.
func TestKeepInRequest(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", sound)))
	for _, test := range []struct {
		way    int
		family string // that the request's branch has of the application
	}{{failing, "blue"}, {sound, "green"}, {violating, "blue"}} {
		settings := s.keeping(apps("green", test.way))
		settings.Request = &request.Settings{}
		i.apply(t, settings)
		files := s.repo.Files(t, s.only(t).Head)
		if text := files["large/app0-live/reconciler.yaml"]; !strings.Contains(text, test.family) {
			t.Errorf("the request proposes %s", text)
		}
		s.has(t, s.only(t).Head, "green")
		i.standsStill(t, settings)
	}
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	s.contains(t, "large/web-live/namespace.yaml", "{kind: Namespace, apiVersion: v1, metadata: {name: prod-large-web-live}}")
	broken(t, i.was.Broken, "large/app0-live", "small/app0-live")
}

// If everything is new and broken, nothing is written, and a request proposes nothing.
func TestKeepEverythingNew(t *testing.T) {
	t.Parallel()
	for name, proposes := range map[string]bool{"commit": false, "request": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			i := &instance{server: s}
			settings := s.keeping(with(both("blue"), configSchema("large", "NOTHING"), configSchema("small", "NOTHING")))
			if proposes {
				settings.Request = &request.Settings{}
			}
			i.apply(t, settings)
			s.holds(t, "prod", "docs/index.md")
			broken(t, i.was.Broken)
			i.standsStill(t, settings)
			settings.Fleet = both("blue")
			i.apply(t, settings)
			s.mergeAll(t, false, i)
			s.holds(t, "prod", and(fleetFiles, "docs/index.md")...)
			i.standsStill(t, settings)
			i.destroy(t)
		})
	}
}

// A warning that lists not all problems says how many more there are.
func TestKeepTellsHowMany(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	in := apps("blue", make([]int, 130)...)
	for n := range 130 {
		schema := strings.Replace(configSchema("large", fmt.Sprint("NOTHING", n)), "needs-large", fmt.Sprint("needs-", n), 1)
		in = with(in, strings.Replace(schema, "cluster-type: large", fmt.Sprintf("cluster-type: large, deployment-target: app%d-live", n), 1))
	}
	says(t, mustPlan(t, &instance{server: s}, s.keeping(in)).Warnings, "130 packages cannot be rendered", "And 110 more problems.")
}

// Of 400 packages, 1, 40 or all may break: the others change, and those do not.
func TestKeepOfMany(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keeping(apps("blue", make([]int, 199)...)))
	one := strings.Replace(configSchema("large", "NOTHING"), "cluster-type: large", "cluster-type: large, deployment-target: app7-live", 1)
	forty := make([]int, 199)
	for n := range 20 {
		forty[n] = []int{failing, violating}[n%2]
	}
	for _, test := range []struct {
		family string
		in     engine.Input
		broken int
	}{
		{"green", with(apps("green", make([]int, 199)...), one), 1},
		{"red", apps("red", forty...), 40},
		{"white", with(apps("white", make([]int, 199)...), configSchema("large", "NOTHING"), configSchema("small", "NOTHING")), 400},
	} {
		before := i.was.Packages
		plan := i.apply(t, s.keeping(test.in))
		if len(plan.Broken) != test.broken || test.broken < 400 && plan.Summary != fmt.Sprintf("+0 ~%d -0 packages in 2 cluster types",
			400-test.broken) {
			t.Errorf("%s: %d packages are broken, and %s", test.family, len(plan.Broken), plan.Summary)
		}
		for _, key := range plan.Broken {
			if before[key] != i.was.Packages[key] {
				t.Errorf("%s: the broken package %s changes", test.family, key)
			}
		}
		i.standsStill(t, s.keeping(test.in))
	}
	s.commits(t, "prod", 3)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

const policyForAll = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: teams}\nspec: " +
	"{deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}\n"

func teamRepo(team string) string { return "https://git.example/" + team + "#main:apps/" }

func teamWorkload(team, name, family string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: %s, labels: "+
		"{kustomize.toolkit.fluxcd.io/name: prod-%s, family: %s\n }}\nspec: {deploymentTargets: [{name: live, environment: "+
		"prod}]}\n", name, team, family)
}

// team are the files of a team by name: the workload in it and its family, or "broken".
type team map[string][2]string

// ofTeams is what kalypso_control_plane returns for teams.
func ofTeams(teams map[string]team) engine.Input {
	in := fleet("blue", "large")
	in.Manifests = append(in.Manifests, manifest.Text{Name: "policy", Text: policyForAll})
	for _, name := range slices.Sorted(maps.Keys(teams)) {
		add := func(text string) { in.Manifests = append(in.Manifests, manifest.Text{Name: "manifest", Text: text}) }
		add(fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: WorkloadRegistration\nmetadata: {name: %[1]s}\nspec: {workload: "+
			"{repo: https://git.example/%[1]s, branch: main, path: ./apps}, workspace: %[1]s}\n", name))
		for _, file := range slices.Sorted(maps.Keys(teams[name])) {
			at, holds := teamRepo(name)+file, teams[name][file]
			if holds[1] != "broken" {
				add(manifest.OfFile(at, teamWorkload(name, holds[0], holds[1])))
				continue
			}
			add((&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: at}, NoteSpec: manifest.NoteSpec{
				Sources:  []string{"WorkloadRegistration/" + name},
				Problems: []problem.Problem{{Summary: "Invalid YAML", Where: at + ", line 3", Detail: "Fix it."}}}}).Text())
		}
	}
	return in
}

func (s server) keepingFiles(in engine.Input) publish.Settings {
	settings := s.settings(in)
	settings.KeepBroken = true
	return settings
}

// rendered is the branch without records.
func rendered(t *testing.T, s server) map[string]string {
	t.Helper()
	all := s.repo.Files(t, "prod")
	maps.DeleteFunc(all, func(path string, _ string) bool { return strings.HasPrefix(path, ".") })
	return all
}

// A broken file prevents the plan. With on_error = "keep", the last texts of its source are used, which is
// noted only while it is broken.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	good, other := team{"one.yaml": {"one", "red"}}, team{"two.yaml": {"two", "red"}}
	i := &instance{server: s}
	i.apply(t, s.settings(ofTeams(map[string]team{"a": good, "b": other})))
	if strings.Contains(string(i.noted), "Workload") {
		t.Errorf("texts are noted without a broken file: %s", i.noted)
	}
	changed := ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}, "b": {"two.yaml": {"two", "green"}}})
	i.fails(t, s.settings(changed), "Invalid YAML", teamRepo("a")+"one.yaml, line 3")
	plan, m := i.plan(t, s.keepingFiles(changed))
	succeeded(t, m)
	says(t, m.Warnings, "Manifests of others are broken in 1 place: the warning of kalypso_control_plane says why. Until they "+
		"are fixed, the apply removes nothing of these sources, and keeps the last text of object Workload/one.\n", "- "+teamRepo("a")+
		"one.yaml: the last texts of its source are used")
	for _, w := range m.Warnings {
		if strings.Contains(w.Detail, "Invalid YAML") {
			t.Errorf("kalypso_control_plane has warned of the error, and so does the resource: %+v", w)
		}
	}
	changes(t, plan, "+0 ~1 -0 packages in 1 cluster type")
	succeeded(t, i.carryOut(t, s.keepingFiles(changed), plan))
	for range 2 {
		_, m = i.plan(t, s.keepingFiles(changed))
		says(t, m.Warnings, "the last texts of its source are used")
		i.standsStill(t, s.keepingFiles(changed))
	}
	if strings.Count(string(i.noted), "name: one") != 1 || strings.Contains(string(i.noted), "name: two") {
		t.Errorf("noted: %s", i.noted)
	}
	i.fails(t, s.settings(changed), "Invalid YAML") // not only where something else changes
	fixed := s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}, "b": {"two.yaml": {"two", "green"}}}))
	i.apply(t, fixed)
	i.standsStill(t, fixed)
	if strings.Contains(string(i.noted), "Workload") {
		t.Errorf("texts are still noted: %s", i.noted)
	}
}

// A file that was broken from the first plan on is left out. The resource does not know what
// it holds, so it does not take over folders meanwhile, and an import is not applied.
func TestBrokenFileOfTheFirstPlan(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	broken := ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}, "b": {"two.yaml": {"two", "red"}}})
	first := &instance{server: s}
	_, m := first.plan(t, s.keepingFiles(broken))
	succeeded(t, m)
	says(t, m.Warnings, "no last text of it is known, so it is left out")
	first.apply(t, s.keepingFiles(broken))
	first.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}, "b": {"two.yaml": {"two", "red"}}})))
	if _, there := rendered(t, s)["large/one-live/reconciler.yaml"]; !there {
		t.Error("the fixed file has no package")
	}
	(&instance{server: s}).fails(t, s.keepingFiles(broken), "has no last text of it", "Invalid YAML")
	imported(t, s, first.was.Location).fails(t, s.keepingFiles(broken), "has no last text of it")
}

// What a source may never bring has no last text: it goes, as by any other change, and its name
// is free. What the source may bring stays. It does not matter what the broken file holds, and
// whether a file was broken before.
func TestFenceAfterTheFirstApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a            team
		brokenBefore bool
		says         string
	}{
		"in the broken file": {team{"one.yaml": {"one", "broken"}, "two.yaml": {"two", "broken"}}, false, "the last text of object Workload/one"},
		"broken before":      {team{"one.yaml": {"one", "broken"}, "two.yaml": {"two", "broken"}}, true, "the last text of object Workload/one"},
		"in no file":         {team{"one.yaml": {"one", "red"}, "junk.yaml": {"junk", "broken"}}, false, "junk.yaml"},
		"in no file, before": {team{"one.yaml": {"one", "red"}, "junk.yaml": {"junk", "broken"}}, true, "junk.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}, "two.yaml": {"two", "red"}}, "b": {}})))
			broken := map[string]team{"a": test.a, "b": {}}
			if test.brokenBefore {
				i.apply(t, s.keepingFiles(ofTeams(broken)))
			}
			settings := s.keepingFiles(fencing(ofTeams(broken), "a", "one"))
			plan, m := i.plan(t, settings)
			succeeded(t, m)
			says(t, m.Warnings, test.says, "(without object Workload/two: the source may not bring it")
			changes(t, plan, "+0 ~0 -1 packages in 1 cluster type")
			limited := settings
			limited.Limits.Protect = []string{"*/two-*"}
			i.fails(t, limited, "large/two-live")
			succeeded(t, i.carryOut(t, settings, plan))
			i.standsStill(t, settings)
			if files := rendered(t, s); files["large/one-live/reconciler.yaml"] == "" || files["large/two-live/reconciler.yaml"] != "" {
				t.Errorf("%v", files)
			}
			// A refusal is for one source only, and the name of what is gone is free.
			broken["b"] = team{"x.yaml": {"two", "green"}}
			i.apply(t, s.keepingFiles(fencing(ofTeams(broken), "a", "one")))
			broken["b"] = team{"x.yaml": {"two", "broken"}}
			i.apply(t, s.keepingFiles(fencing(ofTeams(broken), "a", "one")))
			if files := rendered(t, s); files["large/two-live/reconciler.yaml"] == "" {
				t.Errorf("the workload of another source is gone: %v", files)
			}
		})
	}
}

// fencing are the manifests with the control plane's note that a team may bring only these names.
func fencing(in engine.Input, team string, names ...string) engine.Input {
	links := manifest.Links{{Object: "WorkloadRegistration/" + team, Allow: []manifest.Fence{{Names: names}}}}
	for _, other := range []string{"a", "b"} {
		if other != team {
			links = append(links, manifest.Link{Object: "WorkloadRegistration/" + other, Allow: []manifest.Fence{{}}})
		}
	}
	return with(in, (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "links"},
		NoteSpec: manifest.NoteSpec{Links: links}}).Text())
}

// A registration may get another name, and its repository another spelling, while a file is
// broken: the last text stays, in the same apply and later.
func TestRegistrationRenamedWhileBroken(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{true, false} {
		s := newServer(t)
		i := &instance{server: s}
		i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}})))
		before := rendered(t, s)
		broken := ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}})
		if early {
			i.apply(t, s.keepingFiles(broken))
		}
		renamed := s.keepingFiles(broken)
		renamed.Fleet.Manifests = slices.Clone(broken.Manifests)
		for at, text := range broken.Manifests {
			text.Text = strings.ReplaceAll(text.Text, "metadata: {name: a}", "metadata: {name: z}")
			text.Text = strings.ReplaceAll(text.Text, "WorkloadRegistration/a", "WorkloadRegistration/z")
			renamed.Fleet.Manifests[at].Text = strings.ReplaceAll(text.Text, "https://git.example/a", "https://GIT.example/a")
		}
		for range 2 {
			_, m := i.plan(t, renamed)
			says(t, m.Warnings, "the last texts of its source are used")
			i.apply(t, renamed)
			if diff := cmp.Diff(before, rendered(t, s)); diff != "" {
				t.Errorf("early %t (-before +after):\n%s", early, diff)
			}
			renamed.Detail = engine.DetailClusterType
		}
	}
}

// A team that registers the repository of another team does not get the workloads of this team's
// broken files, whatever name the registration of this team has.
func TestRegistrationRenamedBesideAnother(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"m": {"one.yaml": {"one", "red"}}})))
	in := ofTeams(map[string]team{"m": {"one.yaml": {"one", "broken"}}})
	for at, text := range in.Manifests {
		in.Manifests[at].Text = strings.NewReplacer("metadata: {name: m}", "metadata: {name: z}", "- WorkloadRegistration/m",
			"- WorkloadRegistration/a\n    - WorkloadRegistration/z").Replace(text.Text)
	}
	i.apply(t, s.keepingFiles(with(in, strings.NewReplacer("metadata: {name: m}", "metadata: {name: a}", "workspace: m", "workspace: thief").
		Replace(ofTeams(map[string]team{"m": {}}).Manifests[2].Text))))
	if text := rendered(t, s)["large/README.md"]; !strings.Contains(text, "one-live") || strings.Contains(text, "thief") {
		t.Errorf("README.md has %s", text)
	}
}

// Nobody takes the name of an object whose file is broken, in the same apply or later: neither
// another team nor another workload with a deployment target of the same full name.
func TestNamesOfBrokenFiles(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]map[string]team{
		"another team":   {"b": {"shop.yaml": {"shop", "green"}}},
		"a broken rival": {"b": {"shop.yaml": {"shop", "green"}}, "c": {"x.yaml": {"x", "broken"}}},
		"it breaks too":  {"b": {"shop.yaml": {"shop", "green"}, "x.yaml": {"x", "broken"}}},
	} {
		s := newServer(t)
		i := &instance{server: s}
		teams := map[string]team{"a": {"one.yaml": {"shop", "red"}}, "b": {}, "c": {}}
		i.apply(t, s.keepingFiles(ofTeams(teams)))
		before := rendered(t, s)
		teams["a"] = team{"one.yaml": {"shop", "broken"}}
		maps.Copy(teams, more)
		settings := s.keepingFiles(ofTeams(teams))
		for range 2 {
			_, m := i.plan(t, settings)
			says(t, m.Warnings, "Left out: new object Workload/shop")
			i.apply(t, settings)
			if diff := cmp.Diff(before, rendered(t, s)); diff != "" {
				t.Errorf("%s (-before +after):\n%s", name, diff)
			}
			settings.Detail = engine.DetailClusterType
		}
	}
	for _, object := range []string{
		strings.Replace(teamWorkload("a", "x", "red"), "{name: live,", "{name: y-z,", 1),
		"apiVersion: scheduler.kalypso.io/v1alpha1\nkind: DeploymentTarget\nmetadata: {name: x-y-z, labels: {workload: x, family: red}}\n" +
			"spec: {environment: prod}\n",
	} {
		s := newServer(t)
		i := &instance{server: s}
		i.apply(t, s.keepingFiles(with(ofTeams(map[string]team{"a": {}}), manifest.OfFile(teamRepo("a")+"one.yaml", object))))
		before := rendered(t, s)
		in := ofTeams(map[string]team{"a": {"one.yaml": {"x", "broken"}, "two.yaml": {"x-y", "red"}}})
		for at, text := range in.Manifests {
			if strings.Contains(text.Text, "name: x-y,") {
				in.Manifests[at].Text = strings.Replace(text.Text, "{name: live,", "{name: z,", 1)
			}
		}
		i.apply(t, s.keepingFiles(in))
		if diff := cmp.Diff(before, rendered(t, s)); diff != "" || before["large/x-y-z/reconciler.yaml"] == "" {
			t.Errorf("the same full name (-before +after):\n%s", diff)
		}
	}
}

// The platform team can take an object of a team with a broken file over, into any file of its own. A
// fenced source cannot.
func TestPlatformTakesOver(t *testing.T) {
	t.Parallel()
	const base = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: base}\nspec: {repo: https://git.example/base, " +
		"branch: main}\n"
	for name, test := range map[string]struct {
		from    string
		trusted bool
		takes   bool
	}{
		"the control plane":                      {"https://git.example/platform#prod:two.yaml", false, true},
		"a directory":                            {"control-plane/two.yaml", false, true},
		"a base repository without a fence":      {"https://git.example/base#main:two.yaml", true, true},
		"a base repository with a fence":         {"https://git.example/base#main:two.yaml", false, false},
		"another branch than that of the source": {"https://git.example/base#other:two.yaml", false, true},
	} {
		for _, target := range []string{"live", "moved"} {
			t.Run(name+" "+target, func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				i := &instance{server: s}
				i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}, "two.yaml": {"two", "red"}}})))
				before := rendered(t, s)
				links := manifest.Links{{Object: "WorkloadRegistration/a", Allow: []manifest.Fence{{}}},
					{Object: "BaseRepo/base", Allow: []manifest.Fence{{}}, Trusted: test.trusted}}
				settings := s.keepingFiles(with(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}, "junk.yaml": {"junk", "broken"}}}), base,
					(&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "links"}, NoteSpec: manifest.NoteSpec{Links: links}}).Text(),
					manifest.OfFile(test.from, strings.Replace(teamWorkload("a", "two", "green"), "{name: live,", "{name: "+target+",", 1))))
				_, m := i.plan(t, settings)
				succeeded(t, m)
				words := "(without object Workload/two: "
				if !test.takes {
					words = "Left out: new object Workload/two."
				}
				says(t, m.Warnings, words)
				for range 2 { // also from the notes
					i.apply(t, settings)
					after := rendered(t, s)
					if same := cmp.Equal(before, after); same == test.takes {
						t.Errorf("taken over: %t", !same)
					}
					if _, there := after["large/two-live/reconciler.yaml"]; there == (test.takes && target == "moved") {
						t.Errorf("large/two-live is there: %t", there)
					}
					settings.Detail = engine.DetailClusterType
				}
			})
		}
	}
}

// An apply that was killed after its write has left packages that the state does not know. They
// are not removed as drift while their file is broken.
func TestBrokenFileAfterKilledApply(t *testing.T) {
	t.Parallel()
	for _, detail := range []engine.Detail{engine.DetailPackage, engine.DetailClusterType} {
		s := newServer(t)
		i := &instance{server: s}
		settings := func(files team) publish.Settings {
			settings := s.keepingFiles(ofTeams(map[string]team{"a": files}))
			settings.Detail = detail
			return settings
		}
		i.apply(t, settings(team{}))
		saved := *i
		i.apply(t, settings(team{"one.yaml": {"one", "red"}}))
		saved.fails(t, settings(team{"one.yaml": {"one", "broken"}}), "has no last text of it", "Invalid YAML")
	}
}

// A resource takes over no folder while a file is broken, also if it has applied something
// before: it does not know what the folder's packages were made from.
func TestBrokenFileAndTakeover(t *testing.T) {
	t.Parallel()
	broken, sound := team{"one.yaml": {"one", "broken"}}, team{"one.yaml": {"one", "red"}}
	for name, first := range map[string]func(server, *instance){
		"created on hold": func(s server, i *instance) { i.apply(t, onHold(s.keepingFiles(ofTeams(map[string]team{"a": broken})))) },
		"a wave that is older than the application": func(s server, i *instance) {
			i.apply(t, s.keepingFiles(part(ofTeams(map[string]team{"a": {}}), "")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			other, i := &instance{server: s}, &instance{server: s}
			first(s, i)
			other.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": sound})))
			i.fails(t, s.keepingFiles(part(ofTeams(map[string]team{"a": broken}), "large")), "has no last text of it", "Invalid YAML")
		})
	}
}

// Last texts are bounded, also while the environment is on hold.
func TestLastTextsAreBounded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red # " + strings.Repeat("x", 1<<20)}}})))
	broken := s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}}))
	i.fails(t, broken, "larger than 1 MiB", "Invalid YAML")
	i.fails(t, onHold(broken), "larger than 1 MiB")
	unread := onHold(s.keepingFiles(ofTeams(nil)))
	i.fails(t, unread, "larger than 1 MiB", "Plan again when kalypso_control_plane reads all these files")
	unread.KeepBroken = false // then nothing of it is kept
	i.apply(t, unread)
	if strings.Contains(string(i.noted), "Workload") {
		t.Errorf("noted: %.500s", i.noted)
	}
}

// With on_error = "keep", a hold keeps the texts that cannot be read, and only while they cannot be read.
func TestTextsThatAreUnreadOnHold(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	readable := s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}}))
	i.apply(t, readable)
	before := rendered(t, s)
	for _, hold := range []struct {
		settings publish.Settings
		notes    int
	}{{readable, 0}, {s.keepingFiles(ofTeams(nil)), 1}, {s.keepingFiles(ofTeams(nil)), 1}, {readable, 0}, {s.keepingFiles(ofTeams(nil)), 1}} {
		i.apply(t, onHold(hold.settings))
		if notes := strings.Count(string(i.noted), "name: one"); notes != hold.notes {
			t.Errorf("%d texts are noted instead of %d: %s", notes, hold.notes, i.noted)
		}
	}
	i.apply(t, s.keepingFiles(ofTeams(map[string]team{"a": {"one.yaml": {"one", "broken"}}})))
	if diff := cmp.Diff(before, rendered(t, s)); diff != "" {
		t.Errorf("branch (-before +after):\n%s", diff)
	}
}

// What a fenced base repository led to stays too, though it cannot be followed while the
// file is broken.
func TestBrokenFileThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	base := "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: team}\nspec: {repo: https://git.example/base, " +
		"commit: ABCDEF1}\n"
	in := ofTeams(map[string]team{"a": {"one.yaml": {"one", "red"}}})
	registration := len(in.Manifests) - 2
	in.Manifests[registration].Text = manifest.OfFile("https://git.example/base#abcdef1:r.yaml", in.Manifests[registration].Text)
	i := &instance{server: s}
	i.apply(t, s.keepingFiles(with(in, base)))
	before := rendered(t, s)
	note := (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "https://git.example/base#abcdef2:r.yaml"},
		NoteSpec: manifest.NoteSpec{Sources: []string{"BaseRepo/team"}, Problems: []problem.Problem{{Summary: "Invalid YAML", Detail: "Fix " +
			"it."}}}}).Text()
	broken := s.keepingFiles(with(ofTeams(nil), strings.Replace(base, "ABCDEF1", "abcdef2", 1), note))
	for range 2 { // also from the notes
		i.apply(t, broken)
		if diff := cmp.Diff(before, rendered(t, s)); diff != "" {
			t.Errorf("branch (-before +after):\n%s", diff)
		}
		broken.Detail = engine.DetailClusterType
	}
}

// A team cannot prevent that another team removes a workload: it may register the repository of the
// other team, and then break the file with this registration.
func TestBrokenFileThatLedToAnotherTeam(t *testing.T) {
	t.Parallel()
	const base = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: team}\nspec: {repo: https://git.example/base, " +
		"branch: main}\n"
	note := (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "https://git.example/base#main:r.yaml"},
		NoteSpec: manifest.NoteSpec{Sources: []string{"BaseRepo/team"}, Problems: []problem.Problem{{Summary: "Invalid YAML", Detail: "Fix " +
			"it."}}}}).Text()
	for branch, removed := range map[string]bool{"main": true, "another": false} {
		s := newServer(t)
		i := &instance{server: s}
		both := ofTeams(map[string]team{"b": {"one.yaml": {"one", "red"}, "two.yaml": {"two", "red"}}})
		thief := strings.NewReplacer("{name: b}", "{name: a}", "branch: main", "branch: "+branch).Replace(both.Manifests[2].Text)
		for at := range both.Manifests {
			both.Manifests[at].Text = strings.Replace(both.Manifests[at].Text, "b#main:apps/two", "b#"+branch+":apps/two", 1)
		}
		i.apply(t, s.keepingFiles(with(both, base, manifest.OfFile("https://git.example/base#main:r.yaml", thief))))
		broken := s.keepingFiles(with(ofTeams(map[string]team{"b": {"one.yaml": {"one", "green"}}}), base, note))
		for range 2 { // also from the notes
			i.apply(t, broken)
			if _, there := rendered(t, s)["large/two-live/reconciler.yaml"]; there == removed {
				t.Errorf("branch %s: the removed workload is there: %t", branch, there)
			}
			broken.Detail = engine.DetailClusterType
		}
	}
}

// Breaking and fixing in any order gives the same tree as never having broken. Meanwhile
// nothing goes from a team with a broken file, and all others get what they want.
func TestBreakingAndFixing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random, s, oracle := rand.New(rand.NewPCG(seed, 0)), newServer(t), newServer(t)
			i, never := &instance{server: s}, &instance{server: oracle}
			teams := map[string]team{"a": {}, "b": {}, "c": {}}
			last := map[string]team{}
			apply := func(hold bool) {
				want := map[string]team{}
				for name, files := range teams {
					want[name] = team{}
					for _, file := range files {
						if file[1] != "broken" {
							want[name][file[0]] = file
						}
					}
					if slices.ContainsFunc(slices.Collect(maps.Values(files)), func(f [2]string) bool { return f[1] == "broken" }) {
						for object, file := range last[name] {
							if _, there := want[name][object]; !there {
								want[name][object] = file
							}
						}
					}
				}
				last = want
				settings := s.keepingFiles(ofTeams(teams))
				settings.Hold = hold && i.was != nil
				i.apply(t, settings)
				if settings.Hold {
					return
				}
				i.standsStill(t, settings)
				never.apply(t, oracle.settings(ofTeams(want)))
				if diff := cmp.Diff(rendered(t, oracle), rendered(t, s)); diff != "" {
					t.Fatalf("branch (-want +got) for %v:\n%s", teams, diff)
				}
			}
			for range 12 {
				for range 1 + random.IntN(3) {
					name := []string{"a", "b", "c"}[random.IntN(3)]
					file, object := fmt.Sprintf("%d.yaml", random.IntN(4)), ""
					if was, there := teams[name][file]; there {
						object = was[0]
					} else if object = fmt.Sprintf("%s-%d", name, random.IntN(4)); slices.ContainsFunc(slices.Collect(maps.Values(teams[name])),
						func(f [2]string) bool { return f[0] == object }) {
						continue // it moves to another file once it is gone from this one
					}
					switch random.IntN(4) {
					case 0:
						delete(teams[name], file)
					case 1:
						teams[name][file] = [2]string{object, "broken"}
					default:
						teams[name][file] = [2]string{object, []string{"red", "green"}[random.IntN(2)]}
					}
				}
				apply(random.IntN(5) == 0)
			}
			for _, files := range teams {
				for name, file := range files {
					files[name] = [2]string{file[0], "blue"}
				}
			}
			apply(false)
			var inv ownership.Inventory
			if err := json.Unmarshal(i.noted, &inv); err != nil || len(inv.Texts) > 0 {
				t.Errorf("%v, %v", err, inv.Texts)
			}
		})
	}
}

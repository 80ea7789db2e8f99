// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// All problems of the platform team's sources come in one run, each with its place, and those of other
// teams are notes.
func TestLoadReportsEverything(t *testing.T) {
	t.Parallel()
	repo, app, base := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{
		"a/w.yaml":     workload("fine") + "---\n" + strings.Replace(workload("w"), "spec:", "spek:", 1),
		"c/utf16.yaml": "\xff\xfea\x00",
		"d/w.yaml":     workload("named"),
	})
	commitAll(t, base, "main", map[string]string{"bad.yaml": "a: [\n", "kustomization.yaml": "resources: []"})
	base.CommitSymlink(t, "main", "link.yaml", "bad.yaml")
	base.CommitSymlink(t, "main", "folder", "somewhere")
	long := strings.Repeat("long-", 12) + "name"
	commitAll(t, repo, "dev", map[string]string{
		"base.yaml": baseRepo("base", base.URL(), "main", "", "") + "---\n" + baseRepo("gone", base.URL(), "gone", "", ""),
		"regs.yaml": strings.Join([]string{
			registration("a", app.URL(), "main", "a", "team-a"), registration("c", app.URL(), "main", "c", "team-c"),
			registration("d", app.URL(), "main", "missing", "team-d"),
			registration("e", app.URL(), "gone", "", "team-e"), registration("f", repo.URL()+"x", "main", "", "team-f"),
			registration("i", app.URL(), "", "", "team-i"), registration("j", app.URL(), "main", "a/../../..", "team-j"),
			registration("k", "not a url", "main", "", "team-k"), registration("l", app.URL(), "main", "a", "another-team"),
			registration(long, app.URL(), "main", "d", "team-m"),
		}, "---\n"),
	})
	result, err := newLoader(t).Load(t.Context(), at(repo.URL()))
	regs := repo.URL() + "#dev:regs.yaml, commit "
	for _, word := range []string{
		"BaseRepo/gone (" + repo.URL() + "#dev:base.yaml, commit ", `no branch "gone"`,
		"WorkloadRegistration/i (" + regs, "names no branch",
		"WorkloadRegistration/j", "would leave its folder",
		"workspaces for one workload in WorkloadRegistration/l", `"team-a"`, `"another-team"`,
		"WorkloadRegistration/" + long, "too long",
		base.URL() + "#main:bad.yaml", "Kustomization", base.URL() + "#main:link.yaml", "Symbolic link",
	} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the error lacks %q:\n%v", word, err)
		}
	}
	found := notes(result)
	for place, want := range map[string]string{
		app.URL() + "#main:a/w.yaml": `There is no field "spek"`, app.URL() + "#main:c/utf16.yaml": "not valid UTF-8",
		app.URL() + "#main:missing": `#main:missing): there is no folder "missing"`,
		app.URL() + "#gone:.":       `#gone:.): ` + app.URL() + ` has no branch "gone"`,
		repo.URL() + "x#main:.":     "does not exist, or", "not a url#main:.": "WorkloadRegistration/k",
	} {
		if !strings.Contains(found[place], want) {
			t.Errorf("the note on %s lacks %q: %s", place, want, found[place])
		}
	}
	if len(found) != 6 || strings.Contains(err.Error(), "WorkloadRegistration/e") {
		t.Errorf("notes %q, error %v", found, err)
	}
}

// A control plane that is not there is an error of its own.
func TestLoadWithoutControlPlane(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	loadWant(t, at(repo.URL()), "The control plane cannot", repo.URL()+"#dev:.", `no branch "dev"`)
	commitAll(t, repo, "dev", map[string]string{"a.yaml": clusterType("a")})
	request := at(repo.URL())
	request.Path = "fleet"
	loadWant(t, request, "The control plane cannot", `no folder "fleet"`)
}

// A folder to which several ways lead, or a way from itself, is read once.
func TestLoadCycles(t *testing.T) {
	t.Parallel()
	t.Run("a circle", func(t *testing.T) {
		t.Parallel()
		repo := gitmem.New(t)
		commitAll(t, repo, "dev", map[string]string{"base.yaml": baseRepo("first", repo.URL(), "one", "", "")})
		commitAll(t, repo, "one", map[string]string{"base.yaml": baseRepo("second", repo.URL(), "two", "", "")})
		commitAll(t, repo, "two", map[string]string{"base.yaml": baseRepo("third", repo.URL(), "one", "", ""), "c.yaml": clusterType("c")})
		if result := load(t, at(repo.URL())); len(result.Manifests) != 4 {
			t.Errorf("%q", result.Manifests)
		}
	})
	t.Run("two ways", func(t *testing.T) {
		t.Parallel()
		repo := gitmem.New(t)
		head := commitAll(t, repo, "base", map[string]string{"c.yaml": clusterType("c")})
		commitAll(t, repo, "dev", map[string]string{
			"a.yaml": baseRepo("a", repo.URL(), "base", "", ""), "b.yaml": baseRepo("b", repo.URL(), "base", "", head),
			"c.yaml": baseRepo("c", repo.URL(), "base", ".", ""),
		})
		if result := load(t, at(repo.URL())); len(result.Manifests) != 4 || len(result.Release.Sources) != 1 {
			t.Errorf("%q\n%v", result.Manifests, result.Release)
		}
	})
}

// A source of another team that cannot be read is one note, however many objects name it.
func TestUnreachableSourceOfATeam(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	commitAll(t, repo, "dev", map[string]string{
		"a.yaml": registration("a", app.URL(), "main", "", "team-a"),
		"b.yaml": registration("b", app.URL(), "gone", "", "team-b") + "---\n" + registration("c", app.URL(), "gone", "", "team-b"),
	})
	scope := at(repo.URL())
	result := load(t, scope)
	found := notes(result)
	want := "A source cannot be read in WorkloadRegistration/b, WorkloadRegistration/c (" + app.URL() + "#gone:.): " +
		app.URL() + " has no branch \"gone\""
	if len(found) != 1 || !strings.HasPrefix(found[app.URL()+"#gone:."], want) ||
		result.Release.Sources[app.URL()+"#gone"] != record.Unread {
		t.Errorf("notes %q, release %v", found, result.Release)
	}
	commitAll(t, app, "gone", map[string]string{"w.yaml": "a: [\n"})
	if found := notes(load(t, scope))[app.URL()+"#gone:w.yaml"]; !strings.Contains(found, "Invalid YAML") {
		t.Errorf("what can be read and is wrong: %q", found)
	}

	// A base repository in the same place is the platform team's.
	commitAll(t, app, "gone", map[string]string{"w.yaml": workload("w")})
	commitAll(t, repo, "dev", map[string]string{"f.yaml": baseRepo("f", app.URL(), "away", "", "") + "---\n" +
		registration("f", app.URL(), "away", "", "t")})
	loadWant(t, scope, "BaseRepo/f, WorkloadRegistration/f (", `no branch "away"`)

	// A run that was ended knows nothing of its registrations.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newLoader(t).Load(ctx, scope); err == nil {
		t.Error("no error after the end")
	}
}

// What a team has in its own folder stops nobody else.
func TestContentAtFaultIsNoted(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"out/.sourceignore": "*\n", "out/a.yaml": "", "file": "", "ok/w.yaml": workload("w")})
	app.CommitSymlink(t, "main", "link", "ok")
	names := []string{"out", "file", "link"}
	var objects []string
	for _, name := range append(names, "ok") {
		objects = append(objects, registration(name, app.URL(), "main", name, "team"))
	}
	commitAll(t, repo, "dev", map[string]string{"own.yaml": strings.Join(objects, "---\n")})
	result := load(t, at(repo.URL()))
	found := notes(result)
	for _, name := range names {
		if text := found[app.URL()+"#main:"+name]; !strings.Contains(text, "WorkloadRegistration/"+name) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if len(found) != len(names) || !strings.Contains(strings.Join(result.Manifests, ""), "name: w\n") {
		t.Errorf("%q", found)
	}
}

// A team's server that does not answer is a note after a time of its own, and leaves time for others. The release says that its branch
// could not be read, so a later environment does not read its head.
func TestServerWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	repo := gitmem.New(t)
	commitAll(t, repo, "apps", map[string]string{"w.yaml": workload("w")})
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", silent.URL+"/a.git", "main", "", "team-a") + "---\n" +
		registration("b", repo.URL(), "apps", "", "team-b")})
	loader := newLoader(t)
	loader.SetSourceTime(3 * time.Second)
	result, err := loader.Load(t.Context(), at(repo.URL()))
	if err != nil {
		t.Fatal(err)
	}
	if found := notes(result); len(found) != 1 || !strings.Contains(found[silent.URL+"/a.git#main:."], "did not answer within 3s") {
		t.Errorf("%q", found)
	}
	sources := map[string]string{silent.URL + "/a.git#main": record.Unread, repo.URL() + "#apps": repo.Head(t, "apps")}
	if diff := cmp.Diff(sources, result.Release.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	silent.Close() // is not asked
	later := at(repo.URL())
	later.Release = result.Release
	if found := notes(load(t, later)); len(found) != 1 || !strings.Contains(found[silent.URL+"/a.git#main:."], "Promote a newer release") {
		t.Errorf("%q", found)
	}
}

// What is too large only as it is passed on breaks its file, and no plan.
func TestDocumentThatGrows(t *testing.T) {
	t.Parallel()
	targets := `{name: live, manifests: {repo: "` + strings.Repeat(`a\n`, 250_000) + `"}}` // written anew, each a has a line
	scope, team := ofTeamA(t, map[string]string{"ok.yaml": workload("ok"), "large.yaml": "apiVersion: v1\nkind: List\nitems: [{apiVersion: " +
		"scheduler.kalypso.io/v1alpha1, kind: Workload, metadata: {name: w}, spec: {deploymentTargets: [" + targets + "]}}]\n"})
	result := load(t, scope)
	if found := notes(result); len(found) != 1 || !strings.Contains(found[team+"#main:large.yaml"], "Document too large") ||
		!strings.Contains(strings.Join(result.Manifests, ""), "name: ok\n") {
		t.Errorf("%q", found)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// All problems of all sources come in one run, each with its place.
func TestLoadReportsEverything(t *testing.T) {
	t.Parallel()
	repo, app, base := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{
		"a/w.yaml":       workload("fine") + "---\n" + strings.Replace(workload("w"), "spec:", "spek:", 1),
		"b/injected.yml": clusterType("mine") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {platform-config: 'true'}}\n",
		"c/utf16.yaml":   "\xff\xfea\x00",
	})
	commitAll(t, base, "main", map[string]string{"bad.yaml": "a: [\n", "kustomization.yaml": "resources: []"})
	base.CommitSymlink(t, "main", "link.yaml", "bad.yaml")
	base.CommitSymlink(t, "main", "folder", "somewhere")
	long := strings.Repeat("long-", 12) + "name"
	commitAll(t, repo, "dev", map[string]string{
		"base.yaml": baseRepo("base", base.URL(), "main", "", ""),
		"regs.yaml": strings.Join([]string{
			registration("a", app.URL(), "main", "a", "team-a"), registration("b", app.URL(), "main", "b", "team-b"),
			registration("c", app.URL(), "main", "c", "team-c"), registration("d", app.URL(), "main", "missing", "team-d"),
			registration("e", app.URL(), "gone", "", "team-e"), registration("f", repo.URL()+"x", "main", "", "team-f"),
			registration("i", app.URL(), "", "", "team-i"), registration("j", app.URL(), "main", "a/../../..", "team-j"),
			registration("k", "not a url", "main", "", "team-k"), registration("l", app.URL(), "main", "a", "another-team"),
			registration(long, app.URL(), "main", "d", "team-m"),
		}, "---\n"),
	})
	commitAll(t, app, "main", map[string]string{"d/w.yaml": workload("named")})
	regs := repo.URL() + "#dev:regs.yaml, commit "
	loadWant(t, at(repo.URL()),
		"WorkloadRegistration/d ("+regs, app.URL()+`#main:missing cannot be read: there is no folder "missing"`,
		"WorkloadRegistration/e", `no branch "gone"`,
		"WorkloadRegistration/f", "does not exist, or is hidden",
		"WorkloadRegistration/i", "names no branch",
		"WorkloadRegistration/j", "would leave its folder",
		"WorkloadRegistration/k",
		"Two workspaces for one workload in WorkloadRegistration/l", `"team-a"`, `"another-team"`,
		"WorkloadRegistration/"+long, "too long for a label",
		base.URL()+"#main:bad.yaml", "Kustomization", base.URL()+"#main:link.yaml", "Symbolic link",
	)
}

// A control plane that is not there is an error of its own.
func TestLoadWithoutControlPlane(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	loadWant(t, at(repo.URL()), "The control plane cannot be read", repo.URL()+"#dev:.", `no branch "dev"`)
	commitAll(t, repo, "dev", map[string]string{"a.yaml": clusterType("a")})
	request := at(repo.URL())
	request.Path = "fleet"
	loadWant(t, request, "The control plane cannot be read", `no folder "fleet"`)
	request.KeepUnreachable = true
	loadWant(t, request, "The control plane cannot be read")
}

func TestLoadCycles(t *testing.T) {
	t.Parallel()
	t.Run("itself", func(t *testing.T) {
		t.Parallel()
		repo := gitmem.New(t)
		commitAll(t, repo, "dev", map[string]string{"base.yaml": baseRepo("me", repo.URL(), "dev", "./", "")})
		loadWant(t, at(repo.URL()), "circle", "BaseRepo/me in "+repo.URL()+"#dev:base.yaml", "leads to "+repo.URL()+"#dev:.")
	})
	t.Run("three", func(t *testing.T) {
		t.Parallel()
		repo := gitmem.New(t)
		commitAll(t, repo, "dev", map[string]string{"base.yaml": baseRepo("first", repo.URL(), "one", "", "")})
		commitAll(t, repo, "one", map[string]string{"base.yaml": baseRepo("second", repo.URL(), "two", "", "")})
		commitAll(t, repo, "two", map[string]string{"base.yaml": baseRepo("third", repo.URL(), "one", "", "")})
		_, err := newLoader(t).Load(t.Context(), at(repo.URL()))
		var problems problem.List
		if !errors.As(err, &problems) || len(problems) != 1 || strings.Contains(err.Error(), "BaseRepo/first") ||
			!strings.Contains(err.Error(), "BaseRepo/second in ") || !strings.Contains(err.Error(), "BaseRepo/third in ") {
			t.Errorf("%v", err)
		}
	})
	t.Run("two ways to one place are not a problem", func(t *testing.T) {
		t.Parallel()
		repo := gitmem.New(t)
		head := commitAll(t, repo, "base", map[string]string{"c.yaml": clusterType("c")})
		commitAll(t, repo, "dev", map[string]string{
			"a.yaml": baseRepo("a", repo.URL(), "base", "", ""), "b.yaml": baseRepo("b", repo.URL(), "base", "", head),
			"c.yaml": baseRepo("c", repo.URL(), "base", ".", ""),
		})
		if result := load(t, at(repo.URL())); len(result.Manifests) != 4 || len(result.Sources) != 1 {
			t.Errorf("%q\n%v", result.Manifests, result.Sources)
		}
	})
}

// A source of others that cannot be read is an error, or if asked for a broken file: one, however
// many objects name the source. What can be read and is wrong is a broken file of its own.
func TestUnreachableSourcesOfOthers(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	commitAll(t, repo, "dev", map[string]string{
		"a.yaml": registration("a", app.URL(), "main", "", "team-a"),
		"b.yaml": registration("b", app.URL(), "gone", "", "team-b") + "---\n" + registration("c", app.URL(), "gone", "", "team-b"),
		"f.yaml": baseRepo("fenced", app.URL(), "away", "", ""),
	})
	request := at(repo.URL())
	request.Allow = []controlplane.Allow{{Source: "BaseRepo/fenced"}}
	loadWant(t, request, "WorkloadRegistration/b", "WorkloadRegistration/c", "BaseRepo/fenced", `no branch "gone"`, `no branch "away"`)
	request.KeepUnreachable = true
	result := load(t, request)
	all, _ := manifest.Notes(inputs(result.Manifests))
	want := map[string][]string{app.URL() + "#away:.": {"BaseRepo/fenced"},
		app.URL() + "#gone:.": {"WorkloadRegistration/b", "WorkloadRegistration/c"}}
	got := map[string][]string{}
	for _, n := range all {
		got[n.Name] = n.Sources
	}
	if diff := cmp.Diff(want, got); diff != "" || len(all) != len(want) || len(result.Sources) != 1 {
		t.Errorf("notes (-want +got):\n%s\n%q", diff, result.Manifests)
	}
	found := notes(result)[app.URL()+"#gone:."]
	for _, want := range []string{"WorkloadRegistration/b", "WorkloadRegistration/c", `has no branch "gone"`} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not in %s", want, found)
		}
	}
	commitAll(t, app, "gone", map[string]string{"w.yaml": "a: [\n"})
	if found := notes(load(t, request))[app.URL()+"#gone:w.yaml"]; !strings.Contains(found, "Invalid YAML") {
		t.Errorf("what can be read and is wrong: %q", found)
	}

	// Without the fence, the base repository is the platform team's.
	request.Allow = nil
	loadWant(t, request, "BaseRepo/fenced ("+repo.URL()+"#dev:f.yaml, commit ", `no branch "away"`)

	// A run that was ended knows nothing of its registrations.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newLoader(t).Load(ctx, request); err == nil {
		t.Error("no error after the end")
	}
}

// What a team has in its own folder stops nobody else, whether its source is a registration or
// has a fence.
func TestContentAtFaultIsNoted(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"out/.sourceignore": "*\n", "out/a.yaml": "", "file": "", "ok/w.yaml": workload("w"),
		"patterns/.sourceignore": strings.Repeat("a\n", 40<<10), "patterns/a.yaml": ""})
	app.CommitSymlink(t, "main", "link", "ok")
	names := []string{"out", "file", "patterns", "link"}
	var objects []string
	for _, name := range append(names, "ok") {
		objects = append(objects, registration(name, app.URL(), "main", name, "team"), baseRepo(name, app.URL(), "main", name, ""))
	}
	commitAll(t, repo, "dev", map[string]string{"own.yaml": strings.Join(objects, "---\n")})
	request := at(repo.URL())
	request.Allow = []controlplane.Allow{{Source: "BaseRepo/*"}}
	result := load(t, request)
	found := notes(result)
	for _, name := range names {
		if text := found[app.URL()+"#main:"+name]; !strings.Contains(text, "BaseRepo/"+name) ||
			!strings.Contains(text, "WorkloadRegistration/"+name) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if len(found) != len(names) || !strings.Contains(strings.Join(result.Manifests, ""), "name: w\n") {
		t.Errorf("%q", found)
	}
}

// A team's server that does not answer leaves time for others.
func TestServerWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	repo := gitmem.New(t)
	commitAll(t, repo, "apps", map[string]string{"w.yaml": workload("w")})
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", silent.URL+"/a.git", "main", "", "team-a") + "---\n" +
		registration("b", repo.URL(), "apps", "", "team-b")})
	request := at(repo.URL())
	request.KeepUnreachable = true
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	result, err := newLoader(t).Load(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if found := notes(result)[silent.URL+"/a.git#main:."]; !strings.Contains(found, "did not answer") || len(result.Sources) != 1 {
		t.Errorf("%q, sources %v", found, result.Sources)
	}
}

// What is too large only as it is passed on breaks its file, and no plan.
func TestDocumentThatGrows(t *testing.T) {
	t.Parallel()
	var targets strings.Builder
	labels := strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), ": x,") + ": x"
	for i := range 6_000 {
		fmt.Fprintf(&targets, "{name: t%d,environment: x,labels: {%s}},", i, labels)
	}
	repo, app := gitmem.New(t), gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"ok.yaml": workload("ok"), "large.yaml": "apiVersion: v1\nkind: List\nitems: [{apiVersion: " +
		"scheduler.kalypso.io/v1alpha1,kind: Workload,metadata: {name: w},spec: {deploymentTargets: [" + targets.String() + "]}}]\n"})
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", app.URL(), "main", "", "team-a")})
	result := load(t, at(repo.URL()))
	if found := notes(result)[app.URL()+"#main:large.yaml"]; !strings.Contains(found, "Document too large") || len(result.Manifests) != 3 {
		t.Errorf("%q", found)
	}
	if _, err := manifest.Decode(inputs(result.Manifests)); err != nil {
		t.Error(err)
	}
}

func TestLoadTooManyFiles(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	many := map[string]string{}
	for i := range 20_001 {
		many[fmt.Sprintf("many/%d.yaml", i)] = ""
	}
	commitAll(t, repo, "apps", many)
	commitAll(t, repo, "dev", map[string]string{"many.yaml": registration("many", repo.URL(), "apps", "many", "t")})
	text := notes(load(t, at(repo.URL())))[repo.URL()+"#apps:many"]
	if !strings.Contains(text, "20001 YAML files, and 20000 may be read") {
		t.Error(text)
	}
}

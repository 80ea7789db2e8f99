// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/controlplane"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hidden}\n"

// A control plane as Kalypso's documentation draws it: an environment's branch,
// two base repositories, one of them pinned, and an application's repository.
func TestLoad(t *testing.T) {
	t.Parallel()
	platform, global, app := gitmem.New(t), gitmem.New(t), gitmem.New(t)
	pinned := commitAll(t, platform, "main", map[string]string{
		"cluster-types/large.yaml": clusterType("large"),
		"workloads/app.yml":        registration("app", app.URL(), "main", "./workload/", "app-team"),
		"global.yaml":              baseRepo("global", global.URL(), "main", "fleet", ""),
	})
	commitAll(t, platform, "main", map[string]string{"cluster-types/later.yaml": clusterType("later")})
	globalHead := commitAll(t, global, "main",
		map[string]string{"fleet/small.yaml": clusterType("small"), "elsewhere.yaml": clusterType("elsewhere")})
	appHead := commitAll(t, app, "main", map[string]string{"workload/app.yaml": workload("app"),
		"src/app.yaml": "not: [ours"})
	commitAll(t, platform, "dev", map[string]string{
		"base-repo.yaml":             baseRepo("main", platform.URL(), "main", ".", pinned),
		"policies/all.yaml":          secret + "---\n" + policy("all", ""),
		"notes.md":                   "# Notes",
		".github/workflows/cd.yaml":  "on: push",
		"secret.yaml":                secret,
		".environments/dev.yaml":     object("Environment", "dev", "{controlPlane: {repo: r, branch: dev, path: .}}"),
		"charts/values.txt":          "a: [",
		"templates/.sops.yaml":       "creation_rules: []",
		"templates/deep/er/two.yaml": clusterType("one") + "---\n" + clusterType("two"),
	})

	want := &controlplane.Loaded{
		Manifests: []string{
			source(platform.URL()+"#dev:.environments/dev.yaml", object("Environment", "dev", "{controlPlane: {repo: r, branch: dev, path: .}}")),
			source(platform.URL()+"#dev:base-repo.yaml", baseRepo("main", platform.URL(), "main", ".", pinned)),
			sourceAt(platform.URL()+"#dev:policies/all.yaml", 6, policy("all", "")),
			source(platform.URL()+"#dev:templates/deep/er/two.yaml", clusterType("one")),
			sourceAt(platform.URL()+"#dev:templates/deep/er/two.yaml", 2+strings.Count(clusterType("one"), "\n"), clusterType("two")),
		},
		Release: record.Release{Commit: pinned,
			Sources: map[string]string{global.URL() + "#main": globalHead, app.URL() + "#main": appHead}},
	}
	others := map[string][]string{
		platform.URL(): {
			source(platform.URL()+"#main:cluster-types/large.yaml", clusterType("large")),
			source(platform.URL()+"#main:global.yaml", baseRepo("global", global.URL(), "main", "fleet", "")),
			source(platform.URL()+"#main:workloads/app.yml", registration("app", app.URL(), "main", "./workload/", "app-team")),
		},
		global.URL(): {source(global.URL()+"#main:fleet/small.yaml", clusterType("small"))},
		app.URL():    {source(app.URL()+"#main:workload/app.yaml", labelled("app", "app"))},
	}
	result := load(t, at(platform.URL()))
	for _, url := range slices.Sorted(maps.Keys(others)) { // the folders' names are random
		want.Manifests = append(want.Manifests, others[url]...)
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for range 3 {
		if diff := cmp.Diff(result, load(t, at(platform.URL()))); diff != "" {
			t.Errorf("another time it comes out differently:\n%s", diff)
		}
	}
}

// A registration may point into the control plane itself. Its workloads are read
// once, and belong to its workspace.
func TestLoadRegistrationInTheSameRepository(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	commitAll(t, repo, "dev", map[string]string{
		"registrations/a.yaml": registration("a", repo.URL(), "dev", "apps/a", "team-a"),
		"registrations/b.yaml": registration("b", repo.URL(), "dev", "apps/b", "team-b"),
		"apps/a/w.yaml":        workload("a"),
		"apps/b/w.yaml":        workload("b"),
		"apps/other.yaml":      workload("other"),
	})
	result := load(t, at(repo.URL()))
	if len(result.Manifests) != 5 {
		t.Errorf("%d manifests: %q", len(result.Manifests), result.Manifests)
	}
	if diff := cmp.Diff(map[string]string{"a-live": "team-a", "b-live": "team-b", "other-live": ""}, workspaces(t, result)); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
}

// workspaces returns the workspace of each deployment target, as the engine sees it.
func workspaces(t testing.TB, result *controlplane.Loaded) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, target := range fleetOf(result).Targets {
		all[target.FullName] = target.Workspace
	}
	return all
}

func inputs(texts []string) []manifest.Text {
	var all []manifest.Text
	for _, text := range texts {
		all = append(all, manifest.Text{Text: text})
	}
	return all
}

// An application team cannot take another team's workspace by a label of its own.
func TestLoadWorkspaceIsTheRegistrations(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	thief := strings.Replace(workload("thief"), "  name:", "  labels: {kustomize.toolkit.fluxcd.io/name: dev-rich, workspace: "+
		"rich-team}\n  name:", 1)
	commitAll(t, app, "main", map[string]string{"w.yaml": thief})
	commitAll(t, repo, "dev", map[string]string{
		"a.yaml": registration("poor", app.URL(), "main", "", "poor-team"),
		"b.yaml": registration("rich", repo.URL(), "dev", "rich", "rich-team"), "rich/w.yaml": workload("rich"),
	})
	want := map[string]string{"thief-live": "poor-team", "rich-live": "rich-team"}
	if diff := cmp.Diff(want, workspaces(t, load(t, at(repo.URL())))); diff != "" {
		t.Errorf("workspaces (-want +got):\n%s", diff)
	}
}

// An application may bring placements of its own to a hub: they place nothing in the fleet.
func TestLoadPlacements(t *testing.T) {
	t.Parallel()
	repo, app := gitmem.New(t), gitmem.New(t)
	placement := func(name string) string {
		return "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: " + name + "}\nspec: {}\n"
	}
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("a"), "placement.yaml": placement("of-the-application")})
	commitAll(t, repo, "dev", map[string]string{"a.yaml": registration("a", app.URL(), "main", "", "team-a"),
		"placement.yaml": placement("of-the-platform")})
	computed, err := engine.Compute(t.Context(),
		engine.Input{Environment: "dev", PlaceOnly: true, Manifests: inputs(load(t, at(repo.URL())).Manifests)})
	if err != nil {
		t.Fatal(err)
	}
	if p := computed.Fleet.Placements; len(p) != 1 || p[0].Name != "of-the-platform" {
		t.Errorf("placements: %v", p)
	}
}

// A folder beside the configuration is read by the same rules, without git.
func TestLoadDirectory(t *testing.T) {
	t.Parallel()
	app := gitmem.New(t)
	commitAll(t, app, "main", map[string]string{"w.yaml": workload("app")})
	dir := filepath.Join(t.TempDir(), "control-plane")
	for path, text := range map[string]string{
		"a.yaml": clusterType("a"), "alone/b.yaml": clusterType("b"), "sub/b.yml": registration("app", app.URL(), "main", ".", "team"),
		".sourceignore": "/ignored\n", "ignored/c.yaml": "a: [", ".terraform/modules/x.yaml": "a: [", ".git/x.yaml": "a: [", "d.json": "{",
	} {
		writeFile(t, filepath.Join(dir, path), text)
	}
	if err := os.Symlink(filepath.Join(dir, "sub"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	request := controlplane.Scope{Directory: dir, Environment: "dev"}
	want := []string{
		source("control-plane/a.yaml", clusterType("a")),
		source("control-plane/alone/b.yaml", clusterType("b")),
		source("control-plane/sub/b.yml", registration("app", app.URL(), "main", ".", "team")),
		source(app.URL()+"#main:w.yaml", labelled("app", "app")),
	}
	result := load(t, request)
	if diff := cmp.Diff(want, result.Manifests); diff != "" {
		t.Errorf("manifests (-want +got):\n%s", diff)
	}
	if result.Release.Commit != "" {
		t.Errorf("release %v", result.Release)
	}

	// Without repositories, a folder that needs none is read.
	offline := &controlplane.Loader{Offline: "The password is not known yet."}
	if r, err := offline.Load(t.Context(), controlplane.Scope{Directory: filepath.Join(dir, "alone"), Environment: "dev"}); err != nil ||
		len(r.Manifests) != 1 {
		t.Errorf("%v", err)
	}
	if _, err := offline.Load(t.Context(), request); err == nil || !strings.Contains(err.Error(), "The password is not known yet.") {
		t.Errorf("%v", err)
	}

	writeFile(t, filepath.Join(dir, "bad.yaml"), "\na: [\n")
	if err := os.Symlink(filepath.Join(dir, "a.yaml"), filepath.Join(dir, "z.yaml")); err != nil {
		t.Fatal(err)
	}
	loadWant(t, request, filepath.Join(dir, "bad.yaml")+", line", filepath.Join(dir, "z.yaml"), "symbolic link")
	request.Directory = filepath.Join(dir, "missing")
	loadWant(t, request, "missing", "cannot be opened")
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The head of a branch is the same for everybody in a run.
func TestLoadSeesOneState(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	first := commitAll(t, repo, "dev", map[string]string{"a.yaml": clusterType("a")})
	loader := newLoader(t)
	for range 2 {
		result, err := loader.Load(t.Context(), at(repo.URL()))
		if err != nil || result.Release.Commit != first {
			t.Errorf("%v, %v", result, err)
		}
		commitAll(t, repo, "dev", map[string]string{"a.yaml": clusterType("b")})
	}
}

// A user in a URL may be a token: such a URL is refused, and the user shows up nowhere.
func TestLoadKeepsSecrets(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	url := strings.Replace(gittest.ServeHTTP(t, repo).URL(), "http://", "http://t0ken@", 1)
	commitAll(t, repo, "dev", map[string]string{"app.yaml": registration("app", url, "apps", "", "")})
	for name, request := range map[string]controlplane.Scope{
		"of the control plane": at(url),
		"of a registration":    at(repo.URL()),
	} {
		result, err := newLoader(t).Load(t.Context(), request)
		text := fmt.Sprintln(err, notes(result), result.Release)
		if strings.Contains(text, "t0ken") || !strings.Contains(text, "user name") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

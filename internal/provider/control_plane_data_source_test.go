// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

const controlPlaneAddress = "data.kalypso_control_plane.dev"

func checkAttribute(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(controlPlaneAddress, tfjsonpath.New(name), want)
}

// expectReadAt checks the release that was read.
func expectReadAt(commit string, sources map[string]string) statecheck.StateCheck {
	all := map[string]knownvalue.Check{}
	for name, id := range sources {
		all[name] = knownvalue.StringExact(id)
	}
	return checkAttribute("read_release", knownvalue.ObjectExact(map[string]knownvalue.Check{
		"commit": knownvalue.StringExact(commit), "sources": knownvalue.MapExact(all)}))
}

func checkAssignments(want ...string) statecheck.StateCheck {
	return statecheck.ExpectKnownOutputValue("assignments", knownvalue.StringExact(strings.Join(want, " ")))
}

// An environment with two base repositories, one of them pinned to a commit that
// its branch has left behind, with a registration of a repository of its own and
// one that points into the control plane; every repository asks for other credentials.
func TestControlPlane(t *testing.T) {
	t.Parallel()
	for transport, serve := range servers {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			platform, global, app := serve(t), serve(t), serve(t)
			pinned := platform.commit(t, "main", map[string]string{
				"cluster-types/small.yaml": clusterTypeYAML("small"), "registrations/app.yaml": registrationYAML("app", app.url, "main", "./workload",
					"app-team"),
				".github/workflows/ci.yml": "on: push", ".sourceignore": "/drafts\n", "drafts/large.yaml": "not: [yet",
			})
			platform.commit(t, "main", map[string]string{"cluster-types/later.yaml": clusterTypeYAML("later"), "cluster-types/small.yaml": ""})
			globalHead := global.commit(t, "release", map[string]string{"fleet/large.yaml": clusterTypeYAML("large")})
			appHead := app.commit(t, "main", map[string]string{"workload/workload.yaml": workloadYAML("app"),
				"src/deployment.yaml": "apiVersion: v1\nkind: Secret\n"})
			platform.commit(t, "dev", map[string]string{
				"main.yaml": baseRepoYAML("main", platform, "main", ".", pinned), "global.yaml": baseRepoYAML("global", global, "release", "fleet", ""),
				"policies.yaml": policyYAML("apps", "app-team", "small") + "---\n" + policyYAML("own", "platform-team", "large"),
				"own.yaml":      registrationYAML("own", platform.url, "dev", "workloads", "platform-team"), "workloads/own.yaml": workloadYAML("own"),
			})
			expectDirectly(t, providerFor(platform, global, app)+
				controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  timeouts { read = \"1m\" }", platform.url)),
				checkAssignments("large/own-live:platform-team", "small/app-live:app-team"),
				checkAttribute("manifests", knownvalue.ListSizeExact(10)),
				expectReadAt(pinned, map[string]string{global.url + "#release": globalHead, app.url + "#main": appHead}))
		})
	}
}

// A control plane may live beside the configuration, and still point to repositories.
func TestAccControlPlane_directory(t *testing.T) {
	t.Parallel()
	app := servers["http"](t)
	app.commit(t, "main", map[string]string{"workload.yaml": workloadYAML("app")})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"small.yaml": clusterTypeYAML("small"), "policies/small.yml": policyYAML("small", "team", "small"),
		"registrations/app.yaml": registrationYAML("app", app.url, "main", "", "team"),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	local := func(dir string) string {
		return controlPlaneHCL(fmt.Sprintf("directory = %q\n  environment = \"dev\"", dir))
	}
	// Local files need nothing of the provider's configuration.
	expectDirectly(t, unknownProvider+local(filepath.Join(dir, "policies")), checkAssignments(),
		checkAttribute("manifests", knownvalue.ListSizeExact(1)), checkAttribute("read_release", knownvalue.Null()))
	expectDirectly(t, providerFor(app)+local(dir), checkAssignments("small/app-live:team"))
	planDirectly(t, unknownProvider+local(dir)).Fails(t, "configuration is not known yet (git[0].password)")
}

// Errors in a repository name repository, branch, file and line.
func TestControlPlane_problems(t *testing.T) {
	t.Parallel()
	platform, app, other := servers["http"](t), servers["http"](t), servers["http"](t)
	app.commit(t, "main", map[string]string{
		"bad/workload.yaml": "# Ours\n" + strings.Replace(workloadYAML("app"), "spec", "spek", 1), "worse/workload.yaml": "kind: [\n",
		"good/workload.yaml": workloadYAML("app"),
	})
	fleet := clusterTypeYAML("small") + "---\n" + policyYAML("all", "", "small") + "---\n" + policyYAML("others", "other-team", "small")
	branch := func(name string, objects ...string) string {
		platform.commit(t, name, map[string]string{"fleet.yaml": fleet, "more.yaml": strings.Join(objects, "---\n")})
		return providerFor(platform, app) + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = %q\n  environment = \"dev\"", platform.url, name))
	}
	vanished := branch("vanished", registrationYAML("good", app.url, "main", "good", "team"),
		registrationYAML("gone", app.url, "gone", "", "team"))
	expectMistakes(t, map[string]mistake{
		"vanished": {vanished,
			fmt.Sprintf(`WorkloadRegistration/gone: %[1]s#gone:. cannot be read: %[1]s has no branch "gone"`, app.url)},
		"base repository": {branch("base", baseRepoYAML("gone", app, "gone", "", "")),
			fmt.Sprintf(`BaseRepo/gone (%s#base:more.yaml, commit %s, line 1): %s#gone:. cannot be read: %[3]s has no branch "gone"`,
				platform.url, platform.repo.Head(t, "base")[:12], app.url)},
		"bad": {branch("bad", registrationYAML("bad", app.url, "main", "bad", "team")),
			fmt.Sprintf(`(%s#main:bad/workload.yaml, line 7): There is no field "spek"`, app.url)},
		"worse": {branch("worse", registrationYAML("worse", app.url, "main", "worse", "team")), app.url + "#main:worse/workload.yaml, line"},
		"own file": {branch("own", "kind: [\n"), fmt.Sprintf("%s#own:more.yaml, commit %s, "+
			"line", platform.url, platform.repo.Head(t, "own")[:12])},
		"credentials": {branch("credentials", baseRepoYAML("other", other, "main", ".", "")), "BaseRepo/other"},
		"no control":  {strings.ReplaceAll(vanished, `"vanished"`, `"missing"`), `has no branch "missing"`},
	})
}

func TestControlPlane_mistakes(t *testing.T) {
	t.Parallel()
	config := func(attributes string) string {
		return "data \"kalypso_control_plane\" \"dev\" {\n" + strings.ReplaceAll(attributes, "; ", "\n") + "\n}\n"
	}
	const repo, dev = `repo = "https://git.example/fleet"; `, `environment = "dev"`
	expectMistakes(t, map[string]mistake{
		"nothing":           {config(dev), "one (and only one) of [repo,directory,fleet_manifests] is required"},
		"two":               {config(repo + `branch = "dev"; directory = "."; ` + dev), "one (and only one) of [repo,directory,fleet_manifests]"},
		"no branch":         {config(repo + dev), `"branch" must be specified when "repo" is specified`},
		"no environment":    {config(repo + `branch = "dev"`), `"environment" is required`},
		"branch of nothing": {config(`directory = "."; branch = "dev"; ` + dev), `Attribute "repo" must be specified when "branch" is specified`},
		"path of nothing":   {config(`directory = "."; path = "x"; ` + dev), `Attribute "repo" must be specified when "path" is specified`},
		"path":              {config(repo + `branch = "dev"; path = "../x"; ` + dev), "path must be a path inside the repository"},
		"url":               {config(`repo = "https://me:secret@git.example/x"; branch = "dev"; ` + dev), "has a password"},
		"no directory":      {config(`directory = "./missing"; ` + dev), "the folder cannot be opened"},
	})
}

// Every repository is listed once and its files are fetched once in a run,
// however many data sources and registrations point to it.
func TestAccCLI_controlPlaneReadsOnce(t *testing.T) {
	t.Parallel()
	var lists, fetches atomic.Int32
	repo := gittest.NewBare(t)
	server := gittest.ServeHTTP(t, repo, gittest.WithHook(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		} else {
			lists.Add(1)
		}
		return false
	}))
	s := served{repo: repo, url: server.URL()}
	platform := served{repo: gittest.NewBare(t)}
	platform.url = gittest.ServeHTTP(t, platform.repo).URL()
	s.commit(t, "main", map[string]string{"a/w.yaml": workloadYAML("a"), "b/w.yaml": workloadYAML("b")})
	platform.commit(t, "dev", map[string]string{"a.yaml": registrationYAML("a", s.url, "main", "a", "t"),
		"b.yaml": registrationYAML("b", s.url, "main", "./b/", "t")})
	config := fmt.Sprintf(`
provider "kalypso" {}
data "kalypso_control_plane" "all" {
  for_each    = toset(["dev", "stage", "prod"])
  repo        = %q
  branch      = "dev"
  environment = each.key
}
`, platform.url)
	newWorkspace(t, config).mustRun(t, "plan")
	if lists.Load() != 1 || fetches.Load() != 2 {
		t.Errorf("listed %d times, fetched %d times; want 1, and 2: the folders, then the files", lists.Load(), fetches.Load())
	}
}

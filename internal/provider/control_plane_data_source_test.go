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
			head := platform.commit(t, "dev", map[string]string{
				"main.yaml": baseRepoYAML("main", platform, "main", ".", pinned), "global.yaml": baseRepoYAML("global", global, "release", "fleet", ""),
				"policies.yaml": policyYAML("apps", "app-team", "small") + "---\n" + policyYAML("own", "platform-team", "large"),
				"own.yaml":      registrationYAML("own", platform.url, "dev", "workloads", "platform-team"), "workloads/own.yaml": workloadYAML("own"),
			})
			provider := providerFor(platform, global, app)
			config := func(more string) string {
				return provider + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  %s", platform.url, more))
			}
			expectDirectly(t, config(""),
				checkAssignments("large/own-live:platform-team", "small/app-live:app-team"),
				checkAttribute("id", knownvalue.StringExact(platform.url+"#dev:.")),
				checkAttribute("commit", knownvalue.StringExact(head)),
				checkAttribute("promoted_commit", knownvalue.StringExact(pinned)),
				checkAttribute("manifests", knownvalue.ListSizeExact(11)), // with the note on sources without a fence
				checkAttribute("sources", knownvalue.MapExact(map[string]knownvalue.Check{
					global.url + "#release": knownvalue.StringExact(globalHead), app.url + "#main": knownvalue.StringExact(appHead),
				})))
			expectDirectly(t, config(`follow = ["base_repos"]`), checkAssignments())
			expectDirectly(t, config(`follow = []`), checkAssignments(), checkAttribute("promoted_commit", knownvalue.StringExact(pinned)),
				checkAttribute("manifests", knownvalue.ListSizeExact(6)))
			platform.commit(t, "dev", map[string]string{"policies.yaml": ""})
			expectDirectly(t, config("commit = \""+head[:8]+"\"\n  follow = [\"base_repos\"]\n  timeouts { read = \"1m\" }"),
				checkAttribute("commit", knownvalue.StringExact(head)), checkAttribute("manifests", knownvalue.ListSizeExact(10)))
			environment := kalypsoObject("Environment", "dev", "", fmt.Sprintf("{controlPlane: {repo: %q, branch: main}}", platform.url))
			expectDirectly(t, provider+controlPlaneHCL("environment_manifest = <<-EOT\n"+environment+"EOT"),
				checkAttribute("environment", knownvalue.StringExact("dev")), checkAttribute("promoted_commit", knownvalue.Null()))
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
	local := func(more string) string {
		return controlPlaneHCL(fmt.Sprintf("directory = %q\n  environment = \"dev\"\n  %s", dir, more))
	}
	// Local files need nothing of the provider's configuration.
	expectDirectly(t, unknownProvider+local("follow = []"), checkAssignments(), checkAttribute("manifests", knownvalue.ListSizeExact(3)),
		checkAttribute("commit", knownvalue.Null()))
	expectDirectly(t, providerFor(app)+local(""), checkAssignments("small/app-live:team"), checkAttribute("id", knownvalue.StringExact(dir)))
	planDirectly(t, unknownProvider+local(`on_unreachable = "keep"`)).fails(t, "configuration is not known yet (git[0].password)")
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
			fmt.Sprintf(`WorkloadRegistration/gone (%s#vanished:more.yaml, commit %s, line 8): %s#gone:. cannot be read: %s has no branch "gone"`,
				platform.url, platform.repo.Head(t, "vanished")[:12], app.url, app.url)},
		"own file": {branch("own", "kind: [\n"), fmt.Sprintf("%s#own:more.yaml, commit %s, "+
			"line", platform.url, platform.repo.Head(t, "own")[:12])},
		"cycle":       {branch("cycle", baseRepoYAML("me", platform, "cycle", ".", "")), "BaseRepo/me in"},
		"credentials": {branch("credentials", baseRepoYAML("other", other, "main", ".", "")), "BaseRepo/other"},
		"no control":  {strings.ReplaceAll(vanished, `"vanished"`, `"missing"`), `has no branch "missing"`},
		"unknown commit": {strings.ReplaceAll(vanished, `"vanished"`, `"vanished"`+"\n commit = \"1234567812345678123456781234567812345678\""),
			"1234567812345678123456781234567812345678"},
	})
	broken := expectDirectly(t, branch("file", registrationYAML("bad", app.url, "main", "bad", "team"),
		registrationYAML("worse", app.url, "main", "worse", "team")))
	broken.warns(t, fmt.Sprintf(`(%s#main:bad/workload.yaml, line 7): There is no field "spek"`, app.url))
	broken.warns(t, app.url+"#main:worse/workload.yaml, line")
	ofTeam := strings.Replace(branch("file", registrationYAML("bad", app.url, "main", "bad", "team")), "manifests   =",
		"fail_on = [\"FILE_BROKEN\"]\n  manifests   =", 1)
	planDirectly(t, ofTeam).fails(t, "FILE_BROKEN File/"+app.url+"#main:bad/workload.yaml")
	expectDirectly(t, strings.Replace(vanished, "environment =", "on_unreachable = \"keep\"\n  environment =", 1),
		checkAssignments("small/app-live:team"))
}

func TestControlPlane_mistakes(t *testing.T) {
	t.Parallel()
	config := func(attributes string) string {
		return "data \"kalypso_control_plane\" \"dev\" {\n" + strings.ReplaceAll(attributes, "; ", "\n") + "\n}\n"
	}
	const repo, dev = `repo = "https://git.example/fleet"; `, `environment = "dev"`
	environment := kalypsoObject("Environment", "stage", "", "{controlPlane: {repo: 'https://git.example/fleet', branch: stage}}")
	expectMistakes(t, map[string]mistake{
		"nothing": {config(dev), "Exactly one of these attributes must be configured: " +
			"[repo,directory,environment_manifest,fleet_manifests]"},
		"two":               {config(repo + `branch = "dev"; directory = "."; ` + dev), "Exactly one of these attributes"},
		"no branch":         {config(repo + dev), "Set branch, or commit"},
		"no environment":    {config(repo + `branch = "dev"`), "Set environment"},
		"branch of nothing": {config(`directory = "."; branch = "dev"; ` + dev), `Attribute "repo" must be specified when "branch" is specified`},
		"path of nothing":   {config(`directory = "."; path = "x"; ` + dev), `Attribute "repo" must be specified when "path" is specified`},
		"commit":            {config(repo + `commit = "HEAD"; ` + dev), "commit must be a git commit id"},
		"path":              {config(repo + `branch = "dev"; path = "../x"; ` + dev), "path must be a path inside the repository"},
		"url":               {config(`repo = "https://me:secret@git.example/x"; branch = "dev"; ` + dev), "has a password"},
		"follow":            {config(`directory = "."; follow = ["repos"]; ` + dev), "repos"},
		"on_unreachable":    {config(`directory = "."; on_unreachable = "warn"; ` + dev), "warn"},
		"no directory":      {config(`directory = "./missing"; ` + dev), "the folder cannot be opened"},
		"other environment": {config("environment_manifest = <<-EOT\n" + environment + "EOT\n" + dev),
			`environment is "dev", but environment_manifest contains Environment/stage`},
		"no object": {config(`environment_manifest = "{}"`), "has no kind"},
		"two objects": {config("environment_manifest = <<-EOT\n" + environment + "---\n" + environment + "EOT\n"),
			"environment_manifest has 2 objects of the kind Environment"},
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

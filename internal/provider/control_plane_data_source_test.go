// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
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
		"policies/dev.yml":       kalypsoObject("Environment", "dev", "", "{controlPlane: {repo: fleet, branch: dev}}"),
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
		checkAttribute("manifests", knownvalue.ListSizeExact(2)), checkAttribute("read_release", knownvalue.Null()))
	expectDirectly(t, providerFor(app)+local(dir), checkAssignments("small/app-live:team"))
	planDirectly(t, unknownProvider+local(dir)).Fails(t, "configuration is not known yet (git[0].password)")
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

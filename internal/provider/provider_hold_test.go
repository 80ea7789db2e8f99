// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The provider's hold is for incidents. The test breaks each input in turn: the plan fails.
// With hold, the plan succeeds, and its apply writes nothing. After the fix of the input,
// the hold has left no trace.
func TestAccCLI_holdAll(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, r.provider+fmt.Sprintf(`
variable "repo" {
  default = %[1]q
}

variable "release" {
  type    = object({ commit = string, sources = map(string) })
  default = null
}

data "kalypso_control_plane" "dev" {
  environment = "dev"
  directory   = "${abspath(path.module)}/fleet"
  release     = var.release
}

data "kalypso_assignments" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  fail_on     = ["CLUSTER_TYPE_IDLE"]
}

data "kalypso_promotion" "dev" {
  environment = "dev"
  target {
    repo   = %[1]q
    branch = "dev"
  }
  after {
    environment = "test"
    repo        = var.repo
    branch      = "test"
    checks_required = false
  }
}

data "kalypso_deployments" "all" {
  branch {
    environment = "dev"
    repo        = var.repo
    branch      = "dev"
  }
}

resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %[1]q
  branch      = "dev"
}
`, r.url))
	fleet := map[string]string{
		"templates.yaml": templatesYAML,
		"fleet.yaml": kalypsoObject("Workload", "web", "workspace: team", "{deploymentTargets: [{name: live, environment: dev}]}") + "---\n" +
			policyYAML("all", "team", "edge") + "---\n" + clusterTypeYAML("edge"),
	}
	restore := func() {
		for name, text := range fleet {
			w.write(t, "fleet/"+name, text)
		}
	}
	restore()
	for _, branch := range []string{"dev", "test"} {
		r.repo.CommitFiles(t, branch, map[string][]byte{"README.md": []byte("nothing yet")}, "Begin")
	}
	w.mustRun(t, applying...)
	written := r.repo.Head(t, "dev")

	held := w
	held.providers = inEnvironment(map[string]string{envHold: "1", envURLPrefix: localRepositories})
	repository := r.onDisk().Path()
	breakings := []struct {
		name  string
		vars  []string
		does  func()
		error string
	}{
		{"no YAML", nil, func() { w.write(t, "fleet/fleet.yaml", "kind: [") }, "fleet.yaml"},
		{"no folder", nil, func() {
			if err := os.RemoveAll(filepath.Join(w.dir, "fleet")); err != nil {
				t.Fatal(err)
			}
		}, "fleet"},
		{"a template that is missing", nil, func() { w.write(t, "fleet/templates.yaml", "") }, "reconciler"},
		{"an idle cluster type", nil, func() { w.write(t, "fleet/more.yaml", clusterTypeYAML("spare")) }, "CLUSTER_TYPE_IDLE"},
		{"a repository that is gone", []string{"-var=repo=file:///does/not/exist"}, func() {}, "does/not/exist"},
		{"the GitOps repository is gone", nil, func() {
			if err := os.Rename(repository, repository+".gone"); err != nil {
				t.Fatal(err)
			}
		}, "The GitOps repository cannot be read"},
		{"nothing is verified", []string{"-var=release={commit=null,sources={}}"}, func() {}, "Nothing is verified yet"},
	}
	for _, b := range breakings {
		b.does()
		with := func(command []string) []string { return slices.Concat(command, b.vars) }
		w.fails(t, with(planning), b.error)
		held.succeeds(t, with(applying), "The environment is on hold")
		_ = os.Rename(repository+".gone", repository) // where it is gone
		if r.repo.Head(t, "dev") != written {
			t.Fatalf("%s: it was written on hold", b.name)
		}
		if err := os.RemoveAll(filepath.Join(w.dir, "fleet")); err != nil {
			t.Fatal(err)
		}
		restore()
		w.mustRun(t, applying...)
		w.settled(t)
		if r.repo.Head(t, "dev") != written {
			t.Fatalf("%s: it was written after the hold", b.name)
		}
	}

	// A plan counts for the hold that it was made with. Terraform plans again before it
	// applies, and refuses what has become another plan.
	w.write(t, "fleet/fleet.yaml", strings.Replace(fleet["fleet.yaml"], "name: live", "name: beta", 1))
	held.fails(t, destroying, "while hold of the provider (KALYPSO_HOLD) is set")
	w.mustRun(t, "plan", "-destroy", "-out=destroys")
	held.fails(t, []string{"apply", "destroys"}, "while hold of the provider (KALYPSO_HOLD) is set")
	w.mustRun(t, "plan", "-out=writes")
	held.fails(t, []string{"apply", "writes"}, "inconsistent final plan")
	held.mustRun(t, "plan", "-out=held")
	w.fails(t, []string{"apply", "held"}, "inconsistent final plan")
	if r.repo.Head(t, "dev") != written {
		t.Error("a plan was applied that was made with another hold")
	}
	w.succeeds(t, applying, "+1 ~0 -1 packages")
	w.settled(t)
}

// The brake is on where the block or the environment says so.
func TestHolds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		configured types.Bool
		variable   string
		want, fail bool
	}{
		"nothing":                {types.BoolNull(), "", false, false},
		"1":                      {types.BoolNull(), "1", true, false},
		"true":                   {types.BoolNull(), "true", true, false},
		"0":                      {types.BoolNull(), "0", false, false},
		"neither":                {types.BoolNull(), "yes", false, true},
		"the block":              {types.BoolValue(true), "", true, false},
		"the block says no":      {types.BoolValue(false), "1", true, false},
		"the block, not known":   {types.BoolUnknown(), "", true, false},
		"the block with another": {types.BoolValue(true), "0", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			got := holds(test.configured, func(string) string { return test.variable }, &diags)
			if got != test.want || diags.HasError() != test.fail {
				t.Errorf("got %v, %v", got, diags)
			}
		})
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/branches"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/process"
)

// BenchmarkPlan measures whole processes of the CLI on fleets whose templates write flow
// mappings: the first plan, the apply of all packages, the plan of one value of one
// cluster type that changes, and the plan of no change. Beside them, the same with one
// assignment, a provider that only keeps a map of this length, and what Terraform takes for nothing at all.
func BenchmarkPlan(b *testing.B) {
	nothing := newBuiltWorkspace(b, "")
	b.Run("nothing", func(b *testing.B) { measure(b, nothing, nil, "plan") })
	bare, err := buildProvider("/internal/testkit/bareprovider")
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{1, 10_000} {
		w := newWorkspaceWith(b, bare, fmt.Sprintf("resource \"kalypso_map\" \"this\" {\n  length = %d\n}\n", size))
		w.mustRun(b, "apply", "-auto-approve")
		b.Run(fmt.Sprintf("bare/length=%d", size), func(b *testing.B) { measure(b, w, nil, "plan") })
	}
	for _, size := range []int{1, 10_000, 100_000} {
		for _, detail := range []string{"package", "cluster_type"} {
			b.Run(fmt.Sprintf("assignments=%d/detail=%s", size, detail), func(b *testing.B) { benchmarkSize(b, size, detail) })
		}
	}
}

// BenchmarkPlanDeployments measures whole processes of the CLI that report three
// environments of 2,000 packages each, which differ in a value.
func BenchmarkPlanDeployments(b *testing.B) {
	repo := gittest.NewBare(b)
	server := gittest.ServeHTTP(b, repo)
	names := []string{"dev", "stage", "prod"}
	for _, name := range names {
		files := map[string][]byte{}
		for i := range 2000 {
			folder := fmt.Sprintf("type-%d/app-%d/", i%100, i)
			files[fmt.Sprintf("type-%d/README.md", i%100)] = []byte(kalypsoReadme)
			files[folder+"namespace.yaml"] = fmt.Appendf(nil, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s-%d, labels: {workload: app-%d, "+
				"workspace: team}}\n", name, i, i/10)
			files[folder+"reconciler.yaml"] = fmt.Appendf(nil, "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: "+
				"app-%d}\nspec: {url: 'https://git.example/app-%d', ref: {branch: main}}\n", i, i/10)
			files[folder+"platform-config.yaml"] = fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata: "+
				"{ENVIRONMENT: %s, REGION: west, LEVEL: info, TYPE: type-%d}\n", name, i%100)
		}
		repo.Commit(b, gittest.Revision{Branch: name, Files: files})
	}
	w := newBuiltWorkspace(b, "provider \"kalypso\" {}\n"+deploymentsHCL(branchesOf(server.URL(), names...)))
	measure(b, w, nil, "plan")
}

// BenchmarkApplyDeployments measures whole processes of the CLI that apply the example
// fleet-page to five environments of 700 packages each, with how large the state gets.
func BenchmarkApplyDeployments(b *testing.B) {
	repo := gittest.NewBare(b)
	branches.Write(b, repo, 700)
	w := newBuiltWorkspace(b, readFile(b, "../../examples/fleet-page/main.tf"))
	w.write(b, "versions.tf", "") // the example has its own
	w.env = []string{"TF_VAR_gitops_repo=" + repo.FileURL(), `TF_VAR_environments=["` + strings.Join(branches.Names, `","`) + `"]`}
	measure(b, w, nil, "apply", "-auto-approve")
	b.ReportMetric(float64(len(readFile(b, filepath.Join(w.dir, "terraform.tfstate")))), "B-state")
}

// writing is a workspace that writes a fleet to a repository.
func writing(b *testing.B, url, detail string, assignments int) workspace {
	w := newBuiltWorkspace(b, commitOf(url, detail, assignments))
	for i, text := range fleetgen.LargeOf(shapeOfPlans(b), assignments) {
		w.write(b, fmt.Sprintf("fleet/%05d.yaml", i), text)
	}
	w.write(b, "fleet/one.yaml", oneValue("a"))
	return w
}

func benchmarkSize(b *testing.B, assignments int, detail string) {
	repo := gittest.NewBare(b)
	w := writing(b, repo.FileURL(), detail, assignments)
	b.Run("first", func(b *testing.B) { measure(b, w, nil, "plan") })
	b.Run("apply", func(b *testing.B) {
		measure(b, w, func() { w.startAgain(b, repo) }, "apply", "-auto-approve")
	})
	w.startAgain(b, repo)
	w.mustRun(b, "apply", "-auto-approve")
	b.Run("none", func(b *testing.B) { measure(b, w, nil, "plan") })
	w.write(b, "fleet/one.yaml", oneValue("b"))
	b.Run("changed", func(b *testing.B) { measure(b, w, nil, "plan") })
	b.Run("none-http", func(b *testing.B) {
		w := writing(b, gittest.ServeHTTP(b, gittest.NewBare(b)).URL(), detail, assignments)
		w.mustRun(b, "apply", "-auto-approve")
		measure(b, w, nil, "plan")
	})
}

// shapeOfPlans is the shape of the templates, as many people write them.
func shapeOfPlans(b *testing.B) fleetgen.Shape {
	for _, shape := range fleetgen.Shapes {
		if shape.Name == "flow" {
			return shape
		}
	}
	b.Fatal("there is no shape flow")
	return fleetgen.Shape{}
}

// commitOf is a configuration that writes the fleet in the workspace's folder; one
// assignment is placed by hand, since a generated fleet has at least a hundred.
func commitOf(repo, detail string, assignments int) string {
	byHand := ""
	if assignments == 1 {
		byHand = `assignments = { "region0-type0/app-0-t0" = [] }`
	}
	return fmt.Sprintf(`
provider "kalypso" {}

resource "kalypso_gitops_commit" "this" {
  environment = %q
  manifests   = [for f in fileset(path.module, "fleet/*.yaml") : file("${path.module}/${f}")]
  repo        = %q
  branch      = "main"
  detail      = %q
  %s
  timeouts {
    create = "1h"
    read   = "1h"
  }
}
`, fleetgen.Environment, repo, detail, byHand)
}

// oneValue is a ConfigMap of one of the cluster types.
func oneValue(value string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata:
  name: one
  labels: {platform-config: "true", region: r0, size: "0"}
data: {ONE: %s}
`, value)
}

// startAgain makes that nothing was ever applied.
func (w workspace) startAgain(b *testing.B, repo *gittest.Repo) {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, "terraform.tfstate")); err != nil {
		b.Fatal(err)
	}
	for ref := range strings.FieldsSeq(repo.Git(b, "for-each-ref", "--format=%(refname)")) {
		repo.Git(b, "update-ref", "-d", ref)
	}
}

// measure runs the CLI again and again, each time after what comes before, and reports the time, and the processor time and the most
// memory that it or the provider took.
func measure(b *testing.B, w workspace, before func(), args ...string) {
	var peak int64
	var used time.Duration
	for b.Loop() {
		if before != nil {
			b.StopTimer()
			before()
			b.StartTimer()
		}
		ended := w.mustRun(b, args...)
		peak, used = max(peak, process.PeakMemory(ended)), used+ended.UserTime()+ended.SystemTime()
	}
	b.ReportMetric(used.Seconds()/float64(b.N), "cpu-sec/op")
	b.ReportMetric(float64(peak)/1e3, "peak-MB")
}

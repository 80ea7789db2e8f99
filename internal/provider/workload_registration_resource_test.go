// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func workloadRegistrationLifecycle() lifecycle {
	registration := func(workspace string) *manifest.WorkloadRegistration {
		return &manifest.WorkloadRegistration{
			Meta:      manifest.Meta{Kind: manifest.KindWorkloadRegistration, Name: "hello-world-app"},
			Workload:  manifest.RepoRef{Repo: "https://github.com/microsoft/kalypso-app-src", Branch: "main", Path: "workload/"},
			Workspace: workspace,
		}
	}
	config := func(workspace string) string {
		return `resource "kalypso_workload_registration" "test" {
  name      = "hello-world-app"
  workspace = "` + workspace + `"
  workload {
    repo   = "https://github.com/microsoft/kalypso-app-src"
    branch = "main"
    path   = "workload/"
  }
}`
	}
	return lifecycle{
		address: "kalypso_workload_registration.test",
		create:  config("kaizen-app-team"),
		created: registration("kaizen-app-team"),
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: WorkloadRegistration
metadata:
  name: hello-world-app
spec:
  workload:
    repo: https://github.com/microsoft/kalypso-app-src
    branch: main
    path: workload/
  workspace: kaizen-app-team
`,
		update:  config("other-team"),
		updated: registration("other-team"),
	}
}

func TestWorkloadRegistration_mistakes(t *testing.T) {
	t.Parallel()
	registration := func(workspace string, workload ...string) string {
		return `resource "kalypso_workload_registration" "test" {
  name      = "hello-world-app"
  workspace = "` + workspace + `"
  ` + block("workload", workload...) + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"workspace": {registration("a team", `repo = "https://example.com/x"`, `branch = "main"`), "workspace must be a Kubernetes label value"},
		"no repo":   {registration("team", `branch = "main"`), `The argument "repo" is required`},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func workloadLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_workload.test",
		create: `resource "kalypso_workload" "test" {
  name      = "hello-world-app"
  workspace = "kaizen-app-team"
  labels    = { type = "application" }
  deployment_targets = {
    performance-test = {
      environment = "dev"
    }
    functional-test = {
      environment    = "dev"
      labels         = { purpose = "functional-test", edge = "true" }
      manifests      = { repo = "https://github.com/microsoft/kalypso-app-gitops", branch = "dev", path = "./functional-test" }
      config_schemas = [jsonencode({ required = ["REGION"] })]
    }
  }
  config_schemas = [jsonencode({ type = "object" })]
}`,
		created: &manifest.Workload{
			Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "hello-world-app",
				Labels: map[string]string{"type": "application", "workspace": "kaizen-app-team"}},
			DeploymentTargets: []manifest.DeploymentTarget{
				{
					Name: "functional-test", Environment: "dev",
					Labels: map[string]string{"purpose": "functional-test", "edge": "true"},
					Manifests: map[string]string{
						"repo": "https://github.com/microsoft/kalypso-app-gitops", "branch": "dev", "path": "./functional-test"},
					ConfigSchemas: []string{`{"required":["REGION"]}`},
				},
				{Name: "performance-test", Environment: "dev"},
			},
			ConfigSchemas: []string{`{"type":"object"}`},
		},
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata:
  name: hello-world-app
  labels:
    type: application
    workspace: kaizen-app-team
spec:
  deploymentTargets:
    - name: performance-test
      environment: dev
    - name: functional-test
      labels:
        purpose: functional-test
        edge: "true"
      environment: dev
      manifests:
        repo: https://github.com/microsoft/kalypso-app-gitops
        branch: dev
        path: ./functional-test
      configSchemas:
        - '{"required":["REGION"]}'
  configSchemas:
    - '{"type":"object"}'
`,
		update: `resource "kalypso_workload" "test" {
  name = "hello-world-app"
  deployment_targets = {
    functional-test = { environment = "stage" }
  }
}`,
		updated: &manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "hello-world-app"},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "functional-test", Environment: "stage"}},
		},
	}
}

func TestWorkload_mistakes(t *testing.T) {
	t.Parallel()
	workload := func(attributes string) string {
		return `resource "kalypso_workload" "test" {
  name = "web"
  ` + attributes + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"no environment": {workload(`deployment_targets = { live = { env = "dev" } }`), `deployment_targets["live"].environment has to be set`},
		"target name":    {workload(`deployment_targets = { "a.b" = { environment = "dev" } }`), `deployment_targets["a.b"] must be a DNS label`},
		"one name twice": {workload(`deployment_targets = {
    live  = { environment = "dev" }
    other = { name = "live", environment = "dev" }
  }`), `deployment_targets["live"] and deployment_targets["other"] are both called "live" in the environment "dev"`},
		"name in the value": {workload(`deployment_targets = { live = { name = "a.b", environment = "dev" } }`), `deployment_targets["live"].name must be a DNS label`},
		"target is null":    {workload(`deployment_targets = { live = null }`), "Null"},
		"target label":      {workload(`deployment_targets = { live = { environment = "dev", labels = { a = "-" } } }`), `deployment_targets["live"].labels["a"] must be a Kubernetes label value`},
		"target workload":   {workload(`deployment_targets = { live = { environment = "dev", labels = { workload = "x" } } }`), "Every target has this label already"},
		"workspace label":   {workload(`labels = { workspace = "team" }`), `write workspace = "..." instead`},
		"empty workspace":   {workload(`workspace = ""`), "it is empty"},
		"schema":            {workload(`config_schemas = ["{"]`), "config_schemas[0] must be a valid JSON Schema"},
	})
}

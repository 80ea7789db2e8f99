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
  name           = "hello-world-app"
  workspace      = "kaizen-app-team"
  labels         = { type = "application" }
  config_schemas = [jsonencode({ type = "object" })]
  deployment_target {
    name        = "performance-test"
    environment = "dev"
  }
  deployment_target {
    name           = "functional-test"
    environment    = "dev"
    labels         = { purpose = "functional-test", edge = "true" }
    manifests      = { repo = "https://github.com/microsoft/kalypso-app-gitops", branch = "dev", path = "./functional-test" }
    config_schemas = [jsonencode({ required = ["REGION"] })]
  }
}`,
		created: &manifest.Workload{
			Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "hello-world-app",
				Labels: map[string]string{"type": "application", "workspace": "kaizen-app-team"}},
			DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "performance-test", Environment: "dev"},
				{
					Name: "functional-test", Environment: "dev",
					Labels: map[string]string{"purpose": "functional-test", "edge": "true"},
					Manifests: map[string]string{
						"repo": "https://github.com/microsoft/kalypso-app-gitops", "branch": "dev", "path": "./functional-test"},
					ConfigSchemas: []string{`{"required":["REGION"]}`},
				},
			},
			ConfigSchemas: []string{`{"type":"object"}`},
		},
		update: `resource "kalypso_workload" "test" {
  name = "hello-world-app"
  deployment_target {
    name        = "functional-test"
    environment = "stage"
  }
  deployment_target {
    name = "everywhere"
  }
}`,
		updated: &manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "hello-world-app"},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "functional-test", Environment: "stage"}, {Name: "everywhere"}},
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
	target := func(name string, more ...string) string {
		return block("deployment_target", append(more, `name = "`+name+`"`, `environment = "dev"`)...) + "\n"
	}
	const name, environment = `name = "live"`, `environment = "dev"`
	expectMistakes(t, map[string]mistake{
		"no name": {workload(block("deployment_target", environment)), `The argument "name" is required`},
		"misspelled": {workload(block("deployment_target", name, environment, `label = {}`)),
			`An argument named "label" is not expected here`},
		"target name":          {workload(target("a.b")), `deployment_target[0].name must be a DNS label`},
		"environment is empty": {workload(block("deployment_target", name, `environment = ""`)), "deployment_target[0].environment"},
		"target label": {workload(target("live", `labels = { a = "-" }`)),
			`deployment_target[0].labels["a"] must be a label's value`},
		"target workload": {workload(target("live", `labels = { workload = "x" }`)), "every target has this label already"},
		"workspace label": {workload(`labels = { workspace = "team" }`), `Write workspace = "..." instead`},
		"empty workspace": {workload(`workspace = ""`), "the text is empty"},
		"schema":          {workload(`config_schemas = ["{"]`), "config_schemas[0] must be a valid JSON Schema"},
	})
}

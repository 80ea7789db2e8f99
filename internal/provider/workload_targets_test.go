// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// checkouts is a workload as real ones are: one target name in two environments.
const checkouts = `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: { name: shop }
spec:
  deploymentTargets:
    - { name: checkout, environment: stage, labels: { tier: stage } }
    - { name: checkout, environment: dev, labels: { tier: dev } }
    - { name: reporting, environment: dev }
`

func workloadOfTwoEnvironmentsLifecycle() lifecycle {
	targets := []manifest.DeploymentTarget{
		{Name: "checkout", Environment: "stage", Labels: map[string]string{"tier": "stage"}},
		{Name: "checkout", Environment: "dev", Labels: map[string]string{"tier": "dev"}},
		{Name: "reporting", Environment: "dev"},
	}
	return lifecycle{
		address:  "kalypso_workload.test",
		imported: checkouts,
		create: `resource "kalypso_workload" "test" {
  name = "shop"
  deployment_target {
    name        = "checkout"
    environment = "stage"
    labels      = { tier = "stage" }
  }
  deployment_target {
    name        = "checkout"
    environment = "dev"
    labels      = { tier = "dev" }
  }
  deployment_target {
    name        = "reporting"
    environment = "dev"
  }
}`,
		created: &manifest.Workload{Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"}, DeploymentTargets: targets},
		update: `resource "kalypso_workload" "test" {
  name = "shop"
  dynamic "deployment_target" {
    for_each = { stage = "checkout", dev = "reporting" }
    content {
      name        = deployment_target.value
      environment = deployment_target.key
    }
  }
}`,
		updated: &manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "reporting", Environment: "dev"}, {Name: "checkout", Environment: "stage"}},
		},
	}
}

func TestOneTargetPerName(t *testing.T) {
	t.Parallel()
	type target struct{ name, environment types.String }
	null, unknown, str := types.StringNull(), types.StringUnknown(), types.StringValue
	for name, test := range map[string]struct {
		targets []target
		errors  int
	}{
		"two environments":     {[]target{{str("a"), str("dev")}, {str("a"), str("stage")}}, 0},
		"one environment":      {[]target{{str("a"), str("dev")}, {str("a"), str("dev")}}, 1},
		"one for all":          {[]target{{str("a"), str("dev")}, {str("a"), null}}, 0}, // the fleet of dev reports it
		"three":                {[]target{{str("a"), str("dev")}, {str("a"), str("dev")}, {str("a"), str("dev")}}, 2},
		"unknown names":        {[]target{{unknown, str("dev")}, {unknown, str("dev")}}, 0},
		"unknown environments": {[]target{{str("a"), unknown}, {str("a"), unknown}}, 0},
		"no environments":      {[]target{{str("a"), null}, {str("a"), null}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := map[string]attr.Type{"name": types.StringType, "environment": types.StringType}
			targets := []attr.Value{types.ObjectUnknown(of), types.ObjectUnknown(of)}
			for _, each := range test.targets {
				targets = append(targets, types.ObjectValueMust(of, map[string]attr.Value{"name": each.name, "environment": each.environment}))
			}
			var resp validator.ListResponse
			oneTargetPerName{}.ValidateList(t.Context(), validator.ListRequest{
				Path: path.Root("deployment_target"), ConfigValue: types.ListValueMust(types.ObjectType{AttrTypes: of}, targets),
			}, &resp)
			if got := resp.Diagnostics.ErrorsCount(); got != test.errors {
				t.Errorf("want %d errors, got %v", test.errors, resp.Diagnostics)
			}
		})
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"

// Real workloads have one target name in two environments.
func workloadOfTwoEnvironmentsLifecycle() lifecycle {
	targets := []manifest.DeploymentTarget{
		{Name: "checkout", Environment: "stage", Labels: map[string]string{"tier": "stage"}},
		{Name: "checkout", Environment: "dev", Labels: map[string]string{"tier": "dev"}},
		{Name: "reporting", Environment: "dev"},
	}
	return lifecycle{
		address: "kalypso_workload.test",
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

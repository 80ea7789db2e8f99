// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// followedFleet is a fleet in HCL whose workload and cluster type are in repositories.
// Their environment is dev.
func followedFleet(app, platform served, pinned string) string {
	return fixtureTemplates + fmt.Sprintf(`
resource "kalypso_scheduling_policy" "apps" {
  name = "apps"
  deployment_target_selector {
    workspace = "app-team"
    match_all = true
  }
  cluster_type_selector {
    match_all = true
  }
}

locals {
  fleet = [
    kalypso_template.reconciler.manifest, kalypso_template.namespace.manifest, kalypso_template.config.manifest,
    kalypso_scheduling_policy.apps.manifest,
    <<-EOT
%sEOT
    ,
    <<-EOT
%sEOT
  ]
}
`, registrationYAML("app", app.url, "main", "./workload", "app-team"), baseRepoYAML("shared", platform, "main", ".", pinned))
}

// The sources that a fleet in HCL points to are read as from a control plane, at the
// commit that a BaseRepo names, and once.
func TestAccControlPlane_fleet(t *testing.T) {
	t.Parallel()
	app, platform, result := servers["http"](t), servers["http"](t), transports["file"](t)
	appHead := app.commit(t, "main", map[string]string{"workload/workload.yaml": workloadYAML("app")})
	pinned := platform.commit(t, "main", map[string]string{"small.yaml": clusterTypeYAML("small")})
	platform.commit(t, "main", map[string]string{"later.yaml": clusterTypeYAML("later")})
	fleet := providerFor(app, platform) + followedFleet(app, platform, pinned)
	config := func(attributes string) string {
		return fleet + controlPlaneHCL(attributes) + fmt.Sprintf(`
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %q
  branch      = "dev"
  path        = "."
}
`, result.url)
	}
	inSteps(t,
		resource.TestStep{
			Config: config("environment = \"dev\"\n  fleet_manifests = local.fleet"),
			ConfigStateChecks: checks(
				checkAssignments("small/app-live:app-team"),
				checkAttribute("id", knownvalue.StringExact("dev")),
				checkAttribute("commit", knownvalue.Null()),
				checkAttribute("manifests", knownvalue.ListSizeExact(8)),
				checkAttribute("release", knownvalue.Null()),
				statecheck.ExpectKnownValue("kalypso_gitops_commit.dev", tfjsonpath.New("summary"),
					knownvalue.StringExact("+1 ~0 -0 packages in 1 cluster type")),
			),
		},
		resource.TestStep{ // a fleet in HCL names its release itself
			Config:            config("environment = \"dev\"\n  fleet_manifests = local.fleet\n  release = { commit = \"v1.4.0\", sources = {} }"),
			ConfigStateChecks: checks(expectReadAt("v1.4.0", map[string]string{app.url + "#main": appHead})),
		},
	)
}

// While something is pending before it, nothing is planned of what it reads.
func TestAccControlPlane_fleetLater(t *testing.T) {
	t.Parallel()
	app, platform, result := servers["http"](t), servers["http"](t), transports["file"](t)
	app.commit(t, "main", map[string]string{"workload/workload.yaml": workloadYAML("app")})
	pinned := platform.commit(t, "main", map[string]string{"small.yaml": clusterTypeYAML("small")})
	config := func(pending string) string {
		return providerFor(app, platform) + followedFleet(app, platform, pinned) + fmt.Sprintf(`
resource "terraform_data" "before" {
  input = %q
}
`, pending) + controlPlaneHCL("environment = \"dev\"\n  fleet_manifests = local.fleet\n  depends_on = [terraform_data.before]") +
			fmt.Sprintf(`
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %q
  branch      = "prod"
  path        = "."
}
`, result.url)
	}
	packages := func(want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("kalypso_gitops_commit.dev", tfjsonpath.New("packages"), want)
	}
	inSteps(t,
		resource.TestStep{
			Config:            config("a"),
			ConfigStateChecks: checks(packages(knownvalue.MapPartial(map[string]knownvalue.Check{"small/app-live": knownvalue.NotNull()}))),
		},
		resource.TestStep{
			Config: config("b"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue("kalypso_gitops_commit.dev", tfjsonpath.New("packages")),
			}},
			ConfigStateChecks: checks(packages(knownvalue.MapPartial(map[string]knownvalue.Check{"small/app-live": knownvalue.NotNull()}))),
			Check:             expectCommits(t, result, 1),
		},
	)
}

// The plan reports sources that nothing follows. It does not blame a policy.
func TestControlPlane_notFollowed(t *testing.T) {
	t.Parallel()
	app, platform := servers["http"](t), servers["http"](t)
	r := transports["file"](t)
	d := expectDirectly(t, providerFor(app)+followedFleet(app, platform, "1111111111111111111111111111111111111111")+plainCommit("dev", "dev", "dev",
		"path = \".\"\n  limits {\n    allow_empty = true\n  }")+
		fmt.Sprintf("locals {\n  repo = %q\n}\n", r.url))
	for _, want := range []string{
		"BASE_REPO_NOT_FOLLOWED BaseRepo/shared: No object in the manifests comes from the repository that it names.",
		"ENVIRONMENT_EMPTY Environment/dev: No deployment target names dev: the manifests hold no deployment target.",
		"REGISTRATION_NOT_FOLLOWED WorkloadRegistration/app: No workload in the manifests comes from the repository that it names. " +
			"Pass the manifests through data.kalypso_control_plane { fleet_manifests = ... }, which reads what they point to.",
	} {
		d.warns(t, want)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// The decision group of a placement is there for waves.
func TestAssignmentsFunction_decisionGroup(t *testing.T) {
	t.Parallel()
	fleet := functionFleet + placed("all", "{decisionStrategy: {groupStrategy: {decisionGroups: [{groupName: canary, groupClusterSelector: "+
		"{labelSelector: {matchLabels: {tier: edge}}}}]}}}")
	testFunctionOn(t, fleet, `provider::kalypso::assignments(local.fleet, "prod")["edge/web-live"].decision_group`,
		knownvalue.ObjectExact(map[string]knownvalue.Check{
			"placement": exactly("all"), "name": exactly("canary"), "index": exactly("0"),
		}))
}

// TestAccAssignmentsFunction_directReference names managed resources that do
// not exist yet: their manifests are known at plan, and so is the result.
func TestAccAssignmentsFunction_directReference(t *testing.T) {
	t.Parallel()
	inSteps(t, []resource.TestStep{{
		Config: `
resource "kalypso_workload" "web" {
  name = "web"
  deployment_target {
    name        = "live"
    environment = "prod"
  }
}
resource "terraform_data" "later" {
  input = "prod"
}
locals { fleet = [kalypso_workload.web.manifest] }
output "known" { value = length(provider::kalypso::assignments(local.fleet, "prod")) }
output "unknown" { value = length(provider::kalypso::assignments(local.fleet, terraform_data.later.output)) }
`,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectKnownOutputValue("known", knownvalue.Int64Exact(0)),
			plancheck.ExpectUnknownOutputValue("unknown"),
		}},
	}}...)
}

func TestFunctions_mistakes(t *testing.T) {
	t.Parallel()
	const broken = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterTipe"
	expectMistakes(t, map[string]mistake{
		"assignments": {functionHCL(broken, `provider::kalypso::assignments(local.fleet, "prod")`),
			`Unknown kind: ClusterTipe (manifests[0], line 2): There is no kind "ClusterTipe". Did you mean "ClusterType"? Correct it.`},
		"explain": {functionHCL(broken, `provider::kalypso::explain(local.fleet, "prod", "a", "b")`), "Unknown kind: ClusterTipe " +
			"(manifests[0], line 2)"},
		"effective_config": {functionHCL(functionFleet, `provider::kalypso::effective_config(local.fleet, "prod", "web-life", "edge")`),
			"Unknown assignment: edge/web-life: There is no deployment target \"web-life\" in environment prod. Did you mean \"web-live\"?"},
		"render": {functionHCL(functionFleet+"---\n"+functionFleet, `provider::kalypso::render(local.fleet, "prod")`),
			"Duplicate object: ClusterType/edge"},
		"no manifests":   {functionHCL(functionFleet, `provider::kalypso::render([], "prod")`), "at least 1 elements"},
		"no environment": {functionHCL(functionFleet, `provider::kalypso::render(local.fleet, "")`), "string length must be at least 1"},
		"missing template": {functionHCL(functionFleet,
			`provider::kalypso::render([replace(local.fleet[0], "reconciler: reconciler", "reconciler: flux")], "prod")`),
			"Missing template: ClusterType/edge"},
		"unknown target": {functionHCL(functionFleet, `provider::kalypso::explain(local.fleet, "prod", "web-lve", "edge").placed`),
			`Unknown assignment: edge/web-lve: There is no deployment target "web-lve" in environment prod. Did you mean "web-live"? Correct it.`},
		"unknown cluster": {functionHCL(functionFleet, `provider::kalypso::explain(local.fleet, "prod", "web-live", "egde").placed`),
			"Unknown assignment: egde/web-live: There is no cluster type \"egde\". Did you mean \"edge\"?"},
		"several, all named": {functionHCL(functionFleet,
			`provider::kalypso::render([replace(replace(local.fleet[0], "reconciler: reconciler", "reconciler: flux"), "namespaceService: namespace", "namespaceService: ns")], "prod")`), `namespaceService refers to the template "ns"`},
	})
}

// A misspelled environment is an error everywhere: an empty answer would satisfy tests
// that say what must not be there.
func TestAccFunctions_unknownEnvironment(t *testing.T) {
	t.Parallel()
	mistakes := map[string]mistake{}
	for name, arguments := range map[string]string{"assignments": "", "render": "", "findings": "", "explain": `, "web-live", "edge"`,
		"effective_config": `, "web-live", "edge"`} {
		mistakes[name] = mistake{
			functionHCL(functionFleet, `provider::kalypso::`+name+`(local.fleet, "prdo"`+arguments+`)`),
			"Unknown environment: Environment/prdo: No deployment target and no Environment object names the environment \"prdo\". Did you mean " +
				"\"prod\"? The manifests name dev, prod.",
		}
	}
	expectMistakes(t, mistakes)
}

// An environment that an Environment object names may be empty.
func TestAccFunctions_emptyEnvironment(t *testing.T) {
	t.Parallel()
	const call = `{
  assignments = length(provider::kalypso::assignments(local.fleet, "next"))
  findings    = contains(provider::kalypso::findings(local.fleet, "next")[*].code, "ENVIRONMENT_EMPTY")
  placed      = provider::kalypso::explain(local.fleet, "next", "web-live", "edge").placed
}`
	next := "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Environment\nmetadata: {name: next}\nspec: {controlPlane: {repo: " +
		"\"https://git.example/next\", branch: main}}\n"
	testFunctionOn(t, functionFleet+next, call, knownvalue.ObjectExact(map[string]knownvalue.Check{
		"assignments": knownvalue.Int64Exact(0), "findings": knownvalue.Bool(true), "placed": knownvalue.Bool(false),
	}))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// assignmentsHCL reads functionFleet through the data source.
func assignmentsHCL(attributes string) string {
	return fmt.Sprintf("data \"kalypso_assignments\" \"this\" {\n  environment = \"prod\"\n  manifests = [<<-EOT\n%s\nEOT\n  ]\n%s\n}\n",
		functionFleet, attributes)
}

func TestAssignmentsDataSource(t *testing.T) {
	t.Parallel()
	code := func(code string) knownvalue.Check {
		return knownvalue.ObjectPartial(map[string]knownvalue.Check{"code": exactly(code)})
	}
	check := func(attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.kalypso_assignments.this", tfjsonpath.New(attribute), want)
	}
	expectDirectly(t, assignmentsHCL(""),
		check("assignments", knownvalue.MapExact(map[string]knownvalue.Check{
			"edge/web-live": knownvalue.ObjectExact(map[string]knownvalue.Check{
				"workload": exactly("web"), "workspace": exactly("web-team"), "deployment_target": exactly("web-live"),
				"cluster_type": exactly("edge"), "namespace": exactly("prod-edge-web-live"), "policies": exactList("web"),
				"decision_group": knownvalue.Null(),
			}),
		})),
		check("unassigned_deployment_targets", exactList("batch-nightly")),
		check("idle_scheduling_policies", exactList("batch")),
		check("idle_cluster_types", exactList()),
		check("findings", knownvalue.ListExact([]knownvalue.Check{code("POLICY_IDLE"), code("TARGET_UNASSIGNED"), code("CONFIG_UNUSED")})),
	)
	expectDirectly(t, assignmentsHCL(`  ignore_findings = ["POLICY_IDLE", "CONFIG_UNUSED:ConfigMap/gpu", "TARGET_UNASSIGNED:DeploymentTarget/other"]`),
		check("findings", knownvalue.ListExact([]knownvalue.Check{code("RULE_UNMATCHED"), code("TARGET_UNASSIGNED")})))
	expectDirectly(t, assignmentsHCL("  ignore_findings = [\"POLICY_IDLE\"]\n  fail_on = [\"POLICY_IDLE\", \"OBJECT_DUPLICATE\"]"))
}

func TestAssignmentsDataSource_mistakes(t *testing.T) {
	t.Parallel()
	expectMistakes(t, map[string]mistake{
		"failing": {assignmentsHCL(`  fail_on = ["TARGET_UNASSIGNED"]`),
			"- POLICY_IDLE SchedulingPolicy/batch: Scheduling policy batch selects"},
		"unknown code": {assignmentsHCL(`  ignore_findings = ["POLICY_IDEL"]`),
			"of a finding (the nearest is POLICY_IDLE"},
		"no subject": {assignmentsHCL(`  fail_on = ["POLICY_IDLE:"]`),
			`fail_on[Value("POLICY_IDLE:")] must be the code`},
	})
}

// A plan reports an environment that no object names, unless that is silenced.
func TestAssignmentsDataSource_nothing(t *testing.T) {
	t.Parallel()
	config := func(more string) string {
		return "provider \"kalypso\" {}\n" + plainFleet("blue", "large", "prod") + "data \"kalypso_assignments\" \"x\" {\n  environment = " +
			"\"prd\"\n  manifests   = local.fleet\n  " + more + "\n}\n"
	}
	expectDirectly(t, config("")).Warns(t, "Nothing is assigned: prd: - ENVIRONMENT_EMPTY Environment/prd: No deployment target names prd "+
		"(the nearest is prod)")
	if told := expectDirectly(t, config(`ignore_findings = ["ENVIRONMENT_EMPTY"]`)).Told(); told != "" {
		t.Errorf("want silence, got %s", told)
	}
}

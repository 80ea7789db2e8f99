// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// explainedFleet has a policy for every way to miss a cluster type.
var explainedFleet = functionFleet + `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: expressions}
spec:
  deploymentTargetSelector: {labelSelector: {matchExpressions: [{key: workload, operator: In, values: [batch]}]}}
  clusterTypeSelector: {labelSelector: {matchExpressions: [{key: tier, operator: NotIn, values: [edge]}], matchLabels: {zone: a}}}
`

// Every code of explain is stable: users' tests rely on it.
func TestExplainFunction_codes(t *testing.T) {
	t.Parallel()
	for code, pair := range map[string]string{
		"SELECTED":             `"web-live", "edge"`,
		"HOLDS":                `"web-live", "edge"`,
		"NEARLY_SELECTED":      `"batch-nightly", "edge"`,
		"NOT_SELECTED":         `"batch-nightly", "edge"`,
		"WORKSPACE_MISMATCH":   `"batch-nightly", "edge"`,
		"LABEL_VALUE_MISMATCH": `"batch-nightly", "edge"`,
		"LABEL_MISSING":        `"batch-nightly", "edge"`,
		"EXPRESSION_NOT_MET":   `"web-live", "edge"`,
		"OTHER_ENVIRONMENT":    `"web-test", "edge"`,
		"NO_POLICY":            "",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			call := `explain(local.fleet, "prod", ` + pair + `)`
			fleet := explainedFleet
			if pair == "" {
				call = `explain(local.fleet, "prod", "web-live", "edge")`
				documents := slices.DeleteFunc(strings.Split(functionFleet, "---\n"),
					func(d string) bool { return strings.Contains(d, "kind: SchedulingPolicy") })
				fleet = strings.Join(documents, "---\n")
			}
			testFunctionOn(t, fleet, `contains(provider::kalypso::`+call+`.steps[*].code, "`+code+`")`, knownvalue.Bool(true))
		})
	}
}

// decidedFleet has a placement for every way to drop a cluster type.
var decidedFleet = functionFleet + `---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: edge}
spec: {taints: [{key: drain, effect: NoSelect}]}
` + placed("sets", "{clusterSets: [west]}") + placed("predicates", "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: "+
	"{zone: a}}}}]}") + placed("taints", "{}") +
	placed("number", "{tolerations: [{operator: Exists}], numberOfClusters: 0}") + placed("elsewhere", "") + `---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: d, labels: {cluster.open-cluster-management.io/placement: elsewhere}}
`

// placed is a policy that leaves the decision to a placement, and that where it has a spec.
func placed(name, spec string) string {
	text := "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: " + name +
		", annotations: {kalypso-gitops.io/placement: " + name + "}}\n" +
		"spec: {deploymentTargetSelector: {}, clusterTypeSelector: {}}\n"
	if spec != "" {
		text += "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: " + name + "}\nspec: " + spec +
			"\n"
	}
	return text
}

// The codes that explain decisions of placements are stable, too.
func TestExplainFunction_placementCodes(t *testing.T) {
	t.Parallel()
	for _, code := range append(slices.Clone(ocm.Codes), "SCORE") {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			testFunctionOn(t, decidedFleet,
				`contains(provider::kalypso::explain(local.fleet, "prod", "web-live", "edge").steps[*].code, "`+string(code)+`")`,
				knownvalue.Bool(true))
		})
	}
}

// muddled has, beside functionFleet, something of every finding that can be in one environment.
//
//go:embed testdata/muddled.yaml
var muddled string

var muddledFleet = functionFleet + "---\n" + muddled

// ofChanges are the codes that a change of what the branch has may have. Publish tests them.
var ofChanges = []string{"CHANGE_DELETES", "CHANGE_REFUSED", "CHANGE_STOPS", "CHANGE_REPLACES", "NAMESPACE_ORPHANED"}

// Every code of a finding is found, and is stable.
func TestFindings_codes(t *testing.T) {
	t.Parallel()
	var codes []string
	for _, code := range findings.Codes {
		codes = append(codes, code.Name)
	}
	slices.Sort(codes)
	const empty = "ENVIRONMENT_EMPTY"
	others := append([]string{empty}, ofChanges...) // of plans
	together := []string{
		"API_REMOVED", "BASE_REPO_NOT_FOLLOWED", "CLUSTER_TYPE_IDLE", "CLUSTER_UNKNOWN", "CONFIG_CONFLICT", "CONFIG_REWRITTEN", "CONFIG_UNUSED",
		"CREDENTIAL",
		"DECISION_GROUP_EMPTY",
		"GITOPS_REPO_UNWRITTEN", "MANIFEST_DOUBTFUL", "NAME_TOO_LONG", "NOT_PROMOTED", "OBJECT_DUPLICATE",
		"OBJECT_INCOMPLETE",
		"OBJECT_INVALID", "OUTPUT_NOT_YAML", "PLACEMENT_UNSATISFIED",
		"PLACEMENT_UNUSED", "POLICY_IDLE", "REGISTRATION_NOT_FOLLOWED", "SCORE_MISSING",
		"TARGET_UNASSIGNED", "TEMPLATE_UNUSED",
		"TEXT_BREAKS_OUT",
	}
	if want := slices.Sorted(slices.Values(append(others, together...))); !slices.Equal(codes, want) {
		t.Errorf("the codes are %q, and this test knows %q", codes, want)
	}
	found := func(environment string) string {
		return fmt.Sprintf(`join(" ", sort(distinct(provider::kalypso::findings(concat(local.fleet, [%q]), %q)[*].code)))`,
			promotedSource, environment)
	}
	testFunctionOn(t, muddledFleet, found("prod"), exactly(strings.Join(together, " ")))
	moon := "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Environment\nmetadata: {name: moon}\nspec: {controlPlane: {repo: " +
		"\"https://git.example/moon\", branch: main}}\n"
	testFunctionOn(t, muddledFleet+moon, found("moon"),
		exactly("BASE_REPO_NOT_FOLLOWED CLUSTER_UNKNOWN CONFIG_REWRITTEN CREDENTIAL "+empty+" MANIFEST_DOUBTFUL NOT_PROMOTED "+
			"PLACEMENT_UNUSED REGISTRATION_NOT_FOLLOWED TEMPLATE_UNUSED"))
}

// promotedSource is of kalypso_control_plane.
const promotedSource = `# Source: https://git.example/platform#main:fleet.yaml, line 1
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata: {name: main}
spec: {repo: "https://git.example/platform", branch: main, commit: 0a23456789012345678901234567890123456789}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: promoted}
spec: {type: reconciler, manifests: ["a: b"]}
`

// A plan reports all of them at once. It stops for each that the settings name.
func TestGitOpsCommit_findingCodes(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(more string) string {
		return r.provider + "resource \"kalypso_gitops_commit\" \"prod\" {\n  environment = \"prod\"\n  manifests = [<<-EOT\n" + muddledFleet +
			"\nEOT\n, <<-EOT\n" + promotedSource +
			"EOT\n  ]\n  on_error = \"keep\"\n" +
			"  repo = \"" + r.url + "\"\n" + more + "}\n" // the branch is that of a GitOpsRepo
	}
	planDirectly(t, config("")).Fails(t, "Credentials in the fleet")
	planDirectly(t, config("")).Fails(t, "CREDENTIAL:ConfigMap/zone")
	strict := strings.Replace(config(""), "on_error = \"keep\"", "", 1)
	planDirectly(t, strict).Fails(t, "workloads that break out")
	planDirectly(t, strict).Fails(t, "TEXT_BREAKS_OUT:DeploymentTarget/rogue-live/path")
	const silent = "  ignore_findings = [\"CREDENTIAL\", \"TEXT_BREAKS_OUT\", \"POLICY_IDLE:SchedulingPolicy/gone\"]\n"
	told := expectDirectly(t, config(silent)).Told()
	if strings.Count(told, "WARNING: Findings") != 1 {
		t.Fatalf("want one warning, got\n%s", told)
	}
	for _, code := range findings.Codes {
		if code.Name == findings.EnvironmentEmpty || code.Severity == findings.SeverityError || slices.Contains(ofChanges, code.Name) {
			continue
		}
		if !strings.Contains(told, "- "+code.Name+" ") {
			t.Errorf("%s is not told in\n%s", code.Name, told)
		}
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			told := planDirectly(t, config(silent+"  fail_on = [\""+code.Name+"\"]\n")).Told()
			if !strings.Contains(told, "Findings that fail_on does") { // of one application, it is a warning with on_error = "keep"
				t.Error(told)
			}
		})
	}
}

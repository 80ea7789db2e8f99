// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

func deploymentTarget(name, labels, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: DeploymentTarget\nmetadata: {name: %s, labels: {%s}}\nspec: {%s}\n",
		name, labels, spec)
}

func TestFindDifferingTargets(t *testing.T) {
	t.Parallel()
	const made = "environment: prod, manifests: {repo: 'https://git.example/web'}"
	for name, test := range map[string]struct{ labels, spec, want string }{
		"as the workload makes it": {"purpose: live, workload: web, workspace: team", made, ""},
		"with labels of Flux": {"purpose: live, workload: web, workspace: team, kustomize.toolkit.fluxcd.io/namespace: flux-system", made,
			""},
		"of another environment": {"purpose: other, workload: web, workspace: team", "environment: stage", ""},
		"changed": {
			"purpose: test, workload: web, workspace: team, edge: 'true'", "environment: prod, manifests: {branch: main}, configSchemas: ['{}']",
			"… metadata.labels.edge, metadata.labels.purpose, spec.configSchemas, spec.manifests.branch, spec.manifests.repo. The workload " +
				"counts. …",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			if test.want != "" {
				want = append(want, "warning TARGET_DIFFERS DeploymentTarget/web-live: "+test.want)
			}
			if diff := cmp.Diff(want, find(t, false, sound, deploymentTarget("web-live", test.labels, test.spec)), elided.Texts); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Kalypso's operator would delete a target that its workload does not make. It is scheduled
// here, since somebody has written it, and told of. One of a workload that is elsewhere is
// as good as any.
func TestFindTargetsThatNoWorkloadMakes(t *testing.T) {
	t.Parallel()
	const labels = "workspace: team, workload: "
	got := find(t, false, sound, deploymentTarget("web-extra", labels+"web", "environment: prod"),
		deploymentTarget("agent", labels+"telemetry", "environment: prod"))
	want := []string{"warning TARGET_DIFFERS DeploymentTarget/web-extra: … prod. …"}
	if diff := cmp.Diff(want, got, elided.Texts); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if strings.Contains(strings.Join(got, ""), "UNASSIGNED") {
		t.Error("it is not scheduled")
	}
}

// An export of a cluster may hold thousands of them that differ in the same way. A report has
// one line for those.
func TestReportDifferingTargets(t *testing.T) {
	t.Parallel()
	var manifests []string
	for i := range 40 {
		workload := fmt.Sprintf("app-%d", i)
		manifests = append(manifests,
			fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: %s, labels: {workspace: team}}\nspec: "+
				"{deploymentTargets: [{name: live, environment: prod}]}\n", workload),
			deploymentTarget(workload+"-live", "workspace: team, ring: old, workload: "+workload, "environment: prod"),
			deploymentTarget(workload+"-more", "workspace: team, workload: "+workload, "environment: prod"))
	}
	lines := strings.Split(findings.Report(result(t, true, append(manifests, sound)...)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "from what the workload") ||
		!strings.Contains(lines[0], "The same holds for 39 more") || !strings.Contains(lines[1], "The same holds for 39 more") {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

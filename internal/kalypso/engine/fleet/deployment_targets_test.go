// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func deploymentTarget(name, labels, spec string) string {
	return object(manifest.KindDeploymentTarget, "name: "+name+", labels: {"+labels+"}", spec)
}

func TestDeploymentTargets(t *testing.T) {
	t.Parallel()
	f := mustBuild(t,
		workload("web", "workspace: team", "{name: live, environment: dev, manifests: {repo: r}}, {name: live, environment: prod}"),
		// An export has the objects that the operator made, in every environment.
		deploymentTarget("web-live", "workload: web, workspace: old", "environment: dev, manifests: {repo: old}"),
		deploymentTarget("web-live", "workload: web, workspace: team", "environment: prod"),
		deploymentTarget("agent", "workload: telemetry, workspace: ops, edge: 'true'", "environment: dev, manifests: {repo: a}, configSchemas: "+
			"['{}']"),
		deploymentTarget("lost", "workload: telemetry", "environment: stage"),
	)
	want := []*fleet.Target{
		{
			FullName: "agent", Name: "agent", Workload: "telemetry", Workspace: "ops",
			Labels:    map[string]string{"workload": "telemetry", "workspace": "ops", "edge": "true"},
			Manifests: map[string]string{"repo": "a"}, ConfigSchemas: []string{"{}"}, Owner: "DeploymentTarget/agent",
			Source: manifest.Origin{Name: "manifests[3]", Line: 1},
		},
		{
			FullName: "web-live", Name: "live", Workload: "web", Workspace: "team",
			Labels:    map[string]string{"workload": "web", "workspace": "team"},
			Manifests: map[string]string{"repo": "r"}, Owner: "Workload/web",
			Source: manifest.Origin{Name: "manifests[0]", Line: 1},
		},
	}
	if diff := cmp.Diff(want, f.Targets, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"web-live": {"prod"}, "lost": {"stage"}}, f.Elsewhere); diff != "" {
		t.Errorf("targets elsewhere (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"dev", "prod", "stage"}, f.Environments); diff != "" {
		t.Errorf("environments (-want +got):\n%s", diff)
	}
	var others []string
	for _, target := range f.OtherEnvironments().Targets {
		others = append(others, target.Owner)
	}
	if diff := cmp.Diff([]string{"Workload/web", "DeploymentTarget/web-live", "DeploymentTarget/lost"}, others); diff != "" {
		t.Errorf("targets of other environments (-want +got):\n%s", diff)
	}
}

// The workspace of a workload in the list counts, also for a target that the workload does not make.
func TestDeploymentTargetTakesTheWorkspaceOfItsWorkload(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		documents []string
		want      string
	}{
		"by its label": {[]string{workload("app", "workspace: team", "")}, "team"},
		"by its registration": {[]string{workload("app", "kustomize.toolkit.fluxcd.io/name: dev-apps", ""), registration("apps", "owners")},
			"owners"},
		"none":             {[]string{workload("app", "", "")}, ""},
		"another workload": {[]string{workload("web", "workspace: team", "")}, "privileged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const labels = "workload: app, workspace: privileged, edge: 'true'"
			f := mustBuild(t, append(test.documents, deploymentTarget("app-own", labels, "environment: dev"),
				deploymentTarget("app-own", labels, "environment: prod"))...)
			want := map[string]string{"workload": "app", "workspace": test.want, "edge": "true"}
			for _, target := range slices.Concat(f.Targets, f.OtherEnvironments().Targets) {
				if target.Workspace != test.want {
					t.Errorf("got the workspace %q", target.Workspace)
				}
				if diff := cmp.Diff(want, target.Labels); diff != "" {
					t.Errorf("labels (-want +got):\n%s", diff)
				}
			}
			if len(f.Targets) != 1 || f.DeploymentTargets[0].Labels["workspace"] != "privileged" {
				t.Errorf("got %d targets of %v", len(f.Targets), f.DeploymentTargets[0].Labels)
			}
		})
	}
}

// Two workloads cannot share a folder, no matter who wrote the targets.
func TestDeploymentTargetOfAnotherWorkload(t *testing.T) {
	t.Parallel()
	_, err := build(t, workload("a", "", "{name: b-c, environment: dev}"), deploymentTarget("a-b-c", "workload: a-b", "environment: dev"))
	const want = `Two deployment targets of the same name in DeploymentTarget/a-b-c (manifests[1], line 1): ` +
		`Target "b-c" of workload "a" (manifests[0], line 1) and target "a-b-c" of workload "a-b" (manifests[1], line 1) are both called "a-b-c" in full`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// A target whose folder would not say whose it is stops its own environment only.
func TestDeploymentTargetWithoutWorkload(t *testing.T) {
	t.Parallel()
	mustBuild(t, deploymentTarget("lost", "workspace: team", "environment: prod"))
	_, err := build(t, deploymentTarget("lost", "workspace: team", "environment: dev"))
	const want = "Missing field in DeploymentTarget/lost (manifests[0], line 1): metadata.labels.workload is missing or empty."
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

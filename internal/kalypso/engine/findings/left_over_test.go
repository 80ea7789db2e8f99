// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

func registration(name string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: WorkloadRegistration\nmetadata: {name: %s}\nspec: {workspace: team, "+
		"workload: {repo: \"https://git.example/%s\", branch: main, path: .}}\n", name, name)
}

func baseRepo(name, commit string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: BaseRepo\nmetadata: {name: %s}\nspec: {repo: "+
		"\"https://git.example/base\", branch: main, path: ./fleet/, commit: %q}\n", name, commit)
}

// For an environment that nothing names, this is the only finding, with the possible
// reason.
func TestFindEmptyEnvironment(t *testing.T) {
	t.Parallel()
	const advice = "…through data.kalypso_control_plane { fleet_manifests = ... }, which reads what…"
	for name, test := range map[string]struct {
		manifests []string
		want      []string
	}{
		"misspelled": {
			[]string{strings.Replace(strings.ReplaceAll(sound, "environment: prod", "environment: prd"), "environment: prd", "environment: dev", 1)},
			[]string{"warning ENVIRONMENT_EMPTY Environment/prod: No deployment target names prod (the nearest is prd); the manifests name dev, " +
				"prd."},
		},
		"another one": {
			[]string{strings.ReplaceAll(sound, "environment: prod", "environment: stage")},
			[]string{"warning ENVIRONMENT_EMPTY Environment/prod: No deployment target names prod; the manifests name stage."},
		},
		"workloads not followed": {
			[]string{registration("web"), policy("all", "", "")},
			[]string{
				"warning ENVIRONMENT_EMPTY Environment/prod: … prod: …",
				"warning REGISTRATION_NOT_FOLLOWED WorkloadRegistration/web: …" +
					advice,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]string{}, test.want...), find(t, false, test.manifests...), elided.Texts); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A workload with the name of a registration, but without its workspace, is a finding with the reason.
func TestFindRegistrationOfTheSameName(t *testing.T) {
	t.Parallel()
	fleet := strings.Replace(sound, "labels: {workspace: team}", "labels: {family: retail}", 1)
	const want = `warning REGISTRATION_NOT_FOLLOWED WorkloadRegistration/web: … "team", … no workspace, …. So policies for "team" … "team". Or remove`
	if got := find(t, true, fleet, registration("web")); len(got) == 0 || !elided.Has(got[0], want) {
		t.Errorf("got %q", got)
	}
}

func TestFindNotFollowed(t *testing.T) {
	t.Parallel()
	delivered := strings.Replace(sound, "labels: {workspace: team}", "labels: {workspace: other, kustomize.toolkit.fluxcd.io/name: prod-apps}",
		1)
	const from = "# Source: https://git.example/base#main:fleet/large.yaml, line 1\n"
	for name, test := range map[string]struct {
		manifests []string
		want      []string
	}{
		"delivered":               {[]string{delivered, registration("apps")}, nil},
		"a workload of that name": {[]string{sound, registration("web")}, nil},
		"of another workspace": {[]string{strings.ReplaceAll(sound, "workspace: team", "workspace: other"), registration("web")},
			[]string{"WorkloadRegistration/web"}},
		"the operator's targets": {[]string{sound, deploymentTarget("apps-live", "workload: apps, workspace: team", "environment: prod"),
			registration("apps")}, nil},
		"targets of another workspace": {
			[]string{sound, deploymentTarget("apps-live", "workload: apps, workspace: other", "environment: dev"), registration("apps")},
			[]string{"WorkloadRegistration/apps"},
		},
		"targets beside their workload": {
			[]string{strings.ReplaceAll(sound, "workspace: team", "workspace: other"),
				deploymentTarget("web-live", "workload: web, workspace: team", "environment: dev"), registration("web")},
			[]string{"WorkloadRegistration/web"},
		},
		"another environment's label": {[]string{strings.Replace(sound, "labels: {workspace: team}", "labels: {workspace: team, "+
			"kustomize.toolkit.fluxcd.io/name: dev-apps}", 1), registration("apps")}, []string{"WorkloadRegistration/apps"}},
		"not delivered": {[]string{sound, registration("apps")}, []string{"WorkloadRegistration/apps"}},
		"base repositories": {[]string{sound,
			baseRepo("main", strings.Repeat("1", 40)), baseRepo("other", strings.Repeat("1", 40))}, []string{"BaseRepo/other"}},
		"main without a commit": {[]string{sound, baseRepo("main", "")}, []string{"BaseRepo/main"}},
		"read":                  {[]string{from + sound, baseRepo("main", ""), baseRepo("other", strings.Repeat("1", 40))}, nil},
		"another folder": {
			[]string{strings.Replace(from, "fleet/", "fleets/", 1) + sound, baseRepo("other", "")}, []string{"BaseRepo/other"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, line := range find(t, true, test.manifests...) {
				fields := strings.Fields(line)
				if !strings.HasSuffix(fields[1], "_NOT_FOLLOWED") {
					t.Errorf("also found: %s", line)
				}
				got = append(got, strings.TrimSuffix(fields[2], ":"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// One fleet is used for all environments: what serves another one is not left over here.
func TestFindOtherEnvironments(t *testing.T) {
	t.Parallel()
	const staging = `
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: try, labels: {workspace: testers}}
spec:
  deploymentTargets:
    - {name: out, environment: stage, labels: {purpose: trial}}
    - {name: web, environment: test}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: lab, labels: {tier: lab}}
spec: {reconciler: rec, namespaceService: ns}
`
	fleet := strings.Replace(sound, "clusterTypeSelector: {labelSelector: {}}", "clusterTypeSelector: {labelSelector: {matchExpressions: "+
		"[{key: tier, operator: NotIn, values: [lab]}]}}", 1) + staging
	trial := policy("trial", "workspace: testers, labelSelector: {matchLabels: {purpose: trial}}", "labelSelector: {matchLabels: {tier: lab}}")
	for name, test := range map[string]struct {
		manifests []string
		want      []string
	}{
		"served there": {[]string{fleet, trial, config("c", ", purpose: trial", "A: b"),
			config("d", ", deployment-target: try-out, tier: lab", "A: b")}, []string{}},
		"not even there": {[]string{fleet},
			[]string{"info CLUSTER_TYPE_IDLE ClusterType/lab: Cluster type lab has no deployment target."}},
		"placed, not on that one": {[]string{fleet, trial, config("c", ", purpose: trial, tier: edge", "A: b")},
			[]string{"info CONFIG_UNUSED ConfigMap/c: ConfigMap c …: no … has the label purpose = trial."}},
		"no such cluster type": {
			[]string{fleet, trial, policy("typo", "workspace: testers", "labelSelector: {matchLabels: {tier: lba}}")},
			[]string{"info POLICY_IDLE SchedulingPolicy/typo: Scheduling policy typo selects no deployment target: … testers; and it selects no " +
				"cluster type: … the label tier = lba (the nearest is lab)."},
		},
		"another workspace": {
			[]string{fleet, trial, policy("typo", "workspace: team, labelSelector: {matchLabels: {purpose: trial}}", "")},
			[]string{"info POLICY_IDLE SchedulingPolicy/typo: Scheduling policy typo selects no deployment target: no deployment target has " +
				"the label purpose = trial."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]string{}, test.want...), find(t, false, test.manifests...), elided.Texts); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A policy that is idle in all environments of the manifests is told of with the reasons, and without a warning.
func TestFindSharedPolicies(t *testing.T) {
	t.Parallel()
	const (
		stage = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Environment\nmetadata: {name: stage}\nspec: {controlPlane: {repo: " +
			"\"https://git.example/fleet\", branch: stage}}\n"
		theirs = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: try, labels: {workspace: testers}}\nspec: " +
			"{deploymentTargets: [{name: out, environment: stage}]}\n"
		waiting = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: lost, labels: {workspace: lost}}\nspec: " +
			"{deploymentTargets: [{name: a, environment: prod}]}\n"
		selects = " POLICY_IDLE SchedulingPolicy/shared: Scheduling policy shared selects "
		nothing = "no deployment target: … testers; and it selects "
		nowhere = "no cluster type: no cluster type has a label cells."
		nearly  = "no cluster type: no cluster type has the label tier = clud (the nearest is cloud)."
	)
	both, cells, clud := "workspace: team", "labelSelector: {matchLabels: {cells: 'yes'}}", "labelSelector: {matchLabels: {tier: clud}}"
	for name, test := range map[string]struct {
		manifests []string
		want      []string
	}{
		"targets of the other one alone": {[]string{sound, theirs, policy("shared", "workspace: testers", cells)},
			[]string{"info" + selects + nothing + nowhere}},
		"the other one has targets here": {[]string{sound, stage, theirs, policy("shared", both, cells)},
			[]string{"info" + selects + nowhere}},
		"misspelled for the other one": {[]string{sound, stage, theirs, policy("shared", "workspace: testers", clud)},
			[]string{"info" + selects + nothing + nearly}},
		"something waits here": {[]string{sound, stage, waiting, policy("shared", both, cells)}, []string{
			"info" + selects + nowhere,
			"warning TARGET_UNASSIGNED DeploymentTarget/lost-a: … lost-a …",
		}},
		"no other one is known": {[]string{sound, policy("shared", both, cells)}, []string{"info" + selects + nowhere}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(append([]string{}, test.want...), find(t, false, test.manifests...), elided.Texts); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// While a file of another team is broken, a registration may lead to it.
func TestFindBesideABrokenFile(t *testing.T) {
	t.Parallel()
	note := (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "x.yaml"}, Problems: problem.List{{Summary: "Invalid YAML",
		Detail: "Fix it."}}}).Text()
	in := engine.Input{Environment: "prod"}
	for _, text := range []string{sound, registration("web"), note} {
		in.Manifests = append(in.Manifests, manifest.Text{Name: "test", Text: text})
	}
	result, err := engine.Compute(t.Context(), in)
	if err == nil || result == nil {
		t.Fatalf("%v, %v", result, err)
	}
	if found := findingsOf(t, result); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// fail_on and ignore_findings know policies that may be meant for other environments by name.
func TestRulesOfSharedPolicies(t *testing.T) {
	t.Parallel()
	manifests := []string{sound, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Environment\nmetadata: {name: stage}\nspec: " +
		"{controlPlane: {repo: \"https://git.example/fleet\", branch: stage}}\n"}
	for _, name := range []string{"a", "b", "c"} {
		manifests = append(manifests, policy(name, "workspace: of-"+name, "labelSelector: {matchLabels: {cells-"+name+": 'yes'}}"))
	}
	all := result(t, false, manifests...)
	rules := findings.Rules{Ignore: []string{"POLICY_IDLE:SchedulingPolicy/a", "POLICY_IDLE:SchedulingPolicy/b"},
		FailOn: []string{findings.PolicyIdle}}
	if _, failing := rules.Apply(all); len(failing) != 1 || failing[0].Subject != "SchedulingPolicy/c" {
		t.Errorf("failing: %v", failing)
	}
}

// A policy that selects nothing may mean objects of files that nobody reads.
func TestIdlePolicyOfReadManifests(t *testing.T) {
	t.Parallel()
	typo := policy("typo", "workspace: team", "labelSelector: {matchLabels: {tier: gone}}")
	const from = "# Source: https://git.example/base#main:fleet.yaml, line 1\n"
	for origin, want := range map[string]string{
		"":   "tier = gone.",
		from: "tier = gone. …",
	} {
		if found := find(t, false, origin+sound, typo); len(found) != 1 || !elided.Matches("…"+want, found[0]) {
			t.Errorf("%q: %q", origin, found)
		}
	}
}

func deploymentTarget(name, labels, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: DeploymentTarget\nmetadata: {name: %s, labels: {%s}}\nspec: {%s}\n",
		name, labels, spec)
}

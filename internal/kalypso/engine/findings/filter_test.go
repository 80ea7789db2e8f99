// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

func TestRules(t *testing.T) {
	t.Parallel()
	idle := findings.Finding{Code: findings.ClusterTypeIdle, Subject: "ClusterType/a"}
	other := findings.Finding{Code: findings.ClusterTypeIdle, Subject: "ClusterType/b"}
	target := findings.Finding{Code: findings.TargetUnassigned, Subject: "DeploymentTarget/a"}
	all := []findings.Finding{target, idle, other}
	for name, test := range map[string]struct {
		rules         findings.Rules
		kept, failing []findings.Finding
	}{
		"none":            {findings.Rules{}, all, nil},
		"ignored code":    {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE"}}, []findings.Finding{target}, nil},
		"ignored subject": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:ClusterType/a"}}, []findings.Finding{target, other}, nil},
		"failing": {findings.Rules{FailOn: []string{"CLUSTER_TYPE_IDLE:ClusterType/b", "TARGET_UNASSIGNED"}}, all,
			[]findings.Finding{target, other}},
		"ignored first": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:ClusterType/a"}, FailOn: []string{"CLUSTER_TYPE_IDLE"}},
			[]findings.Finding{target, other}, []findings.Finding{other}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, failing := test.rules.Apply(&fleet.Fleet{}, all)
			if diff := cmp.Diff(test.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.failing, failing); diff != "" {
				t.Errorf("failing (-want +got):\n%s", diff)
			}
		})
	}
}

// A rule about something that does not exist is a mistake. A rule about an object that has
// no such finding is not a mistake: the object may have one in another environment.
func TestRulesThatMatchNothing(t *testing.T) {
	t.Parallel()
	objects, err := manifest.Decode([]manifest.Text{{Name: "fleet", Text: sound}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.New(objects, "dev")
	if err != nil {
		t.Fatal(err)
	}
	builtIn := findings.Finding{Code: findings.ObjectInvalid, Subject: "Template/"}
	const absent = "…ignore_findings or fail_on names…"
	for name, test := range map[string]struct {
		rules findings.Rules
		want  []string
	}{
		"codes": {findings.Rules{Ignore: []string{"POLICY_IDLE"}, FailOn: []string{"TARGET_UNASSIGNED"}}, nil},
		"objects without a finding": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:ClusterType/edge"},
			FailOn: []string{"TARGET_UNASSIGNED:DeploymentTarget/web-live"}}, nil},
		"target of another one": {findings.Rules{Ignore: []string{"TARGET_UNASSIGNED:DeploymentTarget/web-spare"}}, nil},
		"subject of a finding":  {findings.Rules{FailOn: []string{"OBJECT_INVALID:Template/"}}, nil},
		"an environment":        {findings.Rules{Ignore: []string{"ENVIRONMENT_EMPTY:Environment/next"}}, nil},
		"misspelled": {findings.Rules{FailOn: []string{"TARGET_UNASSIGNED:DeploymentTarget/web-lve"}},
			[]string{"RULE_UNMATCHED DeploymentTarget/web-lve: " + strings.Replace(absent, "hold it", "hold it (the nearest is web-live)", 1)}},
		"without a kind, and silent": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:elephant", "RULE_UNMATCHED:elephant"}}, nil},
		"near by its kind alone": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:ClusterType/x"}},
			[]string{"RULE_UNMATCHED ClusterType/x: " + absent}},
		"near for another kind": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:ClusterType/web"}},
			[]string{"RULE_UNMATCHED ClusterType/web: " + absent}},
		"named twice": {findings.Rules{Ignore: []string{"CONFIG_UNUSED:ConfigMap/none"},
			FailOn: []string{"CONFIG_CONFLICT:ConfigMap/none"}}, []string{"RULE_UNMATCHED ConfigMap/none: " + absent}},
		"text of a target": {findings.Rules{Ignore: []string{"TEXT_BREAKS_OUT:DeploymentTarget/web-live/path"}}, nil},
		"text of no target": {findings.Rules{Ignore: []string{"TEXT_BREAKS_OUT:DeploymentTarget/web-lve/path"}},
			[]string{"RULE_UNMATCHED DeploymentTarget/web-lve/path: " + absent}},
		"text for another code": {findings.Rules{Ignore: []string{"TARGET_UNASSIGNED:DeploymentTarget/web-live/nonsense",
			"TEXT_BREAKS_OUT:DeploymentTarget/web-live/path"}}, []string{"RULE_UNMATCHED DeploymentTarget/web-live/nonsense: " + absent}},
		"without a kind": {findings.Rules{Ignore: []string{"CLUSTER_TYPE_IDLE:elephant"}},
			[]string{"RULE_UNMATCHED elephant: " + absent}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			kept, _ := test.rules.Apply(f, []findings.Finding{builtIn})
			for _, found := range kept {
				if found != builtIn {
					got = append(got, found.Code+" "+found.Subject+": "+found.Message)
				}
			}
			if diff := cmp.Diff(test.want, got, elided.Texts); diff != "" {
				t.Errorf("findings about rules (-want +got):\n%s", diff)
			}
		})
	}
	if _, failing := (findings.Rules{FailOn: []string{"RULE_UNMATCHED", "POLICY_IDLE:SchedulingPolicy/none"}}).Apply(f,
		nil); len(failing) != 1 {
		t.Errorf("fail_on does not make an error of it: %v", failing)
	}
}

func TestCheckRule(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"POLICY_IDLE":                         "",
		"CLUSTER_TYPE_IDLE:ClusterType/large": "",
		"CLUSTER_TYPE_IDEL":                   "(the nearest is CLUSTER_TYPE_IDLE)",
		"":                                    "the code of a finding",
		"POLICY_IDLE:":                        "names no subject",
	} {
		err := findings.CheckRule(rule)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", rule, err, want)
		}
	}
}

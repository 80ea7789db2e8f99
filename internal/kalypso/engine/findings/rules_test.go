// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
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
			kept, failing := test.rules.Apply(all)
			if diff := cmp.Diff(test.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.failing, failing); diff != "" {
				t.Errorf("failing (-want +got):\n%s", diff)
			}
		})
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

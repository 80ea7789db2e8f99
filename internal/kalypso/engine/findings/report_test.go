// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

func unassigned(name string) findings.Finding {
	return findings.Finding{
		Code: findings.TargetUnassigned, Subject: "DeploymentTarget/" + name,
		Message: "No scheduling policy puts deployment target " + name + " (" + name + ".yaml, line 1) on any cluster type.",
	}
}

// Findings that say the same share one line, and their cause comes before them.
func TestReportGroups(t *testing.T) {
	t.Parallel()
	var all []findings.Finding
	for i := range 330 {
		all = append(all, unassigned(fmt.Sprintf("web-%03d", i)))
	}
	all = append(all,
		findings.Finding{Code: findings.Credential, Subject: "ConfigMap/east", Message: "The value of A_KEY is a credential, by its name."},
		findings.Finding{Code: findings.Credential, Subject: "ConfigMap/west", Message: "The value of B_KEY is a credential, by its name."},
		findings.Finding{Code: findings.PolicyIdle, Subject: "SchedulingPolicy/cells", Message: "Scheduling policy cells selects no cluster " +
			"type: no cluster type has the label tier = cell (the nearest is cells)."},
		findings.Finding{Code: findings.ConfigUnused, Subject: "ConfigMap/us-0", Message: "ConfigMap us-0: region = us-0 (the nearest is eu-0)."},
		findings.Finding{Code: findings.ConfigUnused, Subject: "ConfigMap/us-1", Message: "ConfigMap us-1: region = us-1 (the nearest is eu-1)."},
	)
	want := []string{
		"- POLICY_IDLE SchedulingPolicy/cells: Scheduling policy cells selects no cluster type: no cluster type has the label tier = cell (the " +
			"nearest is cells).",
		"- TARGET_UNASSIGNED DeploymentTarget/web-000: No scheduling policy puts deployment target web-000 (web-000.yaml, line 1) on any " +
			"cluster type. The same holds for 329 more: web-001, web-002, web-003 and 326 more.",
		"- CONFIG_UNUSED ConfigMap/us-0: ConfigMap us-0: region = us-0 (the nearest is eu-0). The same holds for 1 more: us-1.",
		"- CREDENTIAL ConfigMap/east: The value of A_KEY is a credential, by its name.",
		"- CREDENTIAL ConfigMap/west: The value of B_KEY is a credential, by its name.",
	}
	if diff := cmp.Diff(want, strings.Split(findings.Report(all), "\n")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got := findings.Report(all[:1]); got != "- TARGET_UNASSIGNED DeploymentTarget/web-000: No scheduling policy puts deployment target "+
		"web-000 (web-000.yaml, line 1) on any cluster type." {
		t.Errorf("got %q", got)
	}
}

// A report is never long, and has every code.
func TestReportIsShort(t *testing.T) {
	t.Parallel()
	var all []findings.Finding
	for i := range 25 {
		f := findings.Finding{Code: findings.ConfigUnused, Subject: fmt.Sprintf("ConfigMap/%02d", i), Message: fmt.Sprintf("Reason %d.", i)}
		all = append(all, f, findings.Finding{Code: f.Code, Subject: f.Subject + "-too", Message: f.Message})
	}
	all = append(all, findings.Finding{Code: findings.TemplateUnused, Subject: "Template/a", Message: "Unused."})
	lines := strings.Split(findings.Report(all), "\n")
	if len(lines) != 12 || lines[9] != "- CONFIG_UNUSED ConfigMap/09: Reason 9. The same holds for 1 more: 09-too." ||
		lines[10] != "- TEMPLATE_UNUSED Template/a: Unused." || lines[11] != "and 30 more findings." {
		t.Errorf("got %d lines: %q", len(lines), lines)
	}
}

// Only findings of codes before those that fail may be their cause.
func TestCausesOf(t *testing.T) {
	t.Parallel()
	cause, last := findings.Finding{Code: findings.PolicyIdle, Subject: "SchedulingPolicy/p"},
		findings.Finding{Code: findings.TemplateUnused, Subject: "Template/t"}
	failing := []findings.Finding{unassigned("a"), unassigned("b"), unassigned("b"), unassigned("c"), unassigned("d"),
		{Code: findings.ConfigUnused, Subject: "ConfigMap/c"}}
	kept := append(append([]findings.Finding{cause}, failing...), last)
	if diff := cmp.Diff([]findings.Finding{cause}, findings.CausesOf(failing, kept)); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// An environment that no deployment target names is created only if the settings allow it.
func TestCreateEmpty(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	misspelled := s.settings(both("blue"))
	misspelled.Fleet.Environment = "prd"
	const why = "No deployment target names prd (the nearest is prod); the manifests name prod. The apply would write no package."
	i.fails(t, misspelled, "Nothing to write", why, "set allow_empty = true in limits")
	misspelled.Findings = findings.Rules{Ignore: []string{findings.EnvironmentEmpty}}
	i.fails(t, misspelled, why)
	misspelled.Limits.AllowEmpty = true
	i.apply(t, misspelled)
	s.holds(t, "prod", "large/README.md", "small/README.md")
}

// A credential is an error until it is silenced by its name, even if the branch already
// contains it.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(with(both("blue"), strings.ReplaceAll(config("North"), "REGION", "DB_PASSWORD")))
	i.fails(t, settings, "Credentials in the fleet", "CREDENTIAL ConfigMap/all/DB_PASSWORD: The value of DB_PASSWORD",
		`ignore_findings = ["CREDENTIAL:ConfigMap/all/DB_PASSWORD"]`)
	settings.Findings.FailOn = []string{findings.Credential} // says the same
	if _, m := i.plan(t, settings); len(m.Errors) != 1 {
		t.Errorf("want one error, got %+v", m.Errors)
	}
	settings.Findings = findings.Rules{Ignore: []string{"CREDENTIAL:ConfigMap/all/DB_PASSWORD"}}
	i.apply(t, settings)
	settings.Findings = findings.Rules{Ignore: []string{"CREDENTIAL:ConfigMap/all/OTHER"}}
	i.fails(t, settings, "Credentials in the fleet")
}

// A text of a workload that breaks out is an error until it is silenced by its name.
func TestTextsThatBreakOut(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	const rogue = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: rogue}\n" +
		"spec: {deploymentTargets: [{name: live, environment: prod, manifests: {path: \"./a\\n---\\nkind: ClusterRoleBinding\"}}]}\n"
	settings := s.settings(with(both("blue"), rogue))
	i.fails(t, settings, "Texts of workloads that break out", `TEXT_BREAKS_OUT DeploymentTarget/rogue-live/path: The text "path"`,
		"holds a line break", `ignore_findings = ["TEXT_BREAKS_OUT:DeploymentTarget/rogue-live/path"]`)
	settings.Findings = findings.Rules{Ignore: []string{findings.ManifestDoubtful, findings.Credential},
		FailOn: []string{findings.TextBreaksOut}}
	if _, m := i.plan(t, settings); len(m.Errors) != 1 {
		t.Errorf("want one error, got %+v", m.Errors)
	}
	settings.Findings = findings.Rules{Ignore: []string{"TEXT_BREAKS_OUT:DeploymentTarget/rogue-live/path"}}
	i.apply(t, settings)
}

// The error names the findings that have to fail. They come after their possible causes,
// which would not fail by themselves. All others are a warning.
func TestFailingFindingsNameTheirCause(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	lost := "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: lost, labels: {workspace: lost}}\nspec:\n  " +
		"deploymentTargets:\n"
	for n := range 40 {
		lost += fmt.Sprintf("  - {name: t%d, environment: prod}\n", n)
	}
	typo := "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: SchedulingPolicy\nmetadata: {name: typo}\n" +
		"spec: {deploymentTargetSelector: {workspace: losst}, clusterTypeSelector: {}}\n"
	spare := "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Template\nmetadata: {name: spare}\n" +
		"spec: {type: config, manifests: [\"a: b\"]}\n"
	settings := s.settings(with(both("blue"), lost, typo, spare))
	settings.Findings.FailOn = []string{findings.TargetUnassigned}
	i.fails(t, settings, "Findings that fail_on does not allow")
	_, m := i.plan(t, settings)
	if len(m.Errors) != 1 {
		t.Fatalf("want one error, got %+v", m.Errors)
	}
	const want = "- POLICY_IDLE SchedulingPolicy/typo: Scheduling policy typo selects no deployment target: no deployment target is of the " +
		"workspace losst (the nearest is lost).\n" +
		"- TARGET_UNASSIGNED DeploymentTarget/lost-t0: No scheduling policy puts deployment target lost-t0 on any cluster type. The same holds " +
		"for 39 more: lost-t1, lost-t10, lost-t11, lost-t12, lost-t13, lost-t14, lost-t15, lost-t16, lost-t17, lost-t18 and 29 more.\n\n" +
		"fail_on does not allow TARGET_UNASSIGNED:DeploymentTarget/lost-t0, TARGET_UNASSIGNED:DeploymentTarget/lost-t1, " +
		"TARGET_UNASSIGNED:DeploymentTarget/lost-t10 and 37 more. "
	if !strings.HasPrefix(m.Errors[0].Detail, want) {
		t.Errorf("got\n%s\nwant\n%s", m.Errors[0].Detail, want)
	}
	const others = "- TEMPLATE_UNUSED Template/spare: No cluster type uses template spare.\n\n"
	if last := len(m.Warnings) - 1; last < 0 || !strings.HasPrefix(m.Warnings[last].Detail, others) {
		t.Errorf("want a warning of the others, got %+v", m.Warnings)
	}
}

// With any number of findings, the error reports the failing ones. It does not report
// findings of the same kind that do not fail.
func TestFailingFindingIsTold(t *testing.T) {
	t.Parallel()
	var kept []findings.Finding
	for n := range 40 {
		kept = append(kept, findings.Finding{Code: findings.PolicyIdle, Subject: fmt.Sprintf("SchedulingPolicy/p%d", n),
			Message: fmt.Sprintf("Reason %d.", n)})
	}
	m := publish.FailingFindings(kept, kept[39:])
	const want = "- POLICY_IDLE SchedulingPolicy/p39: Reason 39.\n\nfail_on does not allow POLICY_IDLE:SchedulingPolicy/p39. "
	if len(m) != 1 || !strings.HasPrefix(m[0].Detail, want) {
		t.Errorf("got %+v", m)
	}
}

// If a credential is silenced, neither the plan nor a request shows it.
func TestCredentialsAreHidden(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := func(value string) publish.Settings {
		settings := s.settings(with(both("blue"), strings.NewReplacer("REGION", "DB_PASSWORD", "North", value).Replace(config("North"))))
		settings.Findings = findings.Rules{Ignore: []string{findings.Credential}}
		settings.Request = &request.Settings{}
		return settings
	}
	first := settings("hunter1")
	first.Request = nil
	i.apply(t, first)
	plan := i.apply(t, settings("hunter2"))
	body := s.only(t).Body
	for what, text := range map[string]string{"the plan": plan.Diff, "the request": body} {
		if strings.Contains(text, "hunter") {
			t.Errorf("%s shows the value:\n%s", what, text)
		}
	}
	if !strings.Contains(plan.Diff, credential.Digest("hunter2")) {
		t.Errorf("the change does not show:\n%s", plan.Diff)
	}
}

// The summary says that a change of the fleet alone changes no package. Otherwise it stays the
// last change.
func TestSummaryOfInputsAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	again := s.settings(with(both("blue"), strings.Replace(config("North"), "platform-config", "foreign", 1)))
	if plan := i.apply(t, again); plan.Differs || plan.Summary != "no package changes" || i.was.Summary != plan.Summary {
		t.Errorf("planned %q, applied %q", plan.Summary, i.was.Summary)
	}
	i.standsStill(t, again)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// An environment that no deployment target names is created only where that is meant.
func TestCreateEmpty(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	misspelled := s.settings(both("blue"))
	misspelled.Fleet.Environment = "prd"
	const why = "No deployment target names prd (the nearest is prod); the manifests name prod. So no package would be written."
	i.fails(t, misspelled, "Nothing to write", why, "set allow_empty = true in limits")
	misspelled.Findings = findings.Rules{Ignore: []string{findings.EnvironmentEmpty}}
	i.fails(t, misspelled, why)
	misspelled.Limits.AllowEmpty = true
	i.apply(t, misspelled)
	s.holds(t, "prod", "large/README.md", "small/README.md")
}

// A credential is an error until it is silenced by its name, also in what is there already.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(with(both("blue"), strings.ReplaceAll(config("North"), "REGION", "DB_PASSWORD")))
	i.fails(t, settings, "Credentials in the fleet", "CREDENTIAL ConfigMap/all: The value of DB_PASSWORD", `ignore_findings = ["CREDENTIAL:ConfigMap/all"]`)
	settings.Findings.FailOn = []string{findings.Credential} // says the same
	if _, m := i.plan(t, settings); len(m.Errors) != 1 {
		t.Errorf("want one error, got %+v", m.Errors)
	}
	settings.Findings = findings.Rules{Ignore: []string{"CREDENTIAL:ConfigMap/all"}}
	i.apply(t, settings)
	settings.Findings = findings.Rules{Ignore: []string{"CREDENTIAL:ConfigMap/other"}}
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
	i.fails(t, settings, "Texts of workloads that break out", `TEXT_BREAKS_OUT DeploymentTarget/rogue-live/path: The text "path"`, "holds a line break", `ignore_findings = ["TEXT_BREAKS_OUT:DeploymentTarget/rogue-live/path"]`)
	settings.Findings = findings.Rules{Ignore: []string{findings.ManifestDoubtful, findings.Credential}, FailOn: []string{findings.TextBreaksOut}}
	if _, m := i.plan(t, settings); len(m.Errors) != 1 {
		t.Errorf("want one error, got %+v", m.Errors)
	}
	settings.Findings = findings.Rules{Ignore: []string{"TEXT_BREAKS_OUT:DeploymentTarget/rogue-live/path"}}
	i.apply(t, settings)
}

// Where a credential is silenced, neither the plan nor a request shows it.
func TestCredentialsAreHidden(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := func(value string) publish.Settings {
		settings := s.settings(with(both("blue"), strings.NewReplacer("REGION", "DB_PASSWORD", "North", value).Replace(config("North"))))
		settings.Findings = findings.Rules{Ignore: []string{findings.Credential}}
		settings.Request = &publish.RequestSettings{}
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
	digest := credential.Digest("hunter2")
	if !strings.Contains(plan.Diff, digest) || !strings.Contains(body, strings.Trim(digest, "()…")[:8]) {
		t.Errorf("the change does not show:\n%s\n%s", plan.Diff, body)
	}
}

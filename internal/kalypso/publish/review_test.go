// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// An environment that no deployment target names is created only where that is meant.
func TestCreateEmpty(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	misspelled := s.settings(both("blue"))
	misspelled.Fleet.Environment = "prd"
	const error = "No deployment target names prd (the nearest is prod); the manifests name prod. So no package would be written."
	i.fails(t, misspelled, "Nothing to write", error, "set allow_empty = true in limits")
	misspelled.Findings = findings.Rules{Ignore: []string{findings.EnvironmentEmpty}}
	i.fails(t, misspelled, error)
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

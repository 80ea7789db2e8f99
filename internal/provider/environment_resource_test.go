// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func environmentLifecycle() lifecycle {
	environment := func(branch, path string) *manifest.Environment {
		return &manifest.Environment{
			Meta:         manifest.Meta{Kind: manifest.KindEnvironment, Name: "dev"},
			ControlPlane: manifest.RepoRef{Repo: "https://github.com/microsoft/kalypso-control-plane", Branch: branch, Path: path},
		}
	}
	return lifecycle{
		address: "kalypso_environment.test",
		create: `resource "kalypso_environment" "test" {
  name = "dev"
  control_plane {
    repo   = "https://github.com/microsoft/kalypso-control-plane"
    branch = "dev"
    path   = "fleet"
  }
}`,
		created: environment("dev", "fleet"),
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Environment
metadata:
  name: dev
spec:
  controlPlane:
    repo: https://github.com/microsoft/kalypso-control-plane
    branch: dev
    path: fleet
`,
		update: `resource "kalypso_environment" "test" {
  name = "dev"
  control_plane {
    repo   = "https://github.com/microsoft/kalypso-control-plane"
    branch = "next"
  }
}`,
		updated: environment("next", ""),
	}
}

func TestEnvironment_mistakes(t *testing.T) {
	t.Parallel()
	environment := func(controlPlane ...string) string {
		return "resource \"kalypso_environment\" \"test\" {\n  name = \"dev\"\n" + block("control_plane", controlPlane...) + "\n}"
	}
	expectMistakes(t, map[string]mistake{
		"no branch": {environment(`repo = "https://example.com/x"`), `The argument "branch" is required`},
		"no block":  {`resource "kalypso_environment" "test" { name = "dev" }`, "Block control_plane must have a configuration value"},
		"repo":      {environment(`repo = "::"`, `branch = "dev"`), "control_plane.repo must be the URL of a git repository"},
		"path": {environment(`repo = "https://example.com/x"`, `branch = "dev"`, `path = "a//b"`), "control_plane.path must be a path " +
			"inside the repository"},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func baseRepoLifecycle() lifecycle {
	return lifecycle{
		address: "kalypso_base_repo.test",
		create: `resource "kalypso_base_repo" "test" {
  name   = "main"
  repo   = "https://github.com/microsoft/kalypso-control-plane"
  branch = "main"
  path   = "."
  commit = "3a5f2b1c9d8e7f60123456789abcdef012345678"
}`,
		created: &manifest.BaseRepo{
			Meta:    manifest.Meta{Kind: manifest.KindBaseRepo, Name: "main"},
			RepoRef: manifest.RepoRef{Repo: "https://github.com/microsoft/kalypso-control-plane", Branch: "main", Path: "."},
			Commit:  "3a5f2b1c9d8e7f60123456789abcdef012345678",
		},
		imported: `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata:
  name: main
spec:
  repo: https://github.com/microsoft/kalypso-control-plane
  branch: main
  path: .
  commit: 3a5f2b1c9d8e7f60123456789abcdef012345678
`,
		update: `resource "kalypso_base_repo" "test" {
  name   = "main"
  repo   = "https://github.com/microsoft/kalypso-control-plane"
  branch = "main"
}`,
		updated: &manifest.BaseRepo{
			Meta:    manifest.Meta{Kind: manifest.KindBaseRepo, Name: "main"},
			RepoRef: manifest.RepoRef{Repo: "https://github.com/microsoft/kalypso-control-plane", Branch: "main"},
		},
	}
}

func TestBaseRepo_mistakes(t *testing.T) {
	t.Parallel()
	expectMistakes(t, map[string]mistake{
		"commit": {`resource "kalypso_base_repo" "test" {
  name   = "main"
  repo   = "https://example.com/control-plane"
  branch = "main"
  commit = "HEAD"
}`, `commit must be a git commit id: 40 hexadecimal digits, or at least the first 7: "HEAD" is not`},
	})
}

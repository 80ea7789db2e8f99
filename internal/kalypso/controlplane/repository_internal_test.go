// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/pattern"
)

// The URLs of one repository are alike, also as patterns.
func TestRepository(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://git.example/team/app", "https://git.example/team/app.git", "https://GIT.example:443/team/app/",
		"git@git.example:team/app.git", "ssh://git@git.example/team/app", "https://git.example/team/ap?", "https://git.example/*/app.git",
		"ssh://git@git.example/team-or-not/app"} {
		want := url != "ssh://git@git.example/team-or-not/app"
		if pattern.Matches(repositoryPattern(url), repository("https://git.example/team/app")) != want {
			t.Errorf("%s is %q", url, repositoryPattern(url))
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// A place that comes from a GitOpsRepo is checked as one that is set.
func TestPlaceOfAGitOpsRepo(t *testing.T) {
	t.Parallel()
	const repo = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: GitOpsRepo\nmetadata: {name: prod}\nspec: "
	for spec, words := range map[string][]string{
		"{repo: 'https://git.example/x', branch: prod, path: /fleet}":           {"Invalid path", "spec.path"},
		"{repo: 'https://git.example/x', branch: prod, path: a//b}":             {"Invalid path"},
		"{repo: 'https://git.example/x', branch: prod, path: fleet/../.github}": {"Invalid path"},
		"{repo: 'https://git.example/x', branch: 'not a branch', path: fleet}":  {"Invalid branch name", "spec.branch"},
		"{repo: 'https://git.example/x', branch: 'not a branch', path: a//b}":   {"Invalid path", "Invalid branch name"},
		"{repo: '../x', branch: prod, path: fleet}":                             {"Invalid GitOps repository URL"},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			settings := s.settings(with(both("blue"), repo+spec))
			settings.Repo, settings.Branch, settings.Path = publish.Text{}, publish.Text{}, publish.Text{}
			_, m := (&instance{server: s}).plan(t, settings)
			says(t, m.Errors, words...)
		})
	}
}

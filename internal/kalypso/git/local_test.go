// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A repository on this machine is used if the configuration names exactly it, or a
// folder that it is in.
func TestLocalRepositoryNeedsTheConfiguration(t *testing.T) {
	t.Parallel()
	repo := gittest.NewNamed(t, "gitops.git")
	repo.CommitFiles(t, "dev", map[string][]byte{"a": []byte("one")}, "first")
	folder := filepath.Dir(repo.Path())
	for name, test := range map[string]struct {
		trust remote.Trust
		named []string
		used  bool
	}{
		"nobody names it":              {},
		"the same URL":                 {named: []string{repo.FileURL()}, used: true},
		"the same path":                {named: []string{repo.Path() + "/"}, used: true},
		"a folder that it is in":       {named: []string{"file://" + folder}},
		"a repository in it":           {named: []string{repo.FileURL() + "/nested"}},
		"the root of all folders":      {named: []string{"file:///"}},
		"one with the same beginning":  {named: []string{strings.TrimSuffix(repo.FileURL(), ".git")}},
		"another host":                 {named: []string{"https://git.example.com" + repo.Path()}},
		"a prefix of the environment":  {trust: remote.Trust{remote.ParsePrefix("file://" + folder)}, used: true},
		"another prefix":               {trust: remote.Trust{remote.ParsePrefix("file://" + folder + "x")}},
		"a prefix that leads up again": {trust: remote.Trust{remote.ParsePrefix("file://" + repo.Path() + "/..")}},
		"hosts alone":                  {trust: remote.Trust{remote.ParsePrefix("https://git.example.com")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := git.NewClient(git.Options{Trust: test.trust})
			if err != nil {
				t.Fatal(err)
			}
			ctx := remote.Trusting(t.Context(), test.named...)
			for _, url := range []string{repo.FileURL(), repo.Path()} {
				branch := git.Branch{Repo: url, Name: "dev"}
				_, headErr := head(ctx, c, branch)
				_, openErr := c.Snapshots().Open(ctx, git.Revision{Repo: url, Branch: "dev"}, ".")
				for what, err := range map[string]error{
					"head": headErr, "snapshot": openErr, "check": c.CheckRepo(ctx, url),
					"write": write(ctx, c, branch, "drone", drone(t, "one")),
				} {
					if test.used && err != nil {
						t.Errorf("%s of %s: %v", what, url, err)
					} else if !test.used {
						wantKind(t, err, remote.KindBarred, url, "folder of this machine", "KALYPSO_GIT_URL_PREFIX",
							"For a GitOpsRepo, exactly this URL in the attribute repo")
					}
				}
			}
		})
	}
}

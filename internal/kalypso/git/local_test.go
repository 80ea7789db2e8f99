// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// The hooks of a repository on this machine do not see the secrets of the run.
func TestHooksSeeNoSecrets(t *testing.T) {
	t.Setenv("KALYPSO_GIT_PASSWORD", password)
	t.Setenv("TF_VAR_secret", password)
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "dev", map[string][]byte{"a": []byte("one")}, "first")
	seen := filepath.Join(t.TempDir(), "seen")
	for _, hook := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction"} {
		repo.InstallHook(t, hook, "env >> "+seen)
	}
	if err := write(t.Context(), newClient(t), git.Branch{Repo: repo.FileURL(), Name: "dev"}, "drone", drone(t, "one")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, "=")
		isGit := strings.HasPrefix(name, "GIT_") || slices.Contains([]string{"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME"}, name)
		if ofShell := slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name); !isGit && !ofShell || strings.Contains(line, password) {
			t.Errorf("a hook sees %s", line)
		}
	}
	if !strings.Contains(string(text), "PATH=") {
		t.Errorf("the hooks have no PATH: %s", text)
	}
}

// A hook that does not end does not keep the run from ending.
func TestInterruptedHook(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	first := repo.CommitFiles(t, "dev", map[string][]byte{"a": []byte("one")}, "first")
	started := filepath.Join(t.TempDir(), "started")
	repo.InstallHook(t, "pre-receive", "touch "+started+"; while [ -e "+started+" ]; do sleep 0.1; done")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(started) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	err := write(ctx, newClient(t), git.Branch{Repo: repo.FileURL(), Name: "dev"}, "drone", drone(t, "one"))
	wantKind(t, err, remote.KindTimeout, repo.FileURL(), "interrupted")
	if err := os.Remove(started); err != nil {
		t.Fatal(err)
	}
	if repo.Head(t, "dev") != first {
		t.Error("something was written")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

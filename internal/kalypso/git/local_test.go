// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"os"
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

// attacks are what the configuration of a repository can say so that a program runs:
// each makes the file that its command names.
var attacks = map[string]func(t *testing.T, r *gittest.Repo, command string){
	"alternates": func(t *testing.T, r *gittest.Repo, command string) {
		t.Helper()
		put(t, r, "objects/info/alternates", gittest.NewBare(t).Path()+"/objects\n")
		r.SetConfig(t, "core.alternateRefsCommand", command+" #")
	},
	"hooks": func(t *testing.T, r *gittest.Repo, command string) {
		t.Helper()
		for _, hook := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction"} {
			r.InstallHook(t, hook, command)
		}
	},
	"another folder of hooks": func(t *testing.T, r *gittest.Repo, command string) {
		t.Helper()
		r.InstallHook(t, "post-receive", command)
		r.SetConfig(t, "core.hooksPath", filepath.Join(r.Path(), "hooks"))
	},
	"garbage": func(t *testing.T, r *gittest.Repo, command string) {
		t.Helper()
		r.InstallHook(t, "pre-auto-gc", command)
		r.SetConfig(t, "receive.autogc", "true")
		r.SetConfig(t, "gc.autoDetach", "false")
		r.SetConfig(t, "gc.auto", "1")
		r.SetConfig(t, "gc.autoPackLimit", "1")
		for i := range 3 {
			r.CommitFiles(t, "other", map[string][]byte{"a": fmt.Append(nil, i)}, "another pack")
		}
	},
}

func put(t *testing.T, r *gittest.Repo, file, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.Path(), file), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whatever a repository on this machine says in its configuration, reading it and writing
// to it starts no program of its choice. What git itself starts there is the control.
func TestLocalRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := filepath.Join(t.TempDir(), "ran")
			repo := gittest.NewBare(t)
			attack(t, repo, "touch "+ran)
			_ = os.Remove(ran) // the commits of the attack run hooks, too

			c := newClient(t)
			branch := git.Branch{Repo: repo.FileURL(), Name: "dev"}
			apply(t, c, branch, "one", edits{"drone": folder(drone(t, "one"))})
			apply(t, c, branch, "two", edits{"drone": folder(drone(t, "two"))})
			if _, err := head(t.Context(), c, branch); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("a program of the repository has run")
			}

			clone := repo.Clone(t, "dev")
			if out, err := gittest.Command(t.Context(), "-C", clone, "push", "--quiet", "origin", "HEAD:third").CombinedOutput(); err != nil {
				t.Fatalf("git push: %v\n%s", err, out)
			}
			if _, err := os.Stat(ran); err != nil {
				t.Errorf("git itself does not run it either, so this test shows nothing: %v", err)
			}
		})
	}
}

// A push to a branch that is checked out changes no file, since the filters of a checkout
// are programs.
func TestLocalCheckoutIsLeftAlone(t *testing.T) {
	t.Parallel()
	ran := filepath.Join(t.TempDir(), "ran")
	origin := gittest.NewBare(t)
	origin.CommitFiles(t, "dev", map[string][]byte{".gitattributes": []byte("* filter=evil\n"), "a": []byte("one")}, "first")
	clone := origin.Clone(t, "dev")
	for key, value := range map[string]string{"receive.denyCurrentBranch": "updateInstead", "filter.evil.smudge": "touch " + ran + "; cat",
		"core.fsmonitor": "touch " + ran} {
		if out, err := gittest.Command(t.Context(), "-C", clone, "config", key, value).CombinedOutput(); err != nil {
			t.Fatalf("git config: %v\n%s", err, out)
		}
	}
	c := newClient(t)
	err := write(t.Context(), c, git.Branch{Repo: "file://" + clone, Name: "dev"}, "drone", drone(t, "one"))
	wantKind(t, err, remote.KindRefused, "checked out")
	apply(t, c, git.Branch{Repo: "file://" + clone, Name: "other"}, "one", edits{"drone": folder(drone(t, "one"))})
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository has run")
	}
}

// The git process gets no credentials from environment variables, so the programs that it
// starts cannot leak them. It reads the user's own configuration, which can name programs.
func TestLocalGitGetsNoCredentials(t *testing.T) {
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "dev", map[string][]byte{"a": []byte("one")}, "first")
	folder := t.TempDir()
	seen := filepath.Join(folder, "seen")
	script := filepath.Join(folder, "hook")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nenv >"+seen+"\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "config")
	if err := os.WriteFile(config, []byte("[uploadpack]\n\tpackObjectsHook = "+script+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	for _, name := range []string{
		"KALYPSO_GIT_PASSWORD", "KALYPSO_SSH_PRIVATE_KEY", "KALYPSO_SIGNING_KEY", "KALYPSO_FORGE_TOKEN", "GITHUB_TOKEN", "GITEA_TOKEN",
		"TF_VAR_token", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "GIT_ASKPASS",
	} {
		t.Setenv(name, "a-secret")
	}
	if _, err := newClient(t).Snapshots().Open(t.Context(), git.Revision{Repo: repo.FileURL(), Branch: "dev"}, "."); err != nil {
		t.Fatal(err)
	}
	environment, err := os.ReadFile(seen)
	if err != nil {
		t.Fatalf("the hook of the user's own configuration did not run: %v", err)
	}
	if !strings.Contains(string(environment), "GIT_CONFIG_GLOBAL="+config) {
		t.Error("git does not get the user's own configuration")
	}
	for line := range strings.Lines(string(environment)) {
		if name, value, _ := strings.Cut(line, "="); strings.Contains(value, "a-secret") {
			t.Errorf("git got %s", name)
		}
	}
}

// What git says of a repository on this machine is bounded, as what servers say.
func TestLocalGitSaysTooMuch(t *testing.T) {
	folder := t.TempDir()
	reference := strings.Repeat("1", 40) + " refs/heads/dev"
	packet := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+5, text) }
	script := fmt.Sprintf("#!/bin/sh\nprintf '%04x%s\\0 \\n'\nexec yes '%s'\n", len(reference)+7, reference, packet(reference))
	if err := os.WriteFile(filepath.Join(folder, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	c, err := git.NewClient(git.Options{Trust: ofThisMachine, MaxFetch: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, err = head(t.Context(), c, git.Branch{Repo: "file:///repo.git", Name: "dev"})
	wantKind(t, err, remote.KindTooLarge, "file:///repo.git", "more than 65 MiB as an answer")
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The escapes of a URL stand for what the repository is called, as for git itself: in
// every request of a session.
func TestEscapedURL(t *testing.T) {
	t.Parallel()
	for name, escaped := range map[string]string{
		"a%25b?c#d.git": "a%2525b%3Fc%23d.git", "a b%ü+.git": "a%20b%25%C3%BC+.git",
	} {
		t.Run(escaped, func(t *testing.T) {
			t.Parallel()
			repo := gittest.NewNamed(t, name)
			web, ssh := gittest.ServeHTTP(t, repo), gittest.ServeSSH(t, repo)
			c := newClient(t, git.Credential{URLPrefix: ssh.URL(), SSHPrivateKey: ssh.PrivateKey(t, ""), SSHKnownHosts: ssh.KnownHosts()})
			for protocol, url := range map[string]string{
				"http": web.URL(), "ssh": ssh.URL(), "file": repo.FileURL(), "path": repo.Path(),
			} {
				if protocol != "path" && !strings.HasSuffix(url, escaped) {
					t.Errorf("the URL is %s", url)
				}
				dev := git.Branch{Repo: url, Name: protocol}
				apply(t, c, dev, "first", edits{"drone": folder(drone(t, "one"))})
				apply(t, c, dev, "second", edits{"drone": folder(drone(t, "two"))})
				if got := repo.Files(t, protocol)["drone/hello/reconciler.yaml"]; got != "two" {
					t.Errorf("%s: %q", url, got)
				}
			}
		})
	}
}

// A repository with ids of another kind is said to be one, and not to be no repository.
func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	empty, full := gittest.NewNamed(t, "empty.git", "--object-format=sha256"), gittest.NewNamed(t, "full.git", "--object-format=sha256")
	full.CommitFiles(t, "dev", bytesOf(foreign), "first")
	for _, repo := range []*gittest.Repo{empty, full} {
		ssh := gittest.ServeSSH(t, repo)
		c := newClient(t, git.Credential{URLPrefix: ssh.URL(), SSHPrivateKey: ssh.PrivateKey(t, ""), SSHKnownHosts: ssh.KnownHosts()})
		for _, url := range []string{gittest.ServeHTTP(t, repo).URL(), ssh.URL(), repo.FileURL()} {
			_, err := c.Read(t.Context(), git.Branch{Repo: url, Name: "dev"}, git.Query{})
			if repo == full || err != nil { // git 2.39 says nothing at all about an empty repository
				wantKind(t, err, remote.KindRefused, "SHA-256", "not supported")
			}
			err = write(t.Context(), c, git.Branch{Repo: url, Name: "dev"}, "drone", drone(t, "one"))
			wantKind(t, err, remote.KindRefused, "SHA-256", "not supported")
		}
	}
}

// A branch with the name of something else is refused where it does not exist, because a commit would create it.
func TestMistakenBranch(t *testing.T) {
	t.Parallel()
	r := fileRemote(t)
	r.disk.CommitFiles(t, "main", map[string][]byte{"a": []byte("a")}, "first")
	r.disk.CommitFiles(t, "origin/kept", map[string][]byte{"a": []byte("a")}, "first")
	r.disk.Git(t, "tag", "v1", "main")
	r.disk.Git(t, "tag", "main", "main")
	r.disk.Git(t, "-c", "user.name=a", "-c", "user.email=a", "tag", "-a", "-m", "two", "release/v2", "main")
	c := r.client(t)
	for name, want := range map[string]string{
		"origin/main": `name of its branch main. Write "main"`, "origin/new": `Write "new"`,
		"v1": "this is the name", "release/v2": "this is the name",
		"main": "", "origin/kept": "", "new": "",
	} {
		_, readErr := head(t.Context(), c, r.branch(name))
		_, openErr := c.Snapshots().Open(t.Context(), git.Revision{Repo: r.url, Branch: name}, ".")
		log, err := c.Snapshots().Log(t.Context(), r.branch(name), 0)
		if err != nil {
			t.Fatal(err)
		}
		_, logErr := log.Commits(t.Context(), 1)
		_, proposeErr := c.Propose(t.Context(), r.branch(name), git.Proposal{Work: git.Work{Decide: func(*git.Answer) (git.Change, error) {
			return git.Change{}, nil
		}}})
		if name == "new" {
			openErr = nil // it does not exist
		}
		errs := map[string]error{"read": readErr, "open": openErr, "log": logErr, "propose": proposeErr,
			"write": write(t.Context(), c, r.branch(name), "drone", drone(t, "one"))}
		for what, err := range errs {
			switch {
			case want != "":
				wantKind(t, err, remote.KindBranchNotFound, r.url, want)
			case err != nil:
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
	if got := strings.Join(slices.Sorted(maps.Keys(r.disk.Branches(t))), " "); got != "main new origin/kept" {
		t.Errorf("branches %s", got)
	}
}

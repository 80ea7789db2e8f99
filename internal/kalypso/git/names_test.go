// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
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

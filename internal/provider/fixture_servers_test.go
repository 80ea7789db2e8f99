// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// gitServer is a git server of one transport, with the provider block that reaches it.
type gitServer struct {
	repo gittest.Repository
	url  string
	// provider is the HCL of the provider block.
	provider string
}

// onDisk is the repository where it is one of git's own: that of each transport.
func (r gitServer) onDisk() *gittest.Repo {
	repo, _ := r.repo.(*gittest.Repo)
	return repo
}

// showing is the server with a provider whose plans show this many lines of diff.
func (r gitServer) showing(lines int) gitServer {
	const begin = "provider \"kalypso\" {"
	r.provider = strings.Replace(r.provider, begin, fmt.Sprintf("%s\n  max_diff_lines = %d\n", begin, lines), 1)
	return r
}

// transports makes a fresh remote for each transport that the provider supports.
var transports = map[string]func(t *testing.T) gitServer{
	"file": func(t *testing.T) gitServer {
		repo := gittest.NewBare(t)
		return gitServer{repo: repo, url: repo.FileURL(), provider: "provider \"kalypso\" {}\n"}
	},
	"http": func(t *testing.T) gitServer { return newHTTP(t).gitServer },
	"ssh": func(t *testing.T) gitServer {
		repo := gittest.NewBare(t)
		server := gittest.ServeSSH(t, repo)
		return gitServer{repo: repo, url: server.URL(), provider: sshProvider(server.URL(), server.PrivateKey(t, ""), server.KnownHosts())}
	},
}

// httpServer is a git server whose requests can go wrong. A reader may only read.
type httpServer struct {
	gitServer
	*gittest.HTTPServer
}

func newHTTP(t testing.TB) httpServer {
	t.Helper()
	repo := gittest.NewBare(t)
	server := gittest.ServeHTTP(t, repo, gittest.WithLogin("deployer", "s3cr3t-password"),
		gittest.WithReadOnlyLogin("reader", "r34d-password"))
	return httpServer{gitServer{repo: repo, url: server.URL(), provider: httpProvider(server.URL(), "deployer", "s3cr3t-password")}, server}
}

// reading is the provider block of a login that may only read.
func (s httpServer) reading() string { return httpProvider(s.url, "reader", "r34d-password") }

func httpProvider(url, username, password string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  git {
    url_prefix = %q
    username   = %q
    password   = %q
  }
  commit_author {
    name  = "Platform Team"
    email = "platform@example.com"
  }
}
`, url, username, password)
}

func sshProvider(url, key, knownHosts string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  git {
    url_prefix      = %q
    ssh_private_key = <<-EOT
%s
    EOT
    ssh_known_hosts = <<-EOT
%s
    EOT
  }
}
`, url, strings.TrimSpace(key), strings.TrimSpace(knownHosts))
}

// hostKey is the public key of some host.
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

// served is a repository behind a server, with the credential that reaches it.
type served struct {
	repo *gittest.Repo
	url  string
	// credential is a block git of the provider.
	credential string
}

// servers serve a repository each, to a login or key that no other one takes.
var servers = map[string]func(t testing.TB) served{
	"http": func(t testing.TB) served {
		repo := gittest.NewBare(t)
		password := "password-of-" + strings.ReplaceAll(repo.Path(), "/", "-")
		server := gittest.ServeHTTP(t, repo, gittest.WithLogin("owner", "unused"), gittest.WithReadOnlyLogin("reader", password))
		return served{repo, server.URL(), fmt.Sprintf("git {\n  url_prefix = %q\n  username = \"reader\"\n  password = %q\n}\n", server.URL(),
			password)}
	},
	"ssh": func(t testing.TB) served {
		repo := gittest.NewBare(t)
		server := gittest.ServeSSH(t, repo)
		return served{repo, server.URL(), fmt.Sprintf("git {\n    url_prefix = %q\n    ssh_private_key = <<-EOT\n%s    EOT\n    "+
			"ssh_known_hosts = <<-EOT\n%s    EOT\n  }\n",
			server.URL(), server.PrivateKey(t, ""), server.KnownHosts())}
	},
}

// commit puts files on a branch and returns the commit.
func (s served) commit(t testing.TB, branch string, files map[string]string) string {
	t.Helper()
	all := map[string][]byte{}
	for path, text := range files {
		all[path] = []byte(text)
	}
	return s.repo.CommitFiles(t, branch, all, "commit")
}

// providerFor is the provider block that reaches all of these.
func providerFor(all ...served) string {
	var credentials []string
	for _, s := range all {
		credentials = append(credentials, s.credential)
	}
	return "provider \"kalypso\" {\n" + strings.Join(credentials, "") + "}\n"
}

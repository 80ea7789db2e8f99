// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The login of test servers. The password must never show up in an error.
const (
	user     = "writer"
	password = "correct-horse-battery"
)

// remote is a repository behind a server.
type remote struct {
	repo       *gittest.Repo
	url        string
	credential git.Credential
}

// client makes a client that may do everything and hardly waits between attempts.
func (r remote) client(t testing.TB) *git.Client {
	t.Helper()
	return newClient(t, r.credential)
}

func (r remote) at(branch, path string) git.Location {
	return git.Location{Repo: r.url, Branch: branch, Path: path}
}

func newClient(t testing.TB, credentials ...git.Credential) *git.Client {
	t.Helper()
	c, err := git.NewClient(git.Options{
		Credentials: credentials,
		Author:      git.Signature{Name: "Kalypso", Email: "kalypso@example.com"},
		RetryWait:   func(int) time.Duration { return time.Millisecond },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// transports are the ways to a repository.
var transports = map[string]func(t testing.TB) remote{
	"file":  fileRemote,
	"http":  func(t testing.TB) remote { return httpRemote(t, nil) },
	"https": func(t testing.TB) remote { return httpRemote(t, nil, gittest.WithTLS()) },
	"ssh":   sshRemote,
}

func eachTransport(t *testing.T, test func(t *testing.T, r remote)) {
	t.Helper()
	for name, open := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func fileRemote(t testing.TB) remote {
	t.Helper()
	repo := gittest.NewBare(t)
	return remote{repo: repo, url: repo.FileURL(), credential: git.Credential{URLPrefix: "file://", Password: password}}
}

func httpRemote(t testing.TB, hook func(w http.ResponseWriter, r *http.Request, repo *gittest.Repo) bool, options ...gittest.HTTPOption) remote {
	t.Helper()
	repo := gittest.NewBare(t)
	options = append(options, gittest.WithLogin(user, password))
	if hook != nil {
		options = append(options, gittest.WithHook(func(w http.ResponseWriter, r *http.Request) bool { return hook(w, r, repo) }))
	}
	server := gittest.ServeHTTP(t, repo, options...)
	return remote{repo: repo, url: server.URL(), credential: git.Credential{
		URLPrefix: server.URL(), Username: user, Password: password, CABundle: server.CABundle(),
	}}
}

func sshRemote(t testing.TB) remote {
	t.Helper()
	repo := gittest.NewBare(t)
	server := gittest.ServeSSH(t, repo)
	return remote{repo: repo, url: server.URL(), credential: git.Credential{
		URLPrefix: server.URL(), SSHPrivateKey: server.PrivateKey(t, ""), Password: password,
		SSHKnownHosts: server.KnownHosts("ssh-ed25519"), // the server has an RSA key too, which is negotiated first
	}}
}

// dir makes a folder from path to content.
func dir(t testing.TB, files map[string]string) *tree.Dir {
	t.Helper()
	var entries []tree.Entry
	below := map[string]map[string]string{}
	for path, content := range files {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			entries = append(entries, tree.File(name, []byte(content)))
			continue
		}
		if below[name] == nil {
			below[name] = map[string]string{}
		}
		below[name][rest] = content
	}
	for name, files := range below {
		entries = append(entries, tree.Subdir(name, dir(t, files)))
	}
	d, err := tree.NewDir(entries)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drone is a cluster type's folder with one package.
func drone(t testing.TB, content string) *tree.Dir {
	t.Helper()
	return dir(t, map[string]string{
		"README.md":             "# drone\n",
		"hello/reconciler.yaml": content,
		"hello/namespace.yaml":  "kind: Namespace\n",
	})
}

func apply(t testing.TB, c *git.Client, loc git.Location, change git.Change) git.Result {
	t.Helper()
	result, err := c.Apply(t.Context(), loc, change)
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return result
}

func bytesOf(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for path, content := range files {
		all[path] = []byte(content)
	}
	return all
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The login of test servers. The password must never show up in an error.
const (
	user     = "writer"
	password = "correct-horse-battery"
)

// origin is a repository behind a server.
type origin struct {
	repo gittest.Repository
	// disk is the repository where it is one of real git, and server where it is reached
	// over HTTP.
	disk       *gittest.Repo
	server     *gittest.HTTPServer
	url        string
	credential git.Credential
}

// client makes a client that may do everything and hardly waits between attempts.
func (r origin) client(t testing.TB) *git.Client {
	t.Helper()
	return newClient(t, r.credential)
}

// branch returns a branch of the repository.
func (r origin) branch(name string) git.Branch { return git.Branch{Repo: r.url, Name: name} }

// edits are what paths are to become.
type edits = map[string]tree.Entry

// folder writes a folder.
func folder(dir *tree.Dir) tree.Entry { return tree.Subdir("", dir) }

// file writes a file.
func file(content string) tree.Entry {
	return tree.File("", []byte(content))
}

// gone removes a file or folder.
func gone(mode tree.Mode) tree.Entry {
	return tree.Entry{Mode: mode}
}

// job is the job that makes the edits.
func job(message string, e edits) git.Work {
	return git.Work{Decide: func(*git.Answer) (git.Change, error) { return git.Change{Edits: e, Message: message}, nil }}
}

// apply makes edits that cannot fail.
func apply(t testing.TB, c *git.Client, branch git.Branch, message string, e edits) tree.ID {
	t.Helper()
	result, err := c.Apply(t.Context(), branch, job(message, e))
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return result
}

// write writes one folder, and returns the error.
func write(ctx context.Context, c *git.Client, branch git.Branch, path string, dir *tree.Dir) error {
	_, err := c.Apply(ctx, branch, job("write", edits{path: folder(dir)}))
	return err
}

// head returns the commit of a branch.
func head(ctx context.Context, c *git.Client, branch git.Branch) (tree.ID, error) {
	answer, err := c.Read(ctx, branch, git.Query{})
	if err != nil {
		return tree.ID{}, err
	}
	return answer.Head, nil
}

// ofThisMachine are all repositories of this machine.
var ofThisMachine = remote.Trust{remote.ParsePrefix("file://")}

// author is the author of the commits of all clients.
var author = git.Signature{Name: "Kalypso", Email: "kalypso@example.com"}

func newClient(t testing.TB, credentials ...git.Credential) *git.Client {
	t.Helper()
	c, err := git.NewClient(git.Options{
		Credentials: credentials,
		Trust:       ofThisMachine,
		Author:      author,
		Advice:      forge.PushAdvice,
		AsksLogin:   forge.AsksLogin,
		Backoff:     wait.Backoff{Duration: time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// transports are the ways to a repository of real git.
var transports = map[string]func(t testing.TB) origin{
	"file":  fileRemote,
	"http":  func(t testing.TB) origin { return diskRemote(t) },
	"https": func(t testing.TB) origin { return diskRemote(t, gittest.WithTLS()) },
	"ssh":   sshRemote,
}

// eachTransport runs a test on each transport to a real Git server, for tests in which
// transports differ.
func eachTransport(t *testing.T, test func(t *testing.T, r origin)) {
	t.Helper()
	for name, open := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// eachSession runs a test on a session that fetches as often as it likes, and on one that
// ends with a fetch.
func eachSession(t *testing.T, test func(t *testing.T, r origin)) {
	t.Helper()
	for name, open := range map[string]func(t testing.TB) origin{"ssh": sshRemote, "memory": memoryRemote} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// eachLimit runs a test on servers in memory that allow different things.
func eachLimit(t *testing.T, test func(t *testing.T, r origin)) {
	t.Helper()
	for name, allowed := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			r.repo.Limit(t, allowed.filters, allowed.anyObject)
			test(t, r)
		})
	}
}

// memoryRemote is a repository in memory over HTTP, for what does not depend on the way to
// a repository.
func memoryRemote(t testing.TB) origin {
	t.Helper()
	return httpRemote(t, nil)
}

// httpRemote is memoryRemote with a hook before each request, and options of the server.
func httpRemote(t testing.TB, hook func(w http.ResponseWriter, r *http.Request, repo gittest.Repository) bool,
	options ...gittest.HTTPOption) origin {
	t.Helper()
	repo := gitmem.New(t)
	if hook != nil {
		options = append(options, gittest.WithHook(func(w http.ResponseWriter, r *http.Request) bool { return hook(w, r, repo) }))
	}
	return serve(t, repo, options...)
}

// diskRemote is a repository of real git over HTTP.
func diskRemote(t testing.TB, options ...gittest.HTTPOption) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	r := serve(t, repo, options...)
	r.disk = repo
	return r
}

// serve serves a repository over HTTP.
func serve(t testing.TB, repo gittest.Repository, options ...gittest.HTTPOption) origin {
	t.Helper()
	server := gittest.ServeHTTP(t, repo, append(options, gittest.WithLogin(user, password))...)
	return origin{repo: repo, server: server, url: server.URL(), credential: git.Credential{
		URLPrefix: server.URL(), Username: user, Password: password, TLS: remote.TLS{CABundle: server.CABundle()},
	}}
}

func fileRemote(t testing.TB) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	return origin{repo: repo, disk: repo, url: repo.FileURL(), credential: git.Credential{URLPrefix: "file://", Password: password}}
}

func sshRemote(t testing.TB) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	server := gittest.ServeSSH(t, repo)
	return origin{repo: repo, disk: repo, url: server.URL(), credential: git.Credential{
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

// drone is a folder with another one in it.
func drone(t testing.TB, content string) *tree.Dir {
	t.Helper()
	return dir(t, map[string]string{
		"README.md":             "# drone\n",
		"hello/reconciler.yaml": content,
		"hello/namespace.yaml":  "kind: Namespace\n",
	})
}

func bytesOf(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for path, content := range files {
		all[path] = []byte(content)
	}
	return all
}

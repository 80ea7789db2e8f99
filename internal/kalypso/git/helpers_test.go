// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The login of test servers. The password must never show up in an error.
const (
	user     = "writer"
	password = "correct-horse-battery"
)

// origin is a repository behind a server.
type origin struct {
	repo       *gittest.Repo
	url        string
	credential git.Credential
}

// client makes a client that may do everything and hardly waits between attempts.
func (r origin) client(t testing.TB) *git.Client {
	t.Helper()
	return newClient(t, r.credential)
}

func (r origin) at(branch, path string) place {
	return place{git.Branch{Repo: r.url, Name: branch}, path}
}

// place is a folder of a branch, below which the tests write.
type place struct {
	git.Branch
	path string
}

// at is the root of a branch.
func at(url, branch string) place { return place{git.Branch{Repo: url, Name: branch}, "."} }

// from returns a path from the repository's root.
func (p place) from(name string) string { return path.Join(p.path, name) }

const trackingFile = ".github/tracking/Promoted_Commit_Id"

// change is what folders below a place, and the one file at the root, are to
// become. What Expected does not name is not checked.
type change struct {
	Folders   map[string]*tree.Dir
	Remove    []string
	Tracking  *tracking
	Expected  map[string]tree.ID
	Message   string
	StartFrom string
}

type tracking struct {
	Content  []byte
	Expected tree.ID
}

func (p place) change(c change) git.Job {
	all := git.Change{Edits: map[string]git.Edit{}, Message: c.Message}
	add := func(name string, edit git.Edit) {
		_, checked := c.Expected[name]
		edit.Unchecked = !checked
		all.Edits[p.from(name)] = edit
	}
	for name, dir := range c.Folders {
		add(name, git.PutFolder(dir, c.Expected[name]))
	}
	for _, name := range c.Remove {
		add(name, git.Remove(tree.ModeDir, c.Expected[name]))
	}
	switch t := c.Tracking; {
	case t == nil:
	case t.Content == nil:
		all.Edits[trackingFile] = git.Remove(tree.ModeFile, t.Expected)
	default:
		all.Edits[trackingFile] = git.PutFile(t.Content, t.Expected)
	}
	job := git.To(all)
	job.StartFrom = c.StartFrom
	return job
}

// look says what to read below a place: folders by name, or all that do not start
// with a dot; and the one file at the root.
type look struct {
	All      bool
	Names    []string
	Known    map[string]tree.ID
	Contents []string
	Rendered map[string]*tree.Dir
}

func (p place) request(l look) git.Query {
	q := git.Query{Paths: map[string]tree.Entry{trackingFile: {Mode: tree.ModeFile}}, Folder: p.path}
	if l.Contents != nil {
		q.Content = func(file string) bool { return slices.Contains(l.Contents, path.Base(file)) }
	}
	for _, name := range slices.AppendSeq(slices.Clone(l.Names), maps.Keys(l.Known)) {
		q.Paths[p.from(name)] = tree.Entry{Mode: tree.ModeDir, ID: l.Known[name]}
	}
	if l.All {
		q.Others = func(name string) bool { return !strings.HasPrefix(name, ".") }
	}
	if l.Rendered != nil {
		q.Compare = func() map[string]tree.Entry {
			all := map[string]tree.Entry{}
			for name, dir := range l.Rendered {
				all[p.from(name)] = tree.Subdir(name, dir)
			}
			return all
		}
	}
	return q
}

// folders returns the folders of a state by their names below the place.
func (p place) folders(state *git.State) map[string]*git.Found {
	all := map[string]*git.Found{}
	for at, found := range state.Found {
		if found.Mode == tree.ModeDir {
			all[path.Base(at)] = found
		}
	}
	return all
}

// read reads below a place.
func (p place) read(t testing.TB, c *git.Client, l look) (*git.State, error) {
	t.Helper()
	return c.Read(t.Context(), p.Branch, p.request(l))
}

func newClient(t testing.TB, credentials ...git.Credential) *git.Client {
	t.Helper()
	c, err := git.NewClient(git.Options{
		Credentials: credentials,
		Author:      git.Signature{Name: "Kalypso", Email: "kalypso@example.com"},
		Backoff:     wait.Backoff{Duration: time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// transports are the ways to a repository.
var transports = map[string]func(t testing.TB) origin{
	"file":  fileRemote,
	"http":  func(t testing.TB) origin { return httpRemote(t, nil) },
	"https": func(t testing.TB) origin { return httpRemote(t, nil, gittest.WithTLS()) },
	"ssh":   sshRemote,
}

func eachTransport(t *testing.T, test func(t *testing.T, r origin)) {
	t.Helper()
	for name, open := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func fileRemote(t testing.TB) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	return origin{repo: repo, url: repo.FileURL(), credential: git.Credential{URLPrefix: "file://", Password: password}}
}

func httpRemote(t testing.TB, hook func(w http.ResponseWriter, r *http.Request, repo *gittest.Repo) bool, options ...gittest.HTTPOption) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	options = append(options, gittest.WithLogin(user, password))
	if hook != nil {
		options = append(options, gittest.WithHook(func(w http.ResponseWriter, r *http.Request) bool { return hook(w, r, repo) }))
	}
	server := gittest.ServeHTTP(t, repo, options...)
	return origin{repo: repo, url: server.URL(), credential: git.Credential{
		URLPrefix: server.URL(), Username: user, Password: password, CABundle: server.CABundle(),
	}}
}

func sshRemote(t testing.TB) origin {
	t.Helper()
	repo := gittest.NewBare(t)
	server := gittest.ServeSSH(t, repo)
	return origin{repo: repo, url: server.URL(), credential: git.Credential{
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

func apply(t testing.TB, c *git.Client, at place, what change) git.Result {
	t.Helper()
	result, err := c.Apply(t.Context(), at.Branch, at.change(what))
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

// applying is Client.Apply below a place.
func applying(ctx context.Context, c *git.Client, at place, what change) (git.Result, error) {
	return c.Apply(ctx, at.Branch, at.change(what))
}

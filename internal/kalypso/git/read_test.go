// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// found is a State as tests compare it.
type found struct {
	Head, Tracking string
	Folders        map[string]string
	Entries        map[string][]string
}

func summarize(s *git.State) found {
	f := found{Head: s.Head.String(), Tracking: s.Tracking.String(), Folders: map[string]string{}, Entries: map[string][]string{}}
	for name, folder := range s.Folders {
		f.Folders[name] = folder.ID.String()
		for _, e := range folder.Entries {
			f.Entries[name] = append(f.Entries[name], e.Name+" "+e.ID.String()+" "+string(e.Content))
		}
	}
	return f
}

// How a server lets us read makes no difference to what we read.
var servers = map[string]map[string]string{
	"objects by id": {},
	"filters only":  {"uploadpack.allowAnySHA1InWant": "false"},
	"tips and reachable commits by id": {
		"uploadpack.allowAnySHA1InWant": "false", "uploadpack.allowTipSHA1InWant": "true", "uploadpack.allowReachableSHA1InWant": "true",
	},
	"shallow filters":               {"uploadpackfilter.tree.maxDepth": "0"},
	"shallow filters only":          {"uploadpackfilter.tree.maxDepth": "0", "uploadpack.allowAnySHA1InWant": "false"},
	"filters of blobs only":         {"uploadpackfilter.tree.allow": "false"},
	"filters announced but refused": {"uploadpackfilter.allow": "false"},
	"no filters":                    {"uploadpack.allowFilter": "false", "uploadpack.allowAnySHA1InWant": "false"},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for server, config := range servers {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, r remote) {
				for key, value := range config {
					r.repo.SetConfig(t, key, value)
				}
				r.repo.CommitFiles(t, "dev", map[string][]byte{
					"a/b/drone/README.md": []byte("# drone"), "a/b/drone/hello/x.yaml": []byte("x"),
					"a/b/large/README.md": []byte("# large"), "a/b/large/hello/x.yaml": []byte("y"),
					"a/b/.dot/x": []byte("d"), "a/b/file": []byte("f"), "root": []byte("r"),
					".github/tracking/Promoted_Commit_Id": []byte("abc"),
				}, "first")
				c, loc := r.client(t), r.at("dev", "a/b")
				id := func(path string) string { return r.repo.Tree(t, "dev", path) }

				state, err := c.Read(t.Context(), loc, git.ReadRequest{All: true, Blobs: []string{"README.md"}})
				if err != nil {
					t.Fatal(err)
				}
				want := found{
					Head: r.repo.Head(t, "dev"), Tracking: id(".github/tracking/Promoted_Commit_Id"),
					Folders: map[string]string{"drone": id("a/b/drone"), "large": id("a/b/large")},
					Entries: map[string][]string{
						"drone": {"README.md " + id("a/b/drone/README.md") + " # drone", "hello " + id("a/b/drone/hello") + " "},
						"large": {"README.md " + id("a/b/large/README.md") + " # large", "hello " + id("a/b/large/hello") + " "},
					},
				}
				if diff := cmp.Diff(want, summarize(state)); diff != "" {
					t.Errorf("everything (-want +got):\n%s", diff)
				}

				known := map[string]tree.ID{"drone": state.Folders["drone"].ID, "large": {}}
				state, err = c.Read(t.Context(), loc, git.ReadRequest{Names: []string{"drone", "large", "missing"}, Known: known})
				if err != nil {
					t.Fatal(err)
				}
				want.Entries = map[string][]string{"large": {"README.md " + id("a/b/large/README.md") + " ", "hello " + id("a/b/large/hello") + " "}}
				if diff := cmp.Diff(want, summarize(state)); diff != "" {
					t.Errorf("what differs (-want +got):\n%s", diff)
				}

				apply(t, c, loc, git.Change{Folders: map[string]*tree.Dir{"drone": drone(t, "new")}, Tracking: &git.Tracking{Content: []byte("def"), Expected: tree.File("", []byte("abc")).ID}, Message: "change"})
				if diff := cmp.Diff([]string{"change", "first"}, r.repo.Log(t, "dev")); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
				r.repo.Fsck(t)
			})
		})
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r remote) {
		c := r.client(t)
		check := func(loc git.Location, exists bool) {
			t.Helper()
			head, err := c.Head(t.Context(), loc)
			if err != nil || head.IsZero() == exists {
				t.Errorf("Head(%s) = %s, %v", loc, head, err)
			}
			state, err := c.Read(t.Context(), loc, git.ReadRequest{All: true})
			if err != nil || state.Head != head || len(state.Folders) != 0 || !state.Tracking.IsZero() {
				t.Errorf("Read(%s) = %+v, %v", loc, state, err)
			}
		}
		check(r.at("dev", "."), false) // an empty repository
		r.repo.CommitFiles(t, "main", map[string][]byte{"file": []byte("f")}, "first")
		check(r.at("dev", "."), false)
		check(r.at("main", "."), true)
		check(r.at("main", "no/such/path"), true)
		check(r.at("main", "file/below"), true)
	})
}

func TestReadOnlyLoginSuffices(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x")}, "first")
	server := gittest.ServeHTTP(t, repo, gittest.WithLogin(user, password), gittest.WithReadOnlyLogin("reader", "only-reading"))
	c := newClient(t, git.Credential{URLPrefix: server.URL(), Username: "reader", Password: "only-reading"})
	loc := git.Location{Repo: server.URL(), Branch: "dev"}
	state, err := c.Read(t.Context(), loc, git.ReadRequest{All: true})
	if err != nil || len(state.Folders) != 1 {
		t.Errorf("state %+v, error %v", state, err)
	}
	_, err = c.Apply(t.Context(), loc, git.Change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}})
	wantKind(t, err, git.KindForbidden, "403", "right", "to write")
}

// A look at a branch that is as known fetches the trees on the path and nothing else.
func TestReadFetchesLittle(t *testing.T) {
	t.Parallel()
	var fetches atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ *gittest.Repo) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		}
		return false
	})
	r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x"), "large/f": []byte("y")}, "first")
	c, loc := r.client(t), r.at("dev", ".")
	if _, err := c.Head(t.Context(), loc); err != nil || fetches.Load() != 0 {
		t.Errorf("Head fetched %d times, error %v", fetches.Load(), err)
	}
	state, err := c.Read(t.Context(), loc, git.ReadRequest{All: true})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]tree.ID{}
	for name, folder := range state.Folders {
		known[name] = folder.ID
	}
	fetches.Store(0)
	if _, err := c.Read(t.Context(), loc, git.ReadRequest{All: true, Known: known}); err != nil || fetches.Load() != 1 {
		t.Errorf("Read fetched %d times, error %v", fetches.Load(), err)
	}
}

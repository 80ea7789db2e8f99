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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// found is a State as tests compare it.
type found struct {
	Head, Tracking string
	Folders        map[string]string
	Entries        map[string][]string
}

func (p place) summarize(s *git.State) found {
	f := found{Head: s.Head.String(), Tracking: s.ID(trackingFile).String(), Folders: map[string]string{}, Entries: map[string][]string{}}
	for name, folder := range p.folders(s) {
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
			eachTransport(t, func(t *testing.T, r origin) {
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

				state, err := loc.read(t, c, look{All: true, Contents: []string{"README.md"}})
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
				if diff := cmp.Diff(want, loc.summarize(state)); diff != "" {
					t.Errorf("everything (-want +got):\n%s", diff)
				}

				known := map[string]tree.ID{"drone": loc.folders(state)["drone"].ID, "large": {}}
				state, err = loc.read(t, c, look{Names: []string{"drone", "large", "missing"}, Known: known})
				if err != nil {
					t.Fatal(err)
				}
				want.Entries = map[string][]string{"large": {"README.md " + id("a/b/large/README.md") + " ", "hello " + id("a/b/large/hello") + " "}}
				if diff := cmp.Diff(want, loc.summarize(state)); diff != "" {
					t.Errorf("what differs (-want +got):\n%s", diff)
				}

				apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "new")}, Tracking: &tracking{Content: []byte("def"), Expected: tree.File("", []byte("abc")).ID}, Message: "change"})
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
	eachTransport(t, func(t *testing.T, r origin) {
		c := r.client(t)
		check := func(loc place, exists bool) {
			t.Helper()
			head, err := c.Head(t.Context(), loc.Branch)
			if err != nil || head.IsZero() == exists {
				t.Errorf("Head(%s) = %s, %v", loc, head, err)
			}
			state, err := loc.read(t, c, look{All: true})
			if err != nil || state.Head != head || len(state.Found) != 0 {
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
	loc := at(server.URL(), "dev")
	state, err := loc.read(t, c, look{All: true})
	if err != nil || len(loc.folders(state)) != 1 {
		t.Errorf("state %+v, error %v", state, err)
	}
	_, err = applying(t.Context(), c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}})
	wantKind(t, err, remote.KindForbidden, "403", "right", "to write")
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
	if _, err := c.Head(t.Context(), loc.Branch); err != nil || fetches.Load() != 0 {
		t.Errorf("Head fetched %d times, error %v", fetches.Load(), err)
	}
	state, err := loc.read(t, c, look{All: true})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]tree.ID{}
	for name, folder := range loc.folders(state) {
		known[name] = folder.ID
	}
	fetches.Store(0)
	if _, err := loc.read(t, c, look{All: true, Known: known}); err != nil || fetches.Load() != 1 {
		t.Errorf("Read fetched %d times, error %v", fetches.Load(), err)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// found is a State as tests compare it.
type found struct {
	Head    string
	Paths   map[string]string
	Entries map[string][]string
}

func summarize(s *git.Answer) found {
	f := found{Head: s.Head.String(), Paths: map[string]string{}, Entries: map[string][]string{}}
	for path, there := range s.Found {
		f.Paths[path] = there.ID.String()
		for _, e := range there.Entries {
			f.Entries[path] = append(f.Entries[path], e.Name+" "+e.ID.String()+" "+string(e.Content))
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
	whole := gittest.NewBare(t)
	whole.CommitFiles(t, "dev", map[string][]byte{
		"a/b/drone/README.md": []byte("# drone"), "a/b/drone/hello/x.yaml": []byte("x"),
		"a/b/large/README.md": []byte("# large"), "a/b/large/hello/x.yaml": []byte("y"),
		"a/b/.dot/x": []byte("d"), "a/b/file": []byte("f"), "root": []byte("r"),
		single: []byte("abc"),
	}, "first")
	ids := map[string]string{}
	for _, path := range []string{single, "a/b/drone", "a/b/drone/README.md", "a/b/drone/hello", "a/b/large", "a/b/large/README.md",
		"a/b/large/hello"} {
		ids[path] = whole.Tree(t, "dev", path)
	}
	eachServer(t, func(t *testing.T, r origin) {
		r.disk.CopyFrom(t, whole)
		c, dev := r.client(t), r.branch("dev")

		state, err := c.Read(t.Context(), dev, git.Query{
			Paths:  map[string]tree.Entry{single: {Mode: tree.ModeFile}},
			Folder: "a/b", Others: visible,
			Content: func(file string) bool { return path.Base(file) == "README.md" },
		})
		if err != nil {
			t.Fatal(err)
		}
		want := found{
			Head:  r.repo.Head(t, "dev"),
			Paths: map[string]string{single: ids[single], "a/b/drone": ids["a/b/drone"], "a/b/large": ids["a/b/large"]},
			Entries: map[string][]string{
				"a/b/drone": {"README.md " + ids["a/b/drone/README.md"] + " # drone", "hello " + ids["a/b/drone/hello"] + " "},
				"a/b/large": {"README.md " + ids["a/b/large/README.md"] + " # large", "hello " + ids["a/b/large/hello"] + " "},
			},
		}
		if diff := cmp.Diff(want, summarize(state)); diff != "" {
			t.Errorf("everything (-want +got):\n%s", diff)
		}

		state, err = c.Read(t.Context(), dev, git.Query{Paths: map[string]tree.Entry{
			single: {Mode: tree.ModeFile}, "a/b/drone": {Mode: tree.ModeDir, ID: state.ID("a/b/drone")},
			"a/b/large": {Mode: tree.ModeDir}, "a/b/missing": {Mode: tree.ModeDir},
		}})
		if err != nil {
			t.Fatal(err)
		}
		want.Entries = map[string][]string{"a/b/large": {"README.md " + ids["a/b/large/README.md"] + " ", "hello " + ids["a/b/large/hello"] +
			" "}}
		if diff := cmp.Diff(want, summarize(state)); diff != "" {
			t.Errorf("what differs (-want +got):\n%s", diff)
		}

		apply(t, c, dev, "change", edits{"a/b/drone": folder(drone(t, "new")), single: file("def")})
		if diff := cmp.Diff([]string{"change", "first"}, r.repo.Log(t, "dev")); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		r.repo.Fsck(t)
	})
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		c := r.client(t)
		check := func(branch git.Branch, path string, exists bool) {
			t.Helper()
			head, err := c.Head(t.Context(), branch)
			if err != nil || head.IsZero() == exists {
				t.Errorf("Head(%s) = %s, %v", branch, head, err)
			}
			state, err := c.Read(t.Context(), branch, git.Query{Folder: path, Others: visible})
			if err != nil || state.Head != head || len(state.Found) != 0 {
				t.Errorf("Read(%s) below %s = %+v, %v", branch, path, state, err)
			}
		}
		check(r.branch("dev"), ".", false) // an empty repository
		r.repo.CommitFiles(t, "main", map[string][]byte{"file": []byte("f")}, "first")
		check(r.branch("dev"), ".", false)
		check(r.branch("main"), ".", true)
		check(r.branch("main"), "no/such/path", true)
		check(r.branch("main"), "file/below", true)
	})
}

func TestReadOnlyLoginSuffices(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x")}, "first")
	server := gittest.ServeHTTP(t, repo, gittest.WithLogin(user, password), gittest.WithReadOnlyLogin("reader", "only-reading"))
	c := newClient(t, git.Credential{URLPrefix: server.URL(), Username: "reader", Password: "only-reading"})
	dev := git.Branch{Repo: server.URL(), Name: "dev"}
	state, err := c.Read(t.Context(), dev, git.Query{Others: visible})
	if err != nil || len(state.Found) != 1 {
		t.Errorf("state %+v, error %v", state, err)
	}
	err = write(t.Context(), c, dev, "drone", drone(t, "one"))
	wantKind(t, err, remote.KindForbidden, "403", "right", "to write")
}

// A look at a branch that is as known fetches the trees on the path and nothing else.
func TestReadFetchesLittle(t *testing.T) {
	t.Parallel()
	var fetches atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		}
		return false
	})
	r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x"), "large/f": []byte("y")}, "first")
	c, dev := r.client(t), r.branch("dev")
	if _, err := c.Head(t.Context(), dev); err != nil || fetches.Load() != 0 {
		t.Errorf("Head fetched %d times, error %v", fetches.Load(), err)
	}
	state, err := c.Read(t.Context(), dev, git.Query{Others: visible})
	if err != nil {
		t.Fatal(err)
	}
	known := git.Query{Paths: map[string]tree.Entry{}, Others: visible}
	for path, folder := range state.Found {
		known.Paths[path] = tree.Entry{Mode: folder.Mode, ID: folder.ID}
	}
	fetches.Store(0)
	if _, err := c.Read(t.Context(), dev, known); err != nil || fetches.Load() != 1 {
		t.Errorf("Read fetched %d times, error %v", fetches.Load(), err)
	}
}

// A branch that has not moved is not read, and Decide gets Unchanged.
func TestReadUnchanged(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, r origin) {
		r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/f": []byte("x"), single: []byte("abc")}, "first")
		c, dev := r.client(t), r.branch("dev")
		head, err := c.Head(t.Context(), dev)
		if err != nil {
			t.Fatal(err)
		}
		query := git.Query{
			Head: head, Paths: map[string]tree.Entry{single: {Mode: tree.ModeFile}, "drone": {Mode: tree.ModeDir}}, Others: visible,
			Content: func(string) bool { return true },
			Compare: func(*git.Answer) map[string]tree.Entry {
				t.Error("nothing has changed, but something is to be compared")
				return nil
			},
		}
		state, err := c.Read(t.Context(), dev, query)
		if err != nil || !state.Unchanged || state.Head != head || len(state.Found) > 0 || state.Differences != nil {
			t.Errorf("%+v, error %v", state, err)
		}
		unchanged := true
		decide := func(found *git.Answer) (git.Change, error) {
			if found.Unchanged != unchanged || (len(found.Found) == 0) != unchanged {
				t.Errorf("the job is told %+v", found)
			}
			return git.Change{Edits: edits{"large": folder(drone(t, "l"))}, Message: "write"}, nil
		}
		query.Compare = nil
		if _, err := c.Apply(t.Context(), dev, git.Work{Look: query, Decide: decide}); err != nil {
			t.Fatal(err)
		}
		unchanged = false
		if state, err = c.Read(t.Context(), dev, query); err != nil || state.Unchanged || len(state.Found) != 3 {
			t.Errorf("%+v, error %v", state, err)
		}
		if _, err := c.Apply(t.Context(), dev, git.Work{Look: query, Decide: decide}); err != nil {
			t.Fatal(err)
		}
		// A branch that is not there never is where it was.
		state, err = c.Read(t.Context(), r.branch("none"), git.Query{})
		if err != nil || state.Unchanged || !state.Head.IsZero() {
			t.Errorf("%+v, error %v", state, err)
		}
	})
}

// What a job looks at is what it decides about, and its errors end it.
func TestApplyDecides(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/README.md": []byte("# drone"), "drone/x/y": []byte("y"), single: []byte("abc")},
		"first")
	c, dev := r.client(t), r.branch("dev")
	head := r.repo.Head(t, "dev")
	look := git.Query{
		Paths:   map[string]tree.Entry{single: {Mode: tree.ModeFile}, "drone": {Mode: tree.ModeDir}, "missing": {Mode: tree.ModeDir}},
		Content: func(file string) bool { return file == "drone/README.md" },
	}
	refused := errors.New("refused")
	for name, draft := range map[string]func(job git.Work) error{
		"apply": func(job git.Work) error {
			_, err := c.Apply(t.Context(), dev, job)
			return err
		},
		"propose": func(job git.Work) error {
			_, err := c.Propose(t.Context(), dev, git.Draft{Work: job})
			return err
		},
	} {
		err := draft(git.Work{Look: look, Decide: func(found *git.Answer) (git.Change, error) {
			want := found.Found["drone"]
			if found.Head.String() != head || len(found.Found) != 2 || want == nil || string(want.Entries[0].Content) != "# drone" ||
				want.Entries[1].Content != nil || found.ID(single) != blob("abc") {
				t.Errorf("%s: found %+v", name, found)
			}
			return git.Change{}, refused
		}})
		if !errors.Is(err, refused) || r.repo.Head(t, "dev") != head || r.repo.Head(t, "proposal") != "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

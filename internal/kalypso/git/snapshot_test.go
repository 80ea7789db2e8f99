// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// readAll opens a revision and returns the content of all files below a folder.
func readAll(t testing.TB, run *git.Snapshots, at git.Revision, folder string) (map[string]string, error) {
	t.Helper()
	snapshot, err := run.Open(t.Context(), at, folder)
	if err != nil {
		return nil, err
	}
	return filesOf(t, snapshot, folder)
}

func filesOf(t testing.TB, snapshot *git.Snapshot, folder string) (map[string]string, error) {
	t.Helper()
	ids := map[string]tree.ID{}
	err := snapshot.Walk(folder, func(path string, e tree.Entry) error {
		if e.Mode == tree.ModeFile {
			ids[path] = e.ID
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := snapshot.Fetch(t.Context(), slices.Collect(maps.Values(ids))...); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for path, id := range ids {
		content, err := snapshot.Blob(id)
		if err != nil {
			return nil, err
		}
		files[path] = string(content)
	}
	return files, nil
}

// Whatever a server allows, a branch's head, a commit of its past and an
// abbreviated one are read the same way.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	whole := gittest.NewBare(t)
	old := whole.CommitFiles(t, "dev", map[string][]byte{
		"top.yaml": []byte("top"), "a/b/x.yaml": []byte("x"), "a/b/c/y.yaml": []byte("y"), "a/same/x.yaml": []byte("x"),
	}, "first")
	whole.CommitFiles(t, "dev", map[string][]byte{"a/b/x.yaml": []byte("new")}, "next")
	whole.CommitNothing(t, "dev", 24) // more than the history that is looked at first
	head := whole.Head(t, "dev")
	eachServer(t, func(t *testing.T, r origin) {
		r.disk.CopyFrom(t, whole)
		run := r.client(t).Snapshots()

		inFolder := map[string]string{"a/b/x.yaml": "x", "a/b/c/y.yaml": "y"}
		everything := map[string]string{"top.yaml": "top", "a/b/x.yaml": "new", "a/b/c/y.yaml": "y", "a/same/x.yaml": "x"}
		for name, test := range map[string]struct {
			at     git.Revision
			folder string
			commit string
			files  map[string]string
		}{
			"head":        {git.Revision{Repo: r.url, Branch: "dev"}, ".", head, everything},
			"head's id":   {git.Revision{Repo: r.url, Commit: strings.ToUpper(head)}, "", head, everything},
			"folder":      {git.Revision{Repo: r.url, Branch: "dev"}, "./a/b/c/", head, map[string]string{"a/b/c/y.yaml": "y"}},
			"pinned":      {git.Revision{Repo: r.url, Branch: "dev", Commit: old}, "a/b", old, inFolder},
			"abbreviated": {git.Revision{Repo: r.url, Branch: "dev", Commit: old[:9]}, "a/b", old, inFolder},
			"no folder":   {git.Revision{Repo: r.url, Branch: "dev"}, "a/missing", head, map[string]string{}},
		} {
			snapshot, err := run.Open(t.Context(), test.at, test.folder)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			files, err := filesOf(t, snapshot, test.folder)
			if err != nil || snapshot.Commit().String() != test.commit {
				t.Errorf("%s: commit %s, want %s; %v", name, snapshot.Commit(), test.commit, err)
			}
			if diff := cmp.Diff(test.files, files); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestSnapshotErrors(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		r.repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "first")
		elsewhere := r.repo.CommitFiles(t, "other", map[string][]byte{"f": []byte("y")}, "elsewhere")
		missing := strings.Repeat("12345678", 5)
		run := r.client(t).Snapshots()
		for name, test := range map[string]struct {
			at    git.Revision
			kind  remote.ErrorKind
			words []string
		}{
			"branch":                   {git.Revision{Branch: "missing"}, remote.KindBranchNotFound, []string{`no branch "missing"`}},
			"commit":                   {git.Revision{Branch: "dev", Commit: missing}, remote.KindCommitNotFound, []string{missing, `"dev"`}},
			"commit without a branch":  {git.Revision{Commit: missing}, remote.KindCommitNotFound, []string{missing, "name the branch"}},
			"commit of another branch": {git.Revision{Branch: "dev", Commit: elsewhere[:8]}, remote.KindCommitNotFound, []string{elsewhere[:8]}},
		} {
			test.at.Repo = r.url
			_, err := run.Open(t.Context(), test.at, ".")
			if test.words = append(test.words, remote.Redact(r.url)); err == nil {
				t.Errorf("%s: no error", name)
				continue
			}
			wantKind(t, err, test.kind, test.words...)
		}
		for name, at := range map[string]git.Revision{
			"neither": {Repo: r.url}, "no id": {Repo: r.url, Commit: "HEAD"}, "no branch name": {Repo: r.url, Branch: "a..b"},
			"no URL": {Repo: "x", Branch: "dev"},
		} {
			if _, err := run.Open(t.Context(), at, "."); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if _, err := run.Open(t.Context(), git.Revision{Repo: r.url, Branch: "dev"}, "../up"); err == nil {
			t.Error("a folder outside of the repository: no error")
		}
	})
}

// However many ask, references are listed once, and nothing is fetched twice.
func TestSnapshotsFetchOnce(t *testing.T) {
	t.Parallel()
	var lists, fetches atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		} else {
			lists.Add(1)
		}
		return false
	})
	first := r.repo.CommitFiles(t, "dev", map[string][]byte{"a/x.yaml": []byte("x")}, "first")
	run, at := r.client(t).Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}
	var readers sync.WaitGroup
	for range 10 {
		readers.Go(func() {
			files, err := readAll(t, run, at, ".")
			if diff := cmp.Diff(map[string]string{"a/x.yaml": "x"}, files); diff != "" || err != nil {
				t.Errorf("files (-want +got):\n%s%v", diff, err)
			}
		})
	}
	readers.Wait()
	if lists.Load() != 1 || fetches.Load() != 2 {
		t.Errorf("listed %d times, fetched %d times; want 1 and 2", lists.Load(), fetches.Load())
	}

	// A run sees one state of the repository, also when the branch moves on.
	r.repo.CommitFiles(t, "dev", map[string][]byte{"a/x.yaml": []byte("new")}, "second")
	for _, at := range []git.Revision{at, {Repo: r.url, Branch: "dev", Commit: first}} {
		if files, err := readAll(t, run, at, "a"); err != nil || files["a/x.yaml"] != "x" {
			t.Errorf("%s: %v, %v", at, files, err)
		}
	}
	if lists.Load() != 1 {
		t.Errorf("listed %d times", lists.Load())
	}
}

// Only trees and the files that are asked for travel.
func TestSnapshotFetchesLittle(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	noise := func(seed int) []byte {
		var b bytes.Buffer
		for i := range 2_000 {
			fmt.Fprintf(&b, "%x", (i+seed)*2654435761)
		}
		return b.Bytes()
	}
	files := map[string][]byte{"wanted/x.yaml": []byte("x")}
	for i := range 50 {
		files[fmt.Sprintf("other/%d", i)] = noise(i)
	}
	r.repo.CommitFiles(t, "dev", files, "first")
	for range 5 {
		r.repo.CommitFiles(t, "dev", map[string][]byte{"other/0": noise(100)}, "history")
	}
	got, err := readAll(t, r.client(t).Snapshots(), git.Revision{Repo: r.url, Branch: "dev"}, "wanted")
	if err != nil || got["wanted/x.yaml"] != "x" {
		t.Fatalf("%v, %v", got, err)
	}
	if sent := r.server.Sent(); sent > 5_000 {
		t.Errorf("%d bytes were sent for a file of one byte", sent)
	}
}

func TestSnapshotModes(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"dir/f": []byte("x")}, "first")
	r.repo.CommitSymlink(t, "dev", "link", "dir")
	snapshot, err := r.client(t).Snapshots().Open(t.Context(), git.Revision{Repo: r.url, Branch: "dev"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]tree.Mode{"": tree.ModeDir, "dir": tree.ModeDir, "dir/f": tree.ModeFile, "link": tree.ModeSymlink} {
		if e, ok, err := snapshot.Find(path); err != nil || !ok || e.Mode != want {
			t.Errorf("%q: %v, %v, %v", path, e, ok, err)
		}
	}
	for _, path := range []string{"missing", "dir/f/x", "link/f"} {
		if e, ok, err := snapshot.Find(path); err != nil || ok {
			t.Errorf("%q: %v, %v, %v", path, e, ok, err)
		}
	}
	if err := snapshot.Walk(".", func(string, tree.Entry) error { return fs.ErrClosed }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the error of visit is lost: %v", err)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The git command line itself can clone from the HTTP server and push to it.
func TestServeHTTP(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "main", map[string][]byte{"a/b": []byte("one"), "c": []byte("two\n")}, "first")
	server := gittest.ServeHTTP(t, repo, gittest.WithLogin("writer", "w"), gittest.WithReadOnlyLogin("reader", "r"))

	dir := filepath.Join(t.TempDir(), "clone")
	git := func(args ...string) (string, error) {
		out, err := gittest.Command(t.Context(), args...).CombinedOutput()
		return string(out), err
	}
	if out, err := git("clone", server.URL(), dir); err == nil {
		t.Errorf("git clones without a login: %s", out)
	}
	if out, err := git("clone", login(t, server.URL(), "reader", "r"), dir); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "c"), []byte("three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := git("-C", dir, "commit", "--all", "--message", "second"); err != nil {
		t.Fatalf("git commit: %v\n%s", err, out)
	}
	if out, err := git("-C", dir, "push", "origin", "main"); err == nil || !strings.Contains(out, "403") {
		t.Errorf("git pushes with a login for reading: %v\n%s", err, out)
	}
	if out, err := git("-C", dir, "push", login(t, server.URL(), "writer", "w"), "main"); err != nil {
		t.Fatalf("git push: %v\n%s", err, out)
	}
	if diff := cmp.Diff([]string{"second", "first"}, repo.Log(t, "main")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a/b": "one", "c": "three\n"}, repo.Files(t, "main")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if server.Requests() == 0 || server.Sent() == 0 || server.Received() == 0 {
		t.Errorf("the server counts %d requests, %d bytes sent, %d received", server.Requests(), server.Sent(), server.Received())
	}
	repo.Fsck(t)
}

// A push whose connection is cut has not happened, or has if only the answer is lost.
func TestHTTPFault(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.NewBare(t)
			head := repo.CommitFiles(t, "main", map[string][]byte{"a": []byte("one")}, "first")
			server := gittest.ServeHTTP(t, repo)
			var happened atomic.Bool
			server.Fail(gittest.Fault{Request: "GET /info/refs?service=git-receive-pack", After: 1,
				Then: func() { t.Error("the second request never comes") }})
			server.Fail(gittest.Fault{Request: "POST /git-receive-pack", Lost: lost, Then: func() { happened.Store(true) }})
			// On a connection that was used before, git would try again.
			push := []string{"-C", repo.Path(), "-c", "http.extraHeader=Connection: close", "push", server.URL(), "main:copy"}
			out, err := gittest.Command(t.Context(), push...).CombinedOutput()
			if err == nil || !happened.Load() {
				t.Errorf("the push was not cut: %v\n%s", err, out)
			}
			if now := repo.Head(t, "copy"); lost != (now == head) {
				t.Errorf("copy is %q, main is %q", now, head)
			}
			if want := []string{"GET /info/refs?service=git-receive-pack", "POST /git-receive-pack"}; !slices.Equal(want, server.Log()) {
				t.Errorf("log %q, want %q", server.Log(), want)
			}
		})
	}
}

func login(t *testing.T, text, user, password string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, password)
	return u.String()
}

func TestRepo(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	if head, log := repo.Head(t, "main"), repo.Log(t, "main"); head != "" || log != nil {
		t.Errorf("an empty repository has head %q and log %v", head, log)
	}
	first := repo.CommitFiles(t, "main", map[string][]byte{"dir/kept": []byte("k"), "dir/gone": []byte("g"), "all/gone": []byte("a")}, "first")
	repo.CommitFiles(t, "main", map[string][]byte{"dir/gone": nil, "all": nil}, "second")
	if first == "" || first == repo.Head(t, "main") {
		t.Errorf("first commit %q, head %q", first, repo.Head(t, "main"))
	}
	if diff := cmp.Diff(map[string]string{"dir/kept": "k"}, repo.Files(t, "main")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if content, err := os.ReadFile(filepath.Join(repo.Clone(t, "main"), "dir", "kept")); err != nil || string(content) != "k" {
		t.Errorf("the clone holds %q, error %v", content, err)
	}
	repo.DeleteBranch(t, "main")
	if head := repo.Head(t, "main"); head != "" {
		t.Errorf("the deleted branch has head %q", head)
	}
}

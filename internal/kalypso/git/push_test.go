// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// commitID makes a commit on a branch and returns its id.
func commitID(t testing.TB, repo gittest.Repository, branch, content string) tree.ID {
	t.Helper()
	id, err := tree.ParseID(repo.CommitFiles(t, branch, map[string][]byte{"file": []byte(content)}, content))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDeleteBranch(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		commitID(t, r.repo, "main", "kept")
		ours := commitID(t, r.repo, "kalypso/dev/1", "ours")
		client, loc := r.client(t), r.branch("kalypso/dev/1")
		for _, attempt := range []string{"first", "second, when it is gone"} {
			if gone, err := client.DeleteBranch(t.Context(), loc, ours); err != nil || !gone {
				t.Errorf("%s: gone %v, error %v", attempt, gone, err)
			}
		}
		if r.repo.Head(t, "kalypso/dev/1") != "" || r.repo.Head(t, "main") == "" {
			t.Error("another branch was deleted")
		}
	})
}

// A branch that somebody has pushed to is kept, whenever that happened.
func TestDeleteBranchThatMoved(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	ours := commitID(t, r.repo, "change", "ours")
	theirs := commitID(t, r.repo, "change", "theirs")
	if gone, err := r.client(t).DeleteBranch(t.Context(), r.branch("change"), ours); err != nil || gone {
		t.Errorf("gone %v, error %v", gone, err)
	}
	if head := r.repo.Head(t, "change"); head != theirs.String() {
		t.Errorf("head %s, want %s", head, theirs)
	}
}

func TestDeleteBranchLostRace(t *testing.T) {
	t.Parallel()
	var raced atomic.Bool
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, repo gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-receive-pack") && !raced.Swap(true) {
			repo.CommitFiles(t, "change", map[string][]byte{"file": []byte("theirs")}, "theirs")
		}
		return false
	})
	ours := commitID(t, r.repo, "change", "ours")
	if gone, err := r.client(t).DeleteBranch(t.Context(), r.branch("change"), ours); err != nil || gone {
		t.Errorf("gone %v, error %v", gone, err)
	}
	if log := r.repo.Log(t, "change"); len(log) != 2 {
		t.Errorf("log %v", log)
	}
}

func TestDeleteBranchFaults(t *testing.T) {
	t.Parallel()
	var faults atomic.Int32
	r := httpRemote(t, func(w http.ResponseWriter, _ *http.Request, _ gittest.Repository) bool {
		if faults.Add(1) > 2 {
			return false
		}
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return true
	})
	ours := commitID(t, r.repo, "change", "ours")
	if gone, err := r.client(t).DeleteBranch(t.Context(), r.branch("change"), ours); err != nil || !gone {
		t.Errorf("gone %v, error %v", gone, err)
	}
}

func TestDeleteBranchRefused(t *testing.T) {
	t.Parallel()
	r := diskRemote(t)
	ours := commitID(t, r.repo, "change", "ours")
	r.disk.InstallHook(t, "pre-receive", "echo the branch is protected; exit 1")
	gone, err := r.client(t).DeleteBranch(t.Context(), r.branch("change"), ours)
	if gone || err == nil {
		t.Fatalf("gone %v, error %v", gone, err)
	}
	wantKind(t, err, remote.KindRefused, r.url+" refused to delete branch change", "the branch is protected")
}

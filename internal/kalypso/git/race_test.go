// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A commit between our listing and our push is not an error, for any answer of the server to
// the push.
func TestApplyLostRace(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{"before the push is announced": "/info/refs?service=git-receive-pack",
		"before the pack arrives": "/git-receive-pack"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var races atomic.Int32
			r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, repo gittest.Repository) bool {
				if strings.HasSuffix(request.URL.String(), when) {
					if n := races.Add(1); n <= 8 {
						repo.CommitFiles(t, "dev", map[string][]byte{fmt.Sprintf("other/%d", n): []byte("x")}, "race")
					}
				}
				return false
			})
			r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
			apply(t, r.client(t), r.branch("dev"), "create", edits{"drone": folder(drone(t, "one"))})
			files := r.repo.Files(t, "dev")
			if files["other/8"] != "x" || files["drone/hello/reconciler.yaml"] != "one" {
				t.Errorf("something was lost: %v", files)
			}
			if log := r.repo.Log(t, "dev"); len(log) != 10 || log[0] != "create" {
				t.Errorf("log %v", log)
			}
			r.repo.Fsck(t)
		})
	}
}

// If the push has worked and its answer is lost, we do not commit again.
func TestApplyLostAnswer(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	repo := gitmem.New(t)
	inner := gittest.ServeHTTP(t, repo)
	outer := gittest.ServeHTTP(t, repo, gittest.WithHook(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") || lost.Swap(true) {
			return false
		}
		answer, err := http.Post(inner.URL()+"/git-receive-pack", r.Header.Get("Content-Type"), r.Body)
		if err == nil {
			_ = answer.Body.Close()
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	}))
	result := apply(t, newClient(t), git.Branch{Repo: outer.URL(), Name: "dev"}, "create", edits{"drone": folder(drone(t, "one"))})
	if repo.Head(t, "dev") != result.String() || len(repo.Log(t, "dev")) != 1 {
		t.Errorf("result %+v, log %v", result, repo.Log(t, "dev"))
	}
}

func TestApplyManyWriters(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, r origin) {
		const writers, commits = 4, 2
		var group errgroup.Group
		for w := range writers {
			// with the real waits; one client would let them take turns
			c, err := git.NewClient(git.Options{Trust: ofThisMachine, Credentials: []git.Credential{r.credential}})
			if err != nil {
				t.Fatal(err)
			}
			group.Go(func() error {
				path := fmt.Sprintf("fleet/type%d", w)
				for n := range commits {
					change := job(fmt.Sprintf("%s %d", path, n), edits{path: folder(drone(t, fmt.Sprint(n)))})
					if _, err := c.Apply(t.Context(), r.branch("dev"), change); err != nil {
						return fmt.Errorf("%s, commit %d: %w", path, n, err)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if log := r.repo.Log(t, "dev"); len(log) != writers*commits {
			t.Errorf("%d commits arrived, want %d", len(log), writers*commits)
		}
		files := r.repo.Files(t, "dev")
		for w := range writers {
			if got := files[fmt.Sprintf("fleet/type%d/hello/reconciler.yaml", w)]; got != fmt.Sprint(commits-1) {
				t.Errorf("writer %d: %q", w, got)
			}
		}
		r.repo.Fsck(t)
	})
}

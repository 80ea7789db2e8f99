// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func TestClose(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		for range 2 {
			if err := r.Comment(t.Context(), q.Number, "No longer needed."); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(t.Context(), q.Number); err != nil {
				t.Fatal(err)
			}
		}
		if got := find(t, h.requests(t), q.Number); got.open || !slices.Equal(got.comments, []string{"No longer needed."}) {
			t.Errorf("the request is %+v", got)
		}
	})
}

// If a rule says what to wait for, the forge waits.
func TestAutoMerge(t *testing.T) {
	t.Parallel()
	for _, method := range []forge.Method{forge.Merge, forge.Squash, forge.Rebase} {
		t.Run(string(method), func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(t *testing.T, h host) {
				h.protect(t)
				r := connect(t, h, &naps{})
				q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
				for range 2 {
					if err := r.AutoMerge(t.Context(), q.Number, method, q.HeadCommit, squashBody); err != nil {
						t.Fatal(err)
					}
				}
				if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Open {
					t.Fatalf("before the review: %+v, error %v", got, err)
				}
				h.approve(t, q.Number)
				got, err := connect(t, h, nil).Await(t.Context(), q.Number, "")
				if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
					t.Errorf("after the review: %+v, error %v", got, err)
				}
				checkSquash(t, h, method == forge.Squash)
				if err := r.AutoMerge(t.Context(), q.Number, method, q.HeadCommit, ""); err != nil {
					t.Errorf("once more: %v", err)
				}
			})
		})
	}
}

// If no rule is open, the forge merges immediately.
func TestAutoMergeAtOnce(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, nil)
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, squashBody); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Await(t.Context(), q.Number, ""); err != nil || got.State != forge.Merged {
			t.Errorf("%+v, error %v", got, err)
		}
		checkSquash(t, h, true)
	})
}

// squashBody is the text below the title of a squashed commit.
const squashBody = "Written by a test.\n\nKalypso-Environment: dev\nKalypso-Run: https://ci.example.com/7\n"

// checkSquash checks that main has a title, and below it the body and nothing of ours
// else. Gitea adds who has merged to the trailers.
func checkSquash(t testing.TB, h host, wants bool) {
	t.Helper()
	title, body, _ := strings.Cut(h.message(t, "main"), "\n\n")
	if got := strings.HasPrefix(body, strings.TrimSpace(squashBody)+"\n"); title == "" || got != wants {
		t.Errorf("the message is %q", h.message(t, "main"))
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		n := &naps{}
		r := connect(t, h, n)
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		n.during = func() {
			if len(n.times) == 3 {
				h.merge(t, q.Number, forge.Squash)
			}
		}
		got, err := r.Await(t.Context(), q.Number, "")
		if err != nil || got.State != forge.Merged || len(n.times) != 3 {
			t.Errorf("%+v after %v, error %v", got, n.times, err)
		}
	})
}

func TestAwaitTimeout(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	n := &naps{}
	r := connect(t, h, n)
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	n.during = cancel
	got, err := r.Await(ctx, q.Number, "")
	if err == nil || got.Number != q.Number || !strings.Contains(err.Error(), q.URL) ||
		!strings.Contains(err.Error(), "more time (timeouts)") {
		t.Errorf("%+v, error %v", got, err)
	}
}

// What somebody else has pushed is never merged automatically, and what was turned on
// before is turned off again.
func TestAutoMergeOfOthers(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		h.protect(t)
		r := connect(t, h, &naps{})
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, ""); err != nil {
			t.Fatal(err)
		}
		h.commit(t, q.Head, "a foreign change")
		pause() // for Gitea to notice
		err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, "")
		if !remote.Is(err, remote.KindHeadMoved) {
			t.Errorf("error %v", err)
		}
		if _, err := r.Await(t.Context(), q.Number, q.HeadCommit); !remote.Is(err, remote.KindHeadMoved) {
			t.Errorf("waiting for the merge: error %v", err)
		}
		h.approve(t, q.Number)
		pause()
		if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Open || got.AutoMerge != "" {
			t.Errorf("after the review: %+v, error %v", got, err)
		}
	})
}

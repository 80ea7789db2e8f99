// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// A newer request closes the older ones of the same resource, and no others.
func TestSupersede(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		old := propose(t, r, proposal(t, h, "kalypso/dev/old"))
		edited := propose(t, r, proposal(t, h, "kalypso/dev/edited"))
		h.commit(t, edited.Head, "a reviewer's change")
		p := proposal(t, h, "kalypso/stage/1")
		p.Marker.Environment = "stage"
		other := propose(t, r, p)
		h.commit(t, "somebodys", "x")
		foreign := h.open(t, "somebodys", "copied", find(t, h.requests(t), old.Number).body)
		newer := propose(t, r, proposal(t, h, "kalypso/dev/new"))

		for attempt, want := range [][]int{{edited.Number, old.Number}, {}} {
			closed, err := r.Supersede(t.Context(), marker, newer, remover(t, h, r))
			if diff := cmp.Diff(want, numbers(closed)); diff != "" || err != nil {
				t.Errorf("attempt %d closes (-want +got), error %v:\n%s", attempt+1, err, diff)
			}
		}
		open := []int{}
		for _, q := range h.requests(t) {
			if q.open {
				open = append(open, q.number)
			}
		}
		if diff := cmp.Diff([]int{other.Number, foreign, newer.Number}, open); diff != "" {
			t.Errorf("open (-want +got):\n%s", diff)
		}
		if h.head(t, old.Head) != "" || h.head(t, edited.Head) == "" || h.head(t, other.Head) == "" || h.head(t, "somebodys") == "" || h.head(t, newer.Head) == "" {
			t.Error("a wrong branch was deleted or kept")
		}
		for number, want := range map[int]string{old.Number: newer.URL, edited.Number: "is kept"} {
			comments := find(t, h.requests(t), number).comments
			if len(comments) != 1 || !strings.Contains(comments[0], want) {
				t.Errorf("request %d has the comments %q", number, comments)
			}
		}
	})
}

// Superseding goes on where an earlier attempt ended, whatever it had done.
func TestSupersedeInterrupted(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		old := propose(t, r, proposal(t, h, "kalypso/dev/old"))
		newer := propose(t, r, proposal(t, h, "kalypso/dev/new"))
		ctx, cancel := context.WithCancel(t.Context())
		_, err := r.Supersede(ctx, marker, newer, func(context.Context, string, string) error {
			cancel()
			return ctx.Err()
		})
		if err == nil {
			t.Error("the interruption is no error")
		}
		if _, err := r.Supersede(t.Context(), marker, newer, remover(t, h, r)); err != nil {
			t.Error(err)
		}
		if got := find(t, h.requests(t), old.Number); got.open || len(got.comments) != 1 || h.head(t, old.Head) != "" {
			t.Errorf("the old request is %+v, its branch at %q", got, h.head(t, old.Head))
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		for range 2 {
			if err := r.Close(t.Context(), q.Number, "No longer needed."); err != nil {
				t.Fatal(err)
			}
		}
		if got := find(t, h.requests(t), q.Number); got.open || !slices.Equal(got.comments, []string{"No longer needed."}) {
			t.Errorf("the request is %+v", got)
		}
	})
}

// Where a rule says what to wait for, the forge waits.
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
					if err := r.AutoMerge(t.Context(), q.Number, method); err != nil {
						t.Fatal(err)
					}
				}
				if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Open {
					t.Fatalf("before the review: %+v, error %v", got, err)
				}
				h.approve(t, q.Number)
				got, err := connect(t, h, nil).Await(t.Context(), q.Number)
				if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
					t.Errorf("after the review: %+v, error %v", got, err)
				}
				if err := r.AutoMerge(t.Context(), q.Number, method); err != nil {
					t.Errorf("once more: %v", err)
				}
			})
		})
	}
}

// Where there is nothing to wait for, it merges at once.
func TestAutoMergeAtOnce(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, nil)
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Await(t.Context(), q.Number); err != nil || got.State != forge.Merged {
			t.Errorf("%+v, error %v", got, err)
		}
	})
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
		got, err := r.Await(t.Context(), q.Number)
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
	got, err := r.Await(ctx, q.Number)
	if err == nil || got.Number != q.Number || !strings.Contains(err.Error(), q.URL) || !strings.Contains(err.Error(), "apply again") {
		t.Errorf("%+v, error %v", got, err)
	}
}

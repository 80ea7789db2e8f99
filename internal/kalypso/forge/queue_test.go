// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// withQueue is a GitHub whose branch main has a merge queue that squashes.
func withQueue(t testing.TB) *githubHost {
	t.Helper()
	h := newGitHubHost(t)
	h.server.AddRuleset(githubtest.Ruleset{Name: "queue", Branches: []string{"main"}, Rules: rules("merge_queue")})
	return h
}

// GitHub puts a request into the queue as soon as no other rule is open. The queue merges it
// with its own method, and Await returns the commit of that merge.
func TestAutoMergeInQueue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protected, noAutoMerge bool
	}{
		"at once":                   {},
		"after a review":            {protected: true},
		"without automatic merging": {noAutoMerge: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := withQueue(t)
			h.server.Configure(func(s *githubtest.Settings) { s.AllowAutoMerge = !test.noAutoMerge })
			if test.protected {
				h.protect(t)
			}
			n := &naps{}
			r := connect(t, h, n)
			q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
			for range 2 {
				if err := r.AutoMerge(t.Context(), q.Number, forge.Merge, q.HeadCommit, ""); err != nil {
					t.Fatal(err)
				}
			}
			if got := h.server.Pull(t, q.Number); got.InQueue == test.protected {
				t.Errorf("the request is %+v", got)
			}
			n.during = func() {
				switch len(n.times) {
				case 1:
					h.approve(t, q.Number)
				case 3:
					h.server.RunQueue(t)
				}
			}
			got, err := r.Await(t.Context(), q.Number, q.HeadCommit)
			if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") || len(n.times) != 3 {
				t.Errorf("%+v after %v, error %v", got, n.times, err)
			}
		})
	}
}

// A request that leaves the queue unmerged is not waited for, and can be put there again.
func TestDequeued(t *testing.T) {
	t.Parallel()
	for reason, words := range map[string]string{"failed_checks": "(failed checks)", "": "(GitHub names no reason)"} {
		h := withQueue(t)
		n := &naps{}
		r := connect(t, h, n)
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		order := func() {
			if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, ""); err != nil {
				t.Fatal(err)
			}
		}
		order()
		n.during = func() { h.server.Dequeue(t, q.Number, reason) }
		got, err := r.Await(t.Context(), q.Number, q.HeadCommit)
		if !remote.Is(err, remote.KindRefused) || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), q.URL) ||
			got.State != forge.Open {
			t.Errorf("%+v, error %v", got, err)
		}
		order()
		if reason, err := r.Dequeued(t.Context(), got); err != nil || reason != "" || !h.server.Pull(t, q.Number).InQueue {
			t.Errorf("ordered again: removed for %q, error %v", reason, err)
		}
	}
}

// GitHub sometimes leaves an event out, and removes a request that it merges, too. While
// automatic merging is on, nobody asks for the queue.
func TestDequeuedOrNot(t *testing.T) {
	t.Parallel()
	for node, want := range map[string]string{
		`"mergeQueueEntry": {"state": "QUEUED"}, "timelineItems": {"nodes": [{"__typename": "RemovedFromMergeQueueEvent", "reason": "x"}]}`: "",
		`"timelineItems": {"nodes": [{"__typename": "RemovedFromMergeQueueEvent", "reason": "merged"}]}`:                                    "",
		`"timelineItems": {"nodes": [{"__typename": "RemovedFromMergeQueueEvent", "reason": null}]}`:                                        "GitHub names no reason",
		`"timelineItems": {"nodes": []}`: "",
	} {
		h := withQueue(t)
		h.server.Fail(githubtest.Fault{Request: "POST /api/graphql", Status: http.StatusOK, Body: `{"data": {"node": {` + node + `}}}`})
		r := connect(t, h, &naps{})
		if got, err := r.Dequeued(t.Context(), forge.Request{}); err != nil || got != want {
			t.Errorf("%s: %q, error %v", node, got, err)
		}
		asked := len(h.server.Requests())
		if got, err := r.Dequeued(t.Context(), forge.Request{AutoMerge: forge.Squash}); err != nil || got != "" ||
			len(h.server.Requests()) > asked {
			t.Errorf("%s: %q after %v, error %v", node, got, h.server.Requests(), err)
		}
	}
}

// A queued request is taken out of the queue if it must not merge.
func TestKeepOpenInQueue(t *testing.T) {
	t.Parallel()
	h := withQueue(t)
	r := connect(t, h, &naps{})
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, ""); err != nil {
		t.Fatal(err)
	}
	h.commit(t, q.Head, "a foreign change")
	if _, err := r.Await(t.Context(), q.Number, q.HeadCommit); !remote.Is(err, remote.KindHeadMoved) {
		t.Errorf("error %v", err)
	}
	h.server.RunQueue(t)
	if got := h.server.Pull(t, q.Number); got.State != "open" || got.InQueue {
		t.Errorf("the request is %+v", got)
	}
}

// Without a sight of queues, GitHub merges as before: an old GitHub Enterprise Server has none,
// and a token may not see them.
func TestQueueUnknown(t *testing.T) {
	t.Parallel()
	for _, words := range []string{`"message": "Field 'isMergeQueueEnabled' doesn't exist on type 'PullRequest'"`,
		`"type": "FORBIDDEN", "message": "Resource not accessible by personal access token"`} {
		h := newGitHubHost(t)
		r := connect(t, h, &naps{})
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		h.server.Fail(githubtest.Fault{Request: "POST /api/graphql", Times: 1, Status: http.StatusOK, Body: `{"errors": [{` + words + `}]}`})
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, ""); err != nil ||
			h.server.Pull(t, q.Number).State != "closed" {
			t.Errorf("%s: error %v", words, err)
		}
	}
}

// Under its former name, a repository has the same requests, and a proposal is completed.
func TestRenamed(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	first := propose(t, connect(t, h, &naps{}), proposal(t, h, "kalypso/dev/1"))
	r, err := forge.NewClient(forge.Options{Forges: []forge.Config{h.config()}}).Repository(t.Context(), h.server.RenamedFrom("acme/fleet"))
	if err != nil {
		t.Fatal(err)
	}
	p := proposal(t, h, "kalypso/dev/1")
	p.Title, p.Labels = "dev: another title", []string{"kalypso"}
	again := propose(t, r, p)
	if got := h.requests(t); again.Number != first.Number || len(got) != 1 || got[0].title != p.Title ||
		!slices.Equal(got[0].labels, p.Labels) {
		t.Errorf("proposed again: %+v; there are %+v", again, got)
	}
	if err := r.AutoMerge(t.Context(), again.Number, forge.Squash, again.HeadCommit, ""); err != nil {
		t.Error(err)
	}
	if got, err := r.Request(t.Context(), again.Number); err != nil || got.State != forge.Merged {
		t.Errorf("%+v, error %v", got, err)
	}
}

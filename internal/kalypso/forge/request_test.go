// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

func TestPropose(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		p := proposal(t, h, "kalypso/dev/0123456789ab")
		p.Labels, p.Reviewers, p.TeamReviewers = []string{"kalypso", "promoted"}, []string{reviewer}, []string{team}
		p.Description.Packages = []forge.PackageChange{{ClusterType: "drone", Package: "hello-world-app-functional-test", Kind: forge.Added,
			Policies: []string{"functional-test-policy"}}}
		q := propose(t, r, p)

		all := h.requests(t)
		if len(all) != 1 {
			t.Fatalf("there are %d requests", len(all))
		}
		got := all[0]
		slices.Sort(got.labels)
		if got.number != q.Number || got.title != p.Title || !got.open ||
			!slices.Equal(got.labels, p.Labels) || !slices.Equal(got.reviewers, p.Reviewers) || !slices.Equal(got.teams, p.TeamReviewers) {
			t.Errorf("the request is %+v", got)
		}
		for _, want := range []string{"packages in 1 cluster type", "`hello-world-app-functional-test`", "`functional-test-policy`"} {
			if !strings.Contains(got.body, want) {
				t.Errorf("the body does not say %q:\n%s", want, got.body)
			}
		}
		if q.State != forge.Open || q.Base != "main" || q.Head != p.Head || q.Author == "" || q.HeadCommit != p.Commit || q.Draft ||
			!strings.HasPrefix(q.URL, h.url()) {
			t.Errorf("Propose gives %+v", q)
		}
		read, err := r.Request(t.Context(), q.Number)
		if err != nil || read.Title != p.Title || read.Author != q.Author || read.HeadCommit != p.Commit {
			t.Errorf("Request gives %+v, error %v", read, err)
		}
	})
}

// The same content never makes a second request: the open one is brought up to date.
func TestProposeAgain(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		p := proposal(t, h, "kalypso/dev/0123456789ab")
		first := propose(t, r, p)
		p.Title, p.Description.Summary, p.Labels, p.Reviewers = "dev: another title", "another summary", []string{"promoted"}, []string{reviewer}
		for range 2 {
			if again := propose(t, r, p); again.Number != first.Number || again.Title != p.Title {
				t.Errorf("the second proposal gives %+v", again)
			}
		}
		all := h.requests(t)
		if len(all) != 1 || all[0].title != p.Title || !strings.Contains(all[0].body, "another summary") ||
			!slices.Equal(all[0].labels, p.Labels) || len(all[0].reviewers) > 0 {
			t.Errorf("requests %+v", all)
		}
	})
}

func TestProposeDraft(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		p := proposal(t, h, "kalypso/dev/0123456789ab")
		p.Draft = true
		q := propose(t, r, p)
		p.Title = "dev: another title"
		again := propose(t, r, p)
		read, err := r.Request(t.Context(), q.Number)
		if err != nil || !q.Draft || !again.Draft || !read.Draft || read.Title != p.Title {
			t.Errorf("first %+v, then %+v, read %+v, error %v", q, again, read, err)
		}
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit, ""); err == nil || !strings.Contains(err.Error(), "draft") {
			t.Errorf("merging a draft automatically: %v", err)
		}
	})
}

// A request's state shows every change of the request, by any user.
func TestFollow(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		for _, method := range []forge.Method{forge.Merge, forge.Squash, forge.Rebase} {
			q := propose(t, r, proposal(t, h, "kalypso/dev/"+string(method)))
			h.merge(t, q.Number, method)
			got, err := r.Request(t.Context(), q.Number)
			if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
				t.Errorf("%s: %+v, error %v, main is %s", method, got, err, h.head(t, "main"))
			}
			remove := remover(t, h, r)
			if err := remove(t.Context(), q.Head, q.HeadCommit); err != nil {
				t.Fatal(err)
			}
			if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Merged || got.Head != q.Head {
				t.Errorf("%s, branch deleted: %+v, error %v", method, got, err)
			}
		}

		q := propose(t, r, proposal(t, h, "kalypso/dev/closed"))
		edited := h.commit(t, q.Head, "a reviewer's change")
		if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Open || got.HeadCommit != edited ||
			edited == q.HeadCommit {
			t.Errorf("edited: %+v, error %v", got, err)
		}
		h.closeRequest(t, q.Number)
		if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Closed || got.MergeCommit != "" {
			t.Errorf("closed: %+v, error %v", got, err)
		}
		// What was closed without a merge is proposed anew.
		p := proposal(t, h, "kalypso/dev/closed")
		if again := propose(t, r, p); again.Number == q.Number || again.State != forge.Open {
			t.Errorf("proposed again: %+v", again)
		}
	})
}

func numbers(requests []forge.Request) []int {
	all := []int{}
	for _, q := range requests {
		all = append(all, q.Number)
	}
	return all
}

// Only requests of the same environment, branch and path are found, and none from
// another branch than our text says.
func TestRequests(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		merged := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		h.merge(t, merged.Number, forge.Squash)
		closed := propose(t, r, proposal(t, h, "kalypso/dev/2"))
		h.closeRequest(t, closed.Number)
		open := propose(t, r, proposal(t, h, "kalypso/dev/3"))
		for i, other := range []forge.Marker{{Environment: "stage", Base: "main", Path: "."},
			{Environment: "dev", Base: "main", Path: "clusters"}} {
			p := proposal(t, h, "kalypso/other/"+string(rune('a'+i)))
			p.Marker = other
			propose(t, r, p)
		}
		h.commit(t, "somebodys", "x")
		h.open(t, "somebodys", "copied", find(t, h.requests(t), open.Number).body)

		for _, test := range []struct {
			states []forge.RequestState
			want   []int
		}{
			{[]forge.RequestState{forge.Open}, []int{open.Number}},
			{[]forge.RequestState{forge.Merged}, []int{merged.Number}},
			{[]forge.RequestState{forge.Closed}, []int{closed.Number}},
			{[]forge.RequestState{forge.Open, forge.Merged, forge.Closed}, []int{open.Number, closed.Number, merged.Number}},
		} {
			got, err := r.Requests(t.Context(), forge.Marker{Environment: "dev", Base: "main"}, test.states...)
			if diff := cmp.Diff(test.want, numbers(got)); diff != "" || err != nil {
				t.Errorf("%v (-want +got), error %v:\n%s", test.states, err, diff)
			}
		}
	})
}

// Forges list in pages.
func TestRequestsManyPages(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	for range 250 {
		h.server.OpenPull("hubot", "main", "main", "another", "")
	}
	got, err := r.Requests(t.Context(), marker, forge.Open)
	if err != nil || len(got) != 1 || got[0].Number != q.Number {
		t.Errorf("got %v, error %v", numbers(got), err)
	}
}

// Who copies our request into a fork, the name of its branch included, does not
// make it ours.
func TestRequestsOfForks(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	p := proposal(t, h, "kalypso/dev/1")
	q := propose(t, r, p)
	body := h.server.Pull(t, q.Number).Body
	h.closeRequest(t, q.Number)
	fork := h.server.OpenFork("mallory", "main", p.Head, p.Title, body)
	if got, err := r.Requests(t.Context(), marker, forge.Open); err != nil || len(got) != 0 {
		t.Errorf("got %v, error %v", numbers(got), err)
	}
	again := propose(t, r, p)
	if again.Number == fork || h.server.Pull(t, fork).State != "open" {
		t.Errorf("the fork's request was taken over: %+v", again)
	}
	if got, err := r.Request(t.Context(), fork); err != nil || !got.Fork || got.Instance != "" {
		t.Errorf("the fork's request is %+v, error %v", got, err)
	}
}

// What is as it has to be is not written again.
func TestProposeUnchanged(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	p := proposal(t, h, "kalypso/dev/1")
	p.Labels, p.Reviewers, p.TeamReviewers = []string{"kalypso"}, []string{reviewer}, []string{team}
	propose(t, r, p)
	before := len(h.server.Requests())
	propose(t, r, p)
	if again := h.server.Requests()[before:]; !slices.Equal(again, []string{"GET " + repository + "/pulls"}) {
		t.Errorf("the second proposal asks %v", again)
	}
}

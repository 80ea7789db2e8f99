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
		if q.State != forge.Open || q.Base != "main" || q.Head != p.Head || q.HeadCommit != h.head(t, p.Head) || q.Draft ||
			!strings.HasPrefix(q.URL, h.url()) {
			t.Errorf("Propose gives %+v", q)
		}
		read, err := r.Request(t.Context(), q.Number)
		if err != nil || read.Number != q.Number || read.Head != p.Head || read.HeadCommit != q.HeadCommit {
			t.Errorf("Request gives %+v, error %v", read, err)
		}
	})
}

// A branch never has a second request. People decide about the open one, except for its labels.
func TestProposeAgain(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		p := proposal(t, h, "kalypso/dev/0123456789ab")
		first := propose(t, r, p)
		title := p.Title
		p.Title, p.Description.Summary, p.Labels, p.Reviewers = "dev: another title", "another summary", []string{"promoted"}, []string{reviewer}
		for range 2 {
			if again := propose(t, r, p); again.Number != first.Number {
				t.Errorf("the second proposal gives %+v", again)
			}
		}
		all := h.requests(t)
		if len(all) != 1 || all[0].title != title || strings.Contains(all[0].body, "another summary") ||
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
		again := propose(t, r, p)
		read, err := r.Request(t.Context(), q.Number)
		if err != nil || !q.Draft || !again.Draft || !read.Draft {
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

// All requests of a branch into the base branch are found, and no others.
func TestFindByHead(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		const head = "kalypso/dev/0123456789ab"
		closed := propose(t, r, proposal(t, h, head))
		h.closeRequest(t, closed.Number)
		merged := propose(t, r, proposal(t, h, head))
		h.merge(t, merged.Number, forge.Squash)
		h.commit(t, head, "once more")
		open := propose(t, r, proposal(t, h, head))
		propose(t, r, proposal(t, h, head+"c"))
		h.commit(t, "somebodys", "x")
		h.open(t, "somebodys", "copied", find(t, h.requests(t), open.Number).body)
		got, err := r.FindByHead(t.Context(), "main", head)
		if diff := cmp.Diff([]int{open.Number, merged.Number, closed.Number}, numbers(got)); diff != "" || err != nil {
			t.Fatalf("(-want +got), error %v:\n%s", err, diff)
		}
		for i, want := range []forge.RequestState{forge.Open, forge.Merged, forge.Closed} {
			if got[i].State != want {
				t.Errorf("request %d is %s, want %s", got[i].Number, got[i].State, want)
			}
		}
		if none, err := r.FindByHead(t.Context(), "other", head); err != nil || len(none) > 0 {
			t.Errorf("requests into another branch: %v, error %v", numbers(none), err)
		}
	})
}

// Forges list in pages.
func TestFindByHeadManyPages(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
	for range 250 {
		h.server.OpenPull("hubot", "main", "main", "another", "")
	}
	got, err := r.FindByHead(t.Context(), "main", "kalypso/dev/1")
	if err != nil || len(got) != 1 || got[0].Number != q.Number {
		t.Errorf("got %v, error %v", numbers(got), err)
	}
}

// A request from a fork is not ours, even if its branch has the name of ours.
func TestFindByHeadOfForks(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	p := proposal(t, h, "kalypso/dev/1")
	q := propose(t, r, p)
	h.closeRequest(t, q.Number)
	fork := h.server.OpenFork("mallory", "main", p.Head, p.Title, h.server.Pull(t, q.Number).Body)
	if got, err := r.FindByHead(t.Context(), "main", p.Head); err != nil || len(got) != 1 || got[0].Number != q.Number {
		t.Errorf("got %v, error %v", numbers(got), err)
	}
	again := propose(t, r, p)
	if again.Number == fork || h.server.Pull(t, fork).State != "open" {
		t.Errorf("the fork's request was taken over: %+v", again)
	}
	if got, err := r.Request(t.Context(), fork); err != nil || !got.Fork {
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// The tests in this file are the contract of a forge.

// A request is opened once, with everything, and is found in each of its states.
func TestRequest(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, napsFor(h))
		p := proposal(t, h, "kalypso/dev/0123456789ab")
		p.Labels, p.Reviewers = []string{"kalypso", "promoted"}, []string{h.reviewer()}
		if r.Check(forge.Settings{TeamReviewers: []string{team}}) == nil {
			p.TeamReviewers = []string{team}
		}
		p.Title = "dev:\n" + strings.Repeat("ö", 300)
		q := propose(t, r, p)
		if again := propose(t, r, p); again.Number != q.Number {
			t.Errorf("the second proposal is %+v", again)
		}
		all := h.requests(t)
		if len(all) != 1 {
			t.Fatalf("there are %d requests", len(all))
		}
		got := all[0]
		slices.Sort(got.labels)
		if got.number != q.Number || !strings.HasPrefix(got.title, "dev:⏎öö") || !got.open || !slices.Equal(got.labels, p.Labels) ||
			!slices.Equal(got.reviewers, p.Reviewers) || !slices.Equal(got.teams, p.TeamReviewers) ||
			!strings.HasPrefix(got.body, "a description ") {
			t.Errorf("the request is %+v", got)
		}
		if q.State != forge.Open || q.Base != "main" || q.Head != p.Head || q.HeadCommit != h.head(t, p.Head) || q.Draft ||
			!strings.HasPrefix(q.URL, h.url()) {
			t.Errorf("Propose gives %+v", q)
		}
		if read, err := r.Request(t.Context(), q.Number); err != nil || read != q {
			t.Errorf("Request gives %+v, error %v, want %+v", read, err, q)
		}

		for range 2 {
			if err := r.Close(t.Context(), q.Number, "No longer needed."); err != nil {
				t.Fatal(err)
			}
		}
		if got := h.requests(t)[0]; got.open || !slices.Equal(got.comments, []string{"No longer needed."}) {
			t.Errorf("the closed request is %+v", got)
		}
		merged := propose(t, r, p)
		h.merge(t, merged.Number, forge.Squash)
		if got, err := r.Request(t.Context(), merged.Number); err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
			t.Errorf("the merged request is %+v, error %v", got, err)
		}
		h.commit(t, p.Head, "once more")
		open := propose(t, r, p)
		propose(t, r, proposal(t, h, p.Head+"c"))
		found, err := r.FindByHead(t.Context(), "main", p.Head)
		var states []string
		for _, q := range found {
			states = append(states, fmt.Sprint(q.Number, " ", q.State))
		}
		want := []string{fmt.Sprint(open.Number, " open"), fmt.Sprint(merged.Number, " merged"), fmt.Sprint(q.Number, " closed")}
		if diff := cmp.Diff(want, states); diff != "" || err != nil {
			t.Errorf("FindByHead (-want +got), error %v:\n%s", err, diff)
		}
		if none, err := r.FindByHead(t.Context(), "other", p.Head); err != nil || len(none) > 0 {
			t.Errorf("into another branch: %+v, error %v", none, err)
		}
		_, read := r.Request(t.Context(), 4711)
		_, awaited := r.Await(t.Context(), 4711, forge.Squash, open.HeadCommit)
		merging, closing := r.AutoMerge(t.Context(), 4711, forge.Squash, open.HeadCommit), r.Close(t.Context(), 4711, "No longer needed.")
		for _, err := range []error{read, awaited, merging, closing} {
			if !remote.Is(err, remote.KindNotFound) {
				t.Errorf("a request that has vanished: %v", err)
			}
		}
	})
}

func TestDraft(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, napsFor(h))
		p := proposal(t, h, "kalypso/dev/1")
		p.Draft = true
		q := propose(t, r, p)
		read, err := r.Request(t.Context(), q.Number)
		if err != nil || !q.Draft || !read.Draft {
			t.Errorf("%+v, read %+v, error %v", q, read, err)
		}
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit); !remote.Is(err, remote.KindNoDraft) {
			t.Errorf("merging a draft: %v", err)
		}
	})
}

// methods are the ways of merging that a host has.
func methods(t testing.TB, h host, r *forge.Repository) (all []forge.Method) {
	t.Helper()
	for _, m := range []forge.Method{forge.Merge, forge.Squash, forge.Rebase} {
		if r.Check(forge.Settings{AutoMerge: m, Wait: true}) == nil {
			all = append(all, m)
		}
	}
	if len(all) < 2 {
		t.Errorf("%T has the ways %v", h, all)
	}
	return all
}

// A request is merged immediately if no rule is open, and otherwise once the rules are met.
func TestAutoMerge(t *testing.T) {
	t.Parallel()
	for _, isGuarded := range []bool{false, true} {
		eachHost(t, func(t *testing.T, h host) {
			n := napsFor(h)
			r := connect(t, h, n)
			if isGuarded {
				h.protect(t)
			}
			for _, method := range methods(t, h, r) {
				q := propose(t, r, proposal(t, h, "kalypso/dev/"+string(method)))
				for range 2 {
					if err := r.AutoMerge(t.Context(), q.Number, method, q.HeadCommit); err != nil {
						t.Fatalf("%s: %v", method, err)
					}
				}
				if isGuarded {
					if got, err := r.Request(t.Context(), q.Number); err != nil || got.State != forge.Open {
						t.Fatalf("%s, before the review: %+v, error %v", method, got, err)
					}
					n.during = sync.OnceFunc(func() { h.approve(t, q.Number) })
				}
				got, err := r.Await(t.Context(), q.Number, method, q.HeadCommit)
				if err != nil || got.State != forge.Merged || got.MergeCommit != h.head(t, "main") {
					t.Errorf("%s: %+v, error %v", method, got, err)
				}
				if err := r.AutoMerge(t.Context(), q.Number, method, q.HeadCommit); err != nil {
					t.Errorf("%s, when it is merged: %v", method, err)
				}
			}
		})
	}
}

// Await follows what people do, and does not wait for a request that somebody has pushed to.
func TestAwait(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		n := napsFor(h)
		r := connect(t, h, n)
		q := propose(t, r, proposal(t, h, "kalypso/dev/1"))
		n.during = func() {
			if len(n.times) == 3 {
				h.closeRequest(t, q.Number)
			}
		}
		if got, err := r.Await(t.Context(), q.Number, "", q.HeadCommit); err != nil || got.State != forge.Closed {
			t.Errorf("%+v, error %v", got, err)
		}
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit); !remote.Is(err, remote.KindRefused) ||
			!strings.Contains(err.Error(), "closed without a merge") {
			t.Errorf("merging a closed request: %v", err)
		}

		n.during = nil
		h.protect(t)
		q = propose(t, r, proposal(t, h, "kalypso/dev/2"))
		h.commit(t, q.Head, "a foreign change")
		if n.real {
			pause()
		}
		if err := r.AutoMerge(t.Context(), q.Number, forge.Squash, q.HeadCommit); !remote.Is(err, remote.KindHeadMoved) {
			t.Errorf("merging a foreign commit: %v", err)
		}
		if _, err := r.Await(t.Context(), q.Number, forge.Squash, q.HeadCommit); !remote.Is(err, remote.KindHeadMoved) {
			t.Errorf("waiting for the merge of a foreign commit: %v", err)
		}

		q = propose(t, r, proposal(t, h, "kalypso/dev/3"))
		ctx, cancel := context.WithCancel(t.Context())
		n.during = cancel
		if got, err := r.Await(ctx, q.Number, "", q.HeadCommit); !remote.Is(err, remote.KindTimeout) || got.Number != q.Number ||
			!strings.Contains(err.Error(), q.URL) {
			t.Errorf("without a merge: %+v, error %v", got, err)
		}
	})
}

// Two runs that propose the same at the same time make one request.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		p := proposal(t, h, "kalypso/dev/1")
		p.Labels = []string{"kalypso"}
		var together sync.WaitGroup
		numbers := make([]int, 4)
		_, isGitea := h.(*giteaHost)
		var one sync.Mutex // Gitea makes two requests of one branch if they come in the same moment
		for i := range numbers {
			together.Go(func() {
				if isGitea {
					one.Lock()
					defer one.Unlock()
				}
				q, err := connect(t, h, napsFor(h)).Propose(t.Context(), p)
				if err != nil {
					t.Error(err)
				}
				numbers[i] = q.Number
			})
		}
		together.Wait()
		if slices.Sort(numbers); numbers[0] != numbers[3] || len(h.requests(t)) != 1 {
			t.Errorf("the requests are %v, in all %d", numbers, len(h.requests(t)))
		}
	})
}

// unknownCommit is a commit that no repository has.
var unknownCommit = strings.Repeat("0123456789", 4)

// The reports of a context come on any page, the latest first, and earlier reports stay.
func TestStatuses(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, napsFor(h))
		commit, other := h.commit(t, "main", "one"), h.commit(t, "main", "two")
		h.report(t, commit, "e2e", forge.Failure)
		h.report(t, other, "e2e", forge.Failure)
		want := []string{"deployed failure kalypso", "e2e success octocat"}
		many := 120 // more than a page, most of them in the same second
		if _, isGitea := h.(*giteaHost); isGitea {
			many = 60
		}
		for i := range many {
			name := fmt.Sprintf("kalypso/prod/large/%03d", i)
			h.report(t, commit, name, forge.Pending)
			want = append(want, name+" pending octocat")
		}
		h.report(t, commit, "e2e", forge.Success)
		long := "two\nlines of " + strings.Repeat("ü", 200)
		for _, s := range []forge.Status{
			{Context: "deployed", State: forge.Pending}, {Context: "deployed", State: forge.Success, URL: "https://ci.example.com/7"},
			{Context: "deployed", State: forge.Success, URL: "https://ci.example.com/7"}, {Context: "deployed", State: "error", Description: long},
		} {
			if err := r.SetStatus(t.Context(), commit, s); err != nil {
				t.Fatal(err)
			}
		}
		reports, err := r.Reports(t.Context(), commit)
		var got []string
		for _, s := range latest(reports) {
			got = append(got, fmt.Sprintf("%s %s %s", s.Context, s.State, s.Creator))
			if s.Description == "" || s.Time.IsZero() || len(s.Description) > 140 || strings.Contains(s.Description, "\n") {
				t.Errorf("the status is %+v", s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("the latest reports (-want +got), error %v:\n%s", err, diff)
		}
		got = nil
		for _, s := range reports {
			if s.Context == "deployed" || s.Context == "e2e" {
				got = append(got, fmt.Sprintf("%s %s %s", s.Context, s.State, s.URL))
			}
		}
		got = slices.Compact(slices.DeleteFunc(got, func(s string) bool { return s == "deployed pending " })) // GitLab changes it
		want = []string{"deployed failure ", "deployed success https://ci.example.com/7", "e2e success ", "e2e failure "}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Reports (-want +got), error %v:\n%s", err, diff)
		}
		for _, id := range []string{unknownCommit, "main"} {
			if _, err := r.Reports(t.Context(), id); !remote.Is(err, remote.KindCommitNotFound) {
				t.Errorf("Reports of %s: %v", id, err)
			}
			if err := r.SetStatus(t.Context(), id, forge.Status{Context: "x", State: forge.Success}); !remote.Is(err, remote.KindCommitNotFound) {
				t.Errorf("SetStatus of %s: %v", id, err)
			}
		}
	})
}

// latest returns the first report of each context, by context.
func latest(reports []forge.Status) (all []forge.Status) {
	for _, s := range reports {
		if !slices.ContainsFunc(all, func(later forge.Status) bool { return later.Context == s.Context }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b forge.Status) int { return strings.Compare(a.Context, b.Context) })
	return all
}

// Errors are sentences: where it failed, what to do, and no secrets.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, h host, c *forge.Config)
		kinds  []remote.ErrorKind
		// giteaReports is true if Gitea takes a status all the same.
		giteaReports bool
	}{
		"a token that is not valid": {change: func(_ *testing.T, _ host, c *forge.Config) { c.Token = "wrongwrongwrongwrong" },
			kinds: []remote.ErrorKind{remote.KindAuthentication}},
		"a token that may only read": {change: func(t *testing.T, h host, c *forge.Config) { c.Token = h.readToken(t) },
			kinds: []remote.ErrorKind{remote.KindForbidden}},
		"an archived repository": {change: func(t *testing.T, h host, _ *forge.Config) { h.archive(t) },
			kinds: []remote.ErrorKind{remote.KindArchived, remote.KindForbidden, remote.KindNotFound}, giteaReports: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(t *testing.T, h host) {
				p, config := proposal(t, h, "kalypso/dev/1"), h.config()
				test.change(t, h, &config)
				r := connectAs(t, h, config, napsFor(h))
				_, proposed := r.Propose(t.Context(), p)
				reported := r.SetStatus(t.Context(), h.head(t, "main"), forge.Status{Context: "kalypso/prod", State: forge.Success})
				refusals := map[string]error{"open a ": proposed, `set the status "kalypso/prod"`: reported}
				if _, isGitea := h.(*giteaHost); isGitea && test.giteaReports {
					delete(refusals, `set the status "kalypso/prod"`)
					if reported != nil {
						t.Errorf("the status: %v", reported)
					}
				}
				for doing, err := range refusals {
					var e *remote.Error
					switch {
					case !errors.As(err, &e) || !slices.Contains(test.kinds, e.Kind) && e.Kind != remote.KindCommitNotFound:
						t.Errorf("%s: the error is %v", doing, err)
					case !strings.Contains(err.Error(), doing) || !strings.Contains(err.Error(), h.url()) || strings.Contains(err.Error(), config.Token):
						t.Errorf("the error is %v", err)
					}
				}
			})
		})
	}
}

// Under its former name, a repository works, or the error says to write the new URL.
func TestRenamed(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		p := proposal(t, h, "kalypso/dev/1")
		former := h.rename(t)
		r, err := forge.NewClient(forge.Options{Forges: []forge.Config{h.config()}}).Repository(t.Context(), former)
		if err != nil {
			t.Fatal(err)
		}
		q, err := r.Propose(t.Context(), p)
		if err == nil && q.Head != p.Head || err != nil && !strings.Contains(err.Error(), "URL") {
			t.Errorf("%+v, error %v", q, err)
		}
	})
}

// The same credentials push over HTTPS.
func TestLogin(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) { push(t, h, connect(t, h, napsFor(h))) })
}

func push(t *testing.T, h host, r *forge.Repository) {
	t.Helper()
	username, password, err := r.Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := git.NewClient(git.Options{Credentials: []git.Credential{{URLPrefix: h.url(), Username: username, Password: password}}})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := tree.NewDir([]tree.Entry{tree.File("README.md", []byte("# drone\n"))})
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Apply(t.Context(), git.Branch{Repo: h.url(), Name: "main"}, git.Work{
		Decide: func(*git.Answer) (git.Change, error) {
			return git.Change{Edits: map[string]tree.Entry{"drone": tree.Subdir("", folder)}, Message: "pushed"}, nil
		}})
	if err != nil || h.head(t, "main") != result.String() {
		t.Errorf("pushed %s, main is %s, error %v", result, h.head(t, "main"), err)
	}
}

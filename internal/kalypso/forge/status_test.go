// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// statuses are what is said of a commit, as "context state creator".
func statuses(t testing.TB, r *forge.Repository, commit string) []string {
	t.Helper()
	found, err := r.Statuses(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range found {
		all = append(all, fmt.Sprintf("%s %s %s", s.Context, s.State, s.Creator))
		if s.Description == "" || s.Time.IsZero() {
			t.Errorf("something is missing in %+v", s)
		}
	}
	return all
}

// unknownCommit is a commit that no repository has.
var unknownCommit = strings.Repeat("0123456789", 4)

// The latest status of each context counts, on any page.
func TestStatuses(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		commit, other := h.commit(t, "main", "one"), h.commit(t, "main", "two")
		if got := statuses(t, r, commit); len(got) != 0 {
			t.Errorf("before anybody has said anything: %q", got)
		}
		h.report(t, commit, "e2e", "failure")
		h.report(t, commit, "broken", "success")
		var want []string
		for i := range 120 { // most of them in the same second
			name := fmt.Sprintf("kalypso/prod/large/%03d", i)
			h.report(t, commit, name, "pending")
			want = append(want, name+" pending octocat")
		}
		h.report(t, commit, "e2e", "success")
		h.report(t, commit, "broken", "error")
		h.report(t, other, "e2e", "failure")
		want = slices.Concat([]string{"broken failure octocat", "e2e success octocat"}, want)
		if diff := cmp.Diff(want, statuses(t, r, commit)); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"e2e failure octocat"}, statuses(t, r, other)); diff != "" {
			t.Errorf("statuses of the other commit (-want +got):\n%s", diff)
		}
	})
}

// Gitea has other states than GitHub.
func TestStatuses_gitea(t *testing.T) {
	t.Parallel()
	h := newGiteaHost(t)
	commit := h.head(t, "main")
	h.report(t, commit, "lint", "warning")
	h.report(t, commit, "Lint", "skipped")
	want := []string{"Lint success octocat", "lint failure octocat"}
	if diff := cmp.Diff(want, statuses(t, connect(t, h, &naps{}), commit)); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// A branch or tag that is named like a commit does not lend it the statuses of another one:
// Gitea takes the name for the branch's.
func TestStatuses_namedLikeACommit(t *testing.T) {
	t.Parallel()
	for name, push := range map[string]func(client *gitea.Client, repo, name, target string) error{
		"branch": func(client *gitea.Client, repo, name, _ string) error {
			_, _, err := client.CreateBranch(giteatest.Owner, repo, gitea.CreateBranchOption{BranchName: name, OldBranchName: "main"})
			return err
		},
		"tag": func(client *gitea.Client, repo, name, target string) error {
			_, _, err := client.CreateTag(giteatest.Owner, repo, gitea.CreateTagOption{TagName: name, Target: target})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newGiteaHost(t)
			commit, other := h.commit(t, "main", "one"), h.commit(t, "main", "two")
			h.report(t, commit, "e2e", "failure")
			h.report(t, other, "e2e", "success")
			if err := push(h.repo.As(t, giteatest.Other), h.repo.Name(), commit, other); err != nil {
				t.Fatal(err)
			}
			r := connect(t, h, &naps{})
			found, err := r.Statuses(t.Context(), commit)
			for _, s := range found {
				if s.State == forge.Success {
					t.Errorf("the commit has %+v", s)
				}
			}
			if err != nil && !remote.Is(err, remote.KindCommitNotFound) {
				t.Errorf("error %v", err)
			}
			if reports, err := r.Reports(t.Context(), commit); len(reports) > 0 && err == nil && reports[0].State == forge.Success {
				t.Errorf("the commit has the reports %+v", reports)
			}
		})
	}
}

// What a Gitea says of another commit than the one that it was asked about is not believed.
func TestStatuses_ofAnotherCommit(t *testing.T) {
	t.Parallel()
	commit, other := strings.Repeat("a", 40), strings.Repeat("b", 40)
	for of, believed := range map[string]bool{commit: true, other: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Total-Count", "1")
			_, _ = fmt.Fprintf(w, `[{"context": "e2e", "status": "success", "url": "http://x/api/v1/repos/octo/gitops/statuses/%s"}]`, of)
		}))
		t.Cleanup(server.Close)
		r, err := forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.URL, Kind: forge.Gitea,
			Token: "secret-token"}}}).Repository(t.Context(), server.URL+"/octo/gitops")
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.Statuses(t.Context(), commit)
		if (len(found) == 1 && err == nil) != believed || !believed &&
			(!remote.Is(err, remote.KindCommitNotFound) || !strings.Contains(err.Error(), "a branch or tag has the name "+commit)) {
			t.Errorf("of %s: %+v, error %v", of, found, err)
		}
	}
}

// GitHub's check runs are statuses too. Of one that ran again the last run counts, of
// those of one name in several suites the worst, and so beside a commit status.
func TestStatuses_checkRuns(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	commit := h.head(t, "main")
	run := func(suite int, name, conclusion string) githubtest.CheckRun {
		return githubtest.CheckRun{Commit: commit, App: "github-actions", Suite: suite, Name: name, Conclusion: conclusion}
	}
	h.server.AddCheckRuns(
		run(1, "again", "failure"), run(1, "again", "success"),
		run(2, "two suites", "failure"), run(3, "two suites", "success"),
		run(4, "under way", "success"), run(4, "under way", ""),
		run(1, "worse check", "timed_out"), run(1, "Worse status", "skipped"),
	)
	for i := range 100 {
		h.server.AddCheckRuns(run(1, fmt.Sprint("z", 100+i), "neutral"))
	}
	h.server.AddStatuses(githubtest.Status{Commit: commit, Context: "CI", State: "failure", Creator: "old", Description: "x"})
	h.report(t, commit, "ci", "success") // the same context to GitHub
	h.report(t, commit, "worse check", "success")
	h.report(t, commit, "worse status", "pending")
	got := statuses(t, connect(t, h, &naps{}), commit)
	want := []string{
		"again success github-actions", "ci success octocat", "two suites failure github-actions", "under way pending github-actions",
		"worse check failure github-actions", "worse status pending octocat", "z100 success github-actions",
	}
	if diff := cmp.Diff(want, got[:min(7, len(got))]); diff != "" || len(got) != 106 {
		t.Errorf("%d statuses (-want +got):\n%s", len(got), diff)
	}
}

// A repeated check is reported with its earlier runs, in the order of the runs, even if the
// newest run has not begun.
func TestReports_again(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	commit := h.head(t, "main")
	run := githubtest.CheckRun{Commit: commit, App: "github-actions", Suite: 1, Name: "e2e", Conclusion: "failure"}
	again := run
	again.Conclusion = ""
	queued := again
	queued.Queued = true
	h.server.AddCheckRuns(run, again, queued)
	reports, err := connect(t, h, &naps{}).Reports(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, r := range reports {
		got = append(got, fmt.Sprintf("%s %s %s", r.Suite, r.Context, r.State))
		if i > 0 && r.Time.After(reports[i-1].Time) || r.Time.IsZero() {
			t.Errorf("%+v came at %s", r, r.Time)
		}
	}
	want := []string{"github-actions/1 e2e pending", "github-actions/1 e2e pending", "github-actions/1 e2e failure"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A status is set once; what says something else is another one.
func TestSetStatus(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		commit := h.head(t, "main")
		set := func(change func(s *forge.Status)) {
			t.Helper()
			s := forge.Status{Context: "kalypso/prod", State: forge.Success, Description: "written to prod", URL: "https://ci.example.com/7"}
			change(&s)
			for range 2 {
				if err := r.SetStatus(t.Context(), commit, s); err != nil {
					t.Fatal(err)
				}
			}
		}
		h.report(t, commit, "another", "failure")
		set(func(*forge.Status) {})
		set(func(s *forge.Status) { s.State = forge.Failure })
		set(func(s *forge.Status) { s.State, s.URL = forge.Pending, "" })
		set(func(s *forge.Status) { s.Description = "two\nlines of " + strings.Repeat("ü", 200) })
		set(func(*forge.Status) {})
		all := h.reported(t, commit)
		var got []string
		for _, s := range all[1:] {
			got = append(got, fmt.Sprintf("%s %s %q by %s", s.Context, s.State, s.URL, s.Creator))
		}
		want := []string{
			`kalypso/prod success "https://ci.example.com/7" by kalypso`, `kalypso/prod failure "https://ci.example.com/7" by kalypso`,
			`kalypso/prod pending "" by kalypso`, `kalypso/prod success "https://ci.example.com/7" by kalypso`,
			`kalypso/prod success "https://ci.example.com/7" by kalypso`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
		if text := all[4].Description; !strings.HasPrefix(text, "two") || strings.Contains(text, "\n") || !strings.HasSuffix(text, "ü…") ||
			len(text) > 140 {
			t.Errorf("the description is %q", text)
		}
	})
}

// What another user says, or what the forge only counts as the same state, is not our status.
func TestSetStatus_others(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		commit := h.head(t, "main")
		for _, test := range []struct {
			reported string
			state    forge.StatusState
		}{{"success", forge.Success}, {"failure", forge.Failure}, {"error", forge.Failure}} {
			h.report(t, commit, "kalypso/prod", test.reported)
			status := forge.Status{Context: "kalypso/prod", State: test.state, Description: test.reported + " of kalypso/prod"}
			for range 2 {
				if err := connect(t, h, &naps{}).SetStatus(t.Context(), commit, status); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for _, s := range h.reported(t, commit) {
			got = append(got, fmt.Sprintf("%s by us: %t", s.State, s.Creator == "kalypso"))
		}
		want := []string{"success by us: false", "success by us: true", "failure by us: false", "failure by us: true", "error by us: false",
			"failure by us: true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
	})
}

// A forge that does not show our user name gets the same status once, by any user.
func TestSetStatus_unknownUser(t *testing.T) {
	t.Parallel()
	for reported, want := range map[string]int{"failure": 1, "error": 2} {
		h := newGitHubHost(t)
		commit := h.head(t, "main")
		h.report(t, commit, "kalypso/prod", reported)
		h.server.Fail(githubtest.Fault{Request: "POST /api/graphql", Status: http.StatusForbidden})
		err := connect(t, h, &naps{}).SetStatus(t.Context(), commit,
			forge.Status{Context: "kalypso/prod", State: forge.Failure, Description: reported + " of kalypso/prod"})
		if got := len(h.reported(t, commit)); err != nil || got != want {
			t.Errorf("%s: %d statuses, want %d: %v", reported, got, want, err)
		}
	}
}

// A status counts with its context and state, even if another user posts another state later.
func TestHasStatus(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		commit, other := h.commit(t, "main", "one"), h.commit(t, "main", "two")
		broken := forge.Status{Context: "deployed", State: "error", Description: "one"}
		if err := r.SetStatus(t.Context(), commit, broken); err != nil {
			t.Fatal(err)
		}
		h.report(t, commit, "deployed", "pending")
		for _, test := range []struct {
			commit, context string
			state           forge.StatusState
			want            bool
		}{
			{commit, "deployed", "error", true}, {commit, "deployed", forge.Failure, true}, {commit, "deployed", forge.Pending, true},
			{commit, "deployed", forge.Success, false}, {commit, "deploy", "error", false}, {other, "deployed", "error", false},
		} {
			has, err := r.HasStatus(t.Context(), test.commit, forge.Status{Context: test.context, State: test.state})
			if err != nil || has != test.want {
				t.Errorf("%+v: %t, error %v", test, has, err)
			}
		}
		if _, err := r.HasStatus(t.Context(), unknownCommit, broken); !remote.Is(err, remote.KindCommitNotFound) {
			t.Errorf("of an unknown commit: %v", err)
		}
	})
}

// The name of a status is one line, which forges take as it is.
func TestCheckContext(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"deployed": true, "kalypso/prod": true, "CI / test (x86)": true, strings.Repeat("ü", 255): true,
		"": false, " x": false, "a\nb": false, "a\x00b": false, strings.Repeat("ü", 256): false,
	} {
		if err := forge.CheckContext(name); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// If the answer is lost, the status is not set twice.
func TestSetStatus_lost(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	commit := h.head(t, "main")
	h.server.Fail(githubtest.Fault{Request: "POST /repos/octo/gitops/statuses/", Times: 1, Lost: true})
	if err := connect(t, h, &naps{}).SetStatus(t.Context(), commit,
		forge.Status{Context: "kalypso/prod", State: forge.Success}); err != nil || len(h.reported(t, commit)) != 1 {
		t.Errorf("%+v, error %v", h.reported(t, commit), err)
	}
}

// A status's own words are one line, and lead nowhere but to web pages.
func TestStatuses_links(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	commit := h.head(t, "main")
	for i, link := range []string{"javascript:alert(1)", "https://user:secret@ci.example.com/7", "not a link", "https://ci.example.com/ü"} {
		h.server.AddStatuses(githubtest.Status{Commit: commit, Context: fmt.Sprint(i), State: "success", Creator: reviewer, TargetURL: link,
			Description: "one\x1b[31m\ntwo"})
	}
	found, err := connect(t, h, &naps{}).Statuses(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		got = append(got, s.URL)
		if strings.ContainsAny(s.Description, "\x1b\n") || !strings.HasPrefix(s.Description, "one") {
			t.Errorf("the description is %q", s.Description)
		}
	}
	if diff := cmp.Diff([]string{"", "https://ci.example.com/7", "", "https://ci.example.com/%C3%BC"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func readStatuses(commit string) func(context.Context, *testing.T, host, *forge.Repository) error {
	return func(ctx context.Context, _ *testing.T, _ host, r *forge.Repository) error {
		_, err := r.Statuses(ctx, commit)
		return err
	}
}

func setStatus(commit string) func(context.Context, *testing.T, host, *forge.Repository) error {
	return func(ctx context.Context, _ *testing.T, _ host, r *forge.Repository) error {
		return r.SetStatus(ctx, commit, forge.Status{Context: "kalypso/prod", State: forge.Success})
	}
}

// setStatusOfMain sets one of a commit that is there.
func setStatusOfMain(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
	t.Helper()
	return setStatus(h.head(t, "main"))(ctx, t, h, r)
}

// statusFailures are run by TestFailures with those of requests.
var statusFailures = map[string]failure{
	"statuses of a commit that is not there": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     readStatuses(unknownCommit),
		kind:   remote.KindCommitNotFound, says: []string{"read the statuses of commit " + unknownCommit, "has no commit " + unknownCommit,
			"was pushed to it"},
	},
	"a status for a commit that is not there": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     setStatus(unknownCommit),
		kind:   remote.KindCommitNotFound, says: []string{`set the status "kalypso/prod"`, "has no commit " + unknownCommit},
	},
	"check runs of a commit that is not there": {
		github: func(h *githubHost, _ *forge.Config) {
			h.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/commits/" + unknownCommit + "/statuses", Status: http.StatusOK,
				Body: "[]"})
		},
		do:   readStatuses(unknownCommit),
		kind: remote.KindCommitNotFound, says: []string{"has no commit " + unknownCommit},
	},
	"statuses of an id that is not full": {
		github: func(*githubHost, *forge.Config) {},
		gitea:  func(*testing.T, *giteaHost, *forge.Config) {},
		do:     readStatuses("main"),
		kind:   remote.KindCommitNotFound, says: []string{`"main" is not the full id of a commit`},
	},
	"a status for an id that is not full": {
		github: func(*githubHost, *forge.Config) {},
		do:     setStatus("../../../user/keys"),
		kind:   remote.KindCommitNotFound, says: []string{"is not the full id of a commit"},
	},
	"a status with a token that may only read": {
		github: func(h *githubHost, c *forge.Config) { c.Token = h.server.AddToken("reader", false) },
		gitea:  func(t *testing.T, h *giteaHost, c *forge.Config) { c.Token = h.repo.ReadToken(t, giteatest.Writer) },
		do:     setStatusOfMain,
		kind:   remote.KindForbidden, says: []string{"token", "write"},
	},
	"the right to write statuses": {
		github: func(h *githubHost, c *forge.Config) { c.Token = h.server.AddToken("reader", false) },
		do:     setStatusOfMain,
		kind:   remote.KindForbidden, says: []string{"lacks a permission: statuses=write"},
	},
	"the right to read check runs": {
		github: func(*githubHost, *forge.Config) {},
		do: func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
			t.Helper()
			commit := h.head(t, "main")
			host, ok := h.(*githubHost)
			if !ok {
				t.Fatalf("%T is not GitHub", h)
			}
			host.server.Fail(githubtest.Fault{
				Request: "GET /repos/octo/gitops/commits/" + commit + "/check-runs", Status: http.StatusForbidden,
				Header: map[string]string{"X-Accepted-Github-Permissions": "checks=read"},
				Body:   `{"message": "Resource not accessible by personal access token"}`,
			})
			_, err := r.Statuses(ctx, commit)
			return err
		},
		kind: remote.KindForbidden, says: []string{"lacks a permission: checks=read"},
	},
	"too many statuses": {
		github: func(*githubHost, *forge.Config) {},
		do: func(ctx context.Context, t *testing.T, h host, r *forge.Repository) error {
			t.Helper()
			for range 1000 {
				h.report(t, h.head(t, "main"), "kalypso/prod", "failure")
			}
			return setStatusOfMain(ctx, t, h, r)
		},
		kind: remote.KindRefused, says: []string{"maximum number of statuses"},
	},
}

// What an App is not found for is not taken for a commit that is not there.
func TestStatuses_app(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	config := withApp(t, h, time.Hour)
	if got := statuses(t, connectAs(t, h, config, &naps{}), h.head(t, "main")); got != nil {
		t.Errorf("statuses %q", got)
	}
	config.App.InstallationID = 1
	if _, err := connectAs(t, h, config, &naps{}).Statuses(t.Context(), unknownCommit); !remote.Is(err, remote.KindNotFound) {
		t.Errorf("the error is %v", err)
	}
}

// A rate limit says until when, and is waited for if that is soon.
func TestStatuses_rateLimit(t *testing.T) {
	t.Parallel()
	h, n := newGitHubHost(t), &naps{}
	r := connect(t, h, n)
	h.server.LimitSecondary(1, 7)
	if _, err := r.Statuses(t.Context(), h.head(t, "main")); err != nil || !slices.Equal(n.times, []time.Duration{7 * time.Second}) {
		t.Errorf("after %v: %v", n.times, err)
	}
	h.server.LimitPrimary(time.Now().Add(time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := r.SetStatus(ctx, h.head(t, "main"), forge.Status{Context: "x", State: forge.Success}); !remote.Is(err,
		remote.KindRateLimit) || !strings.Contains(err.Error(), "until") {
		t.Errorf("the error is %v", err)
	}
}

// A hostile forge can send more statuses than any commit has.
func TestStatuses_hostile(t *testing.T) {
	t.Parallel()
	statuses := func(page int) string {
		var all []string
		for i := range 100 {
			all = append(all, fmt.Sprintf(`{"id": %[1]d, "state": "success", "status": "success", "context": "c%[1]d"}`, 100*page+i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	for name, test := range map[string]struct {
		kind   forge.Software
		answer func(path string, page int) string
		says   string
	}{
		"statuses without an end":          {forge.GitHub, func(_ string, page int) string { return statuses(page) }, "more than 10000 statuses"},
		"statuses without an end on Gitea": {forge.Gitea, func(_ string, page int) string { return statuses(page) }, "more than 10000 statuses"},
		"check runs without an end": {forge.GitHub, func(path string, page int) string {
			if strings.HasSuffix(path, "/statuses") {
				return "[]"
			}
			return `{"total_count": 1, "check_runs": ` + statuses(page) + "}"
		}, "more than 10000 statuses"},
		"empty pages without an end": {forge.GitHub, func(string, int) string { return "[null]" }, "more than 256 MiB as its answers"},
		"no list":                    {forge.Gitea, func(string, int) string { return `{"a": 1}` }, "is not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				page, _ := strconv.Atoi(r.URL.Query().Get("page"))
				answer := test.answer(r.URL.Path, page)
				if answer != "[]" {
					w.Header().Set("Link", fmt.Sprintf(`<https://forge.example/?page=%d>; rel="next"`, page+1))
				}
				_, _ = io.WriteString(w, answer)
			}))
			t.Cleanup(server.Close)
			r, err := forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.URL, Kind: test.kind,
				Token: "secret"}}}).Repository(t.Context(), server.URL+"/octo/gitops")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Statuses(t.Context(), unknownCommit); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("after %d requests: %v", asked.Load(), err)
			}
		})
	}
}

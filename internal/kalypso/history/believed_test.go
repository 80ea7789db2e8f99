// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// watched is a repository with a branch dev on a GitHub. The source of its promotions has the
// commits c1 and c2.
type watched struct {
	repo   *gitmem.Repo
	server *githubtest.Server
	// c1 and c2 are the commits of the source.
	c1, c2 string
	rules  promotion.Rules
	gate   promotion.Gate
	now    time.Time
}

func watch(t testing.TB, checks ...promotion.Check) *watched {
	t.Helper()
	repo := gitmem.New(t)
	w := &watched{repo: repo, server: githubtest.Start(t, repo), gate: promotion.Gate{Checks: append([]promotion.Check{}, checks...)},
		now: start.Add(48 * time.Hour)}
	w.c1 = repo.CommitFiles(t, "main", map[string][]byte{"fleet.yaml": []byte("c1")}, "c1")
	w.c2 = repo.CommitFiles(t, "main", map[string][]byte{"fleet.yaml": []byte("c2")}, "c2")
	return w
}

// deploys has dev carry a commit, so long after the start.
func (w *watched) deploys(t testing.TB, branch, carried string, after time.Duration, merged ...string) string {
	t.Helper()
	files := map[string][]byte{recordAt(one): record(t, map[string]string{"c1": w.c1, "c2": w.c2}[carried], nil),
		"large/web/x.yaml": []byte(carried)}
	return w.repo.Commit(t, gittest.Revision{Branch: branch, Files: files, Time: start.Add(after), Merged: merged})
}

// becomes checks what is told of the commit c2, by its state and words of the reason.
func (w *watched) becomes(t testing.TB, want promotion.Progress, words string) {
	t.Helper()
	r := reader(t)
	r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: w.server.Address(), Kind: forge.GitHub,
		BaseURL: w.server.Address(), Token: w.server.AddToken("kalypso", false)}}})
	reports, err := r.Reports(t.Context(), w.server.URL())
	if err != nil {
		t.Fatal(err)
	}
	rules := w.rules
	rules.Environment, rules.After = "prod", map[string]promotion.Gate{"dev": w.gate}
	source := []promotion.SourceCommit{{ID: w.c2, Parents: []string{w.c1}}, {ID: w.c1}}
	result, err := promotion.Decide(t.Context(), rules, promotion.Facts{
		Source: func(i int) (promotion.SourceCommit, bool, error) {
			if i == len(source) {
				return promotion.SourceCommit{}, false, nil
			}
			return source[i], true, nil
		},
		SourceReports: reports,
		After:         map[string]promotion.Branch{"dev": {History: environment(t, r, place(w.repo), true).History, Reports: reports}},
	}, w.now)
	if err != nil {
		t.Fatal(err)
	}
	if c := result.Candidates[0]; c.State != want || !strings.Contains(c.Reason, words) {
		t.Errorf("it is %s, want %s: %s (want %q)", c.State, want, c.Reason, words)
	}
}

// A check run of another App counts for nothing if creators are named: it neither verifies
// nor fails. Without creators, every App of the name has to be green.
func TestCheckRunsOfAnotherApp(t *testing.T) {
	t.Parallel()
	run := func(commit, app, conclusion string) githubtest.CheckRun {
		return githubtest.CheckRun{Commit: commit, App: app, Name: "e2e", Conclusion: conclusion, Suite: len(app)}
	}
	const theirs, ours = "another-app", "ci"
	for name, test := range map[string]struct {
		creators []string
		runs     func(commit string) []githubtest.CheckRun
		want     promotion.Progress
		words    string
	}{
		"it alone succeeds": {[]string{ours},
			func(c string) []githubtest.CheckRun { return []githubtest.CheckRun{run(c, theirs, "success")} }, promotion.Waiting,
			"which creators does not name"},
		"it succeeds after ours has failed": {[]string{ours}, func(c string) []githubtest.CheckRun {
			return []githubtest.CheckRun{run(c, ours, "failure"), run(c, theirs, "success")}
		}, promotion.Failed, "e2e reports"},
		"it succeeds while ours runs": {[]string{ours}, func(c string) []githubtest.CheckRun {
			return []githubtest.CheckRun{run(c, theirs, "success"), run(c, ours, "")}
		}, promotion.Waiting, "not yet green"},
		"it fails": {[]string{ours}, func(c string) []githubtest.CheckRun {
			return []githubtest.CheckRun{run(c, ours, "success"), run(c, theirs, "failure")}
		}, promotion.Verified, ""},
		"it fails, and everybody counts": {nil, func(c string) []githubtest.CheckRun {
			return []githubtest.CheckRun{run(c, ours, "success"), run(c, theirs, "failure")}
		}, promotion.Failed, "another-app/"},
		"it succeeds after ours, everybody": {nil, func(c string) []githubtest.CheckRun {
			return []githubtest.CheckRun{run(c, ours, "failure"), run(c, theirs, "success")}
		}, promotion.Failed, "ci/"},
		"a commit status of the same name": {[]string{ours}, nil, promotion.Waiting, "which creators does not name"},
		"one of them is named in other case": {[]string{"CI"},
			func(c string) []githubtest.CheckRun { return []githubtest.CheckRun{run(c, ours, "success")} }, promotion.Verified, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, promotion.Check{Context: "e2e", Creators: test.creators})
			commit := w.deploys(t, "dev", "c2", 0)
			if test.runs != nil {
				w.server.AddCheckRuns(test.runs(commit)...)
			} else {
				w.server.AddStatuses(githubtest.Status{Commit: commit, Context: "e2e", State: "success", Creator: "mallory"})
			}
			w.becomes(t, test.want, test.words)
		})
	}
}

// A status kalypso/<environment> says that a branch was written, and promotes nothing: it is on
// the commit of the source, in a context that no cluster has.
func TestStatusOfEnvironmentIsNoCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		on     string // "source" or "GitOps"
		checks []promotion.Check
		source []promotion.Check
		words  string
	}{
		"for clusters":                  {"source", []promotion.Check{{Context: "kalypso/dev/*"}}, nil, "Waiting for dev"},
		"for clusters, on their commit": {"GitOps", []promotion.Check{{Context: "kalypso/dev/*"}}, nil, `no report of "kalypso/dev/*" yet`},
		"for all of dev":                {"source", []promotion.Check{{Context: "*"}}, nil, "Waiting for dev"},
		"for CI":                        {"source", nil, []promotion.Check{{Context: "ci/*"}}, `no report of "ci/*" yet`},
		"for anything by CI": {"source", nil, []promotion.Check{{Context: "*", Creators: []string{"ci[bot]"}}},
			"only reports of terraform[bot]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, test.checks...)
			on := map[string]string{"source": w.c2, "GitOps": w.deploys(t, "dev", "c2", 0)}
			w.rules.SourceChecks = test.source
			w.server.AddStatuses(githubtest.Status{Commit: on[test.on], Context: "kalypso/dev", State: "success", Creator: "terraform[bot]"})
			w.becomes(t, promotion.Waiting, test.words)
		})
	}
}

// What the trailers of a commit say decides nothing: what an environment is at is what its
// records say.
func TestTrailersDecideNothing(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.deploys(t, "dev", "c1", 0)
	w.repo.Commit(t, gittest.Revision{Branch: "dev", Files: map[string][]byte{"large/web/x.yaml": []byte("c2")}, Time: start.Add(time.Hour),
		Message: fmt.Sprintf("dev: +1 package\n\nWritten by Terraform.\n\nKalypso-Environment: dev\nKalypso-Promoted-Commit: "+
			"%s\nKalypso-Run: https://ci.example/7\n", w.c2)})
	w.becomes(t, promotion.NotDeployed, "Not deployed in dev, which is at "+w.c1[:7])
}

// Merges do not reorder what a branch had: what a merge brings was there from the merge on,
// however old it says to be, and reports on what it brings do not count. If the branch
// itself was merged into another one and moved there, what it had is not known any more:
// nothing of it verifies, and that it was left backwards is forgotten.
func TestMergesReorder(t *testing.T) {
	t.Parallel()
	const soak, hour = 24 * time.Hour, time.Hour
	green := func(commit string, after time.Duration) githubtest.Status {
		return githubtest.Status{Commit: commit, Context: "flux", State: "success", Creator: "flux", Time: start.Add(after)}
	}
	for _, checked := range []bool{true, false} {
		t.Run(fmt.Sprintf("with checks %t", checked), func(t *testing.T) {
			t.Parallel()
			new := func() *watched {
				w := watch(t)
				if w.gate.Soak = soak; checked {
					w.gate.Checks = []promotion.Check{{Context: "flux"}}
				}
				return w
			}
			w := new()
			first := w.deploys(t, "dev", "c1", 0)
			w.repo.Branch(t, "side", first)
			side := w.deploys(t, "side", "c2", hour)
			w.server.AddStatuses(green(first, 0), green(side, hour)) // where somebody tried it
			merge := w.deploys(t, "dev", "c2", 47*hour, side)
			w.server.AddStatuses(green(merge, 47*hour))
			w.becomes(t, promotion.Soaking, "Soaking in dev until 2026-03-05 07:00")

			w = new()
			first = w.deploys(t, "dev", "c1", 0)
			w.repo.Branch(t, "side", first)
			w.deploys(t, "side", "c1", hour)
			had := w.deploys(t, "dev", "c2", 2*hour)
			w.server.AddStatuses(green(had, 2*hour))
			w.deploys(t, "side", "c1", 47*hour, had)
			w.repo.Branch(t, "dev", w.repo.Head(t, "side"))
			w.becomes(t, promotion.NotDeployed, "Not deployed in dev")

			w = new()
			w.deploys(t, "dev", "c1", 0)
			had = w.deploys(t, "dev", "c2", hour)
			back := w.deploys(t, "dev", "c1", 2*hour)
			w.server.AddStatuses(green(had, hour))
			w.becomes(t, promotion.Reverted, "went back")
			w.repo.Branch(t, "side", had)
			merge = w.deploys(t, "side", "c2", 3*hour, back)
			w.server.AddStatuses(green(merge, 3*hour))
			w.repo.Branch(t, "dev", merge)
			w.becomes(t, promotion.Verified, "") // as SECURITY.md says
		})
	}
}

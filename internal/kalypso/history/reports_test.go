// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// All that was said is there, in an order in which the latest is the last.
func TestReports(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	commit := repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "first")
	server := githubtest.Start(t, repo)
	r := reader(t)
	r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.Address(), Kind: forge.GitHub,
		BaseURL: server.Address(), Token: server.AddToken("kalypso", false)}}})
	status := func(context, state, creator string) githubtest.Status {
		return githubtest.Status{Commit: commit, Context: context, State: state, Creator: creator, Description: "says " + state, Time: start}
	}
	server.AddStatuses(status("flux", "failure", "bot"), status("Flux", "success", "eve"), status("ci", "error", "ann"))
	server.AddCheckRuns(githubtest.CheckRun{Commit: commit, App: "actions", Name: "ci", Conclusion: "success", Time: start.Add(time.Hour)})
	reports, err := r.Reports(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	found, err := reports(commit)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(found)
	var got []string
	for i, report := range found {
		if i > 0 && report.Number <= found[i-1].Number {
			t.Errorf("%+v is not after %+v", report, found[i-1])
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %q %s", report.Context, report.Suite, report.Outcome, report.Creator, report.Description,
			report.Time.Sub(start)))
	}
	want := []string{
		`ci actions/0 success actions "The check ci" 1h0m0s`, `Flux  failure bot "says failure" 0s`,
		`Flux  success eve "says success" 0s`, `ci  failure ann "says error" 0s`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := reports(id("00")); err == nil || !strings.Contains(err.Error(), "has no commit") {
		t.Errorf("error %v", err)
	}
}

// Without a forge there are no reports.
func TestNoReports(t *testing.T) {
	t.Parallel()
	r := reader(t)
	r.Forges = forge.NewClient(forge.Options{})
	if _, err := r.Reports(t.Context(), "file:///srv/git/gitops.git"); err == nil || !strings.Contains(err.Error(), "not a forge") {
		t.Errorf("error %v", err)
	}
}

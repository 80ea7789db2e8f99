// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// There is one issue per environment as long as something is wrong.
func TestReport(t *testing.T) {
	t.Parallel()
	eachHost(t, func(t *testing.T, h host) {
		r := connect(t, h, &naps{})
		propose(t, r, proposal(t, h, "kalypso/dev/1")) // a request is not an issue, though GitHub lists it
		report := forge.Failures{Title: "dev cannot be rendered", Errors: []string{"Template/arc-flux, line 3: unexpected {{end}}\n```"}}
		stage := marker
		stage.Environment = "stage"
		first, err := r.Report(t.Context(), marker, report)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Report(t.Context(), stage, report); err != nil {
			t.Fatal(err)
		}
		report.Errors = append(report.Errors, "ConfigSchema/app: TITLE is required")
		for range 2 {
			if again, err := r.Report(t.Context(), marker, report); err != nil || again.Number != first.Number || again.URL != first.URL {
				t.Errorf("the second report gives %+v, error %v", again, err)
			}
		}
		all := h.issues(t)
		if len(all) != 2 {
			t.Fatalf("there are %d issues", len(all))
		}
		got := find(t, all, first.Number)
		if !got.open || got.title != report.Title || !strings.Contains(got.body, "unexpected {{end}}") ||
			!strings.Contains(got.body, "TITLE is required") {
			t.Errorf("the issue is %+v", got)
		}

		for range 2 {
			if err := r.Resolve(t.Context(), marker, "The errors are fixed."); err != nil {
				t.Fatal(err)
			}
		}
		for _, issue := range h.issues(t) {
			if issue.number == first.Number && (issue.open || !slices.Equal(issue.comments, []string{"The errors are fixed."})) ||
				issue.number != first.Number && !issue.open {
				t.Errorf("resolved: %+v", issue)
			}
		}
		if again, err := r.Report(t.Context(), marker, report); err != nil || again.Number == first.Number {
			t.Errorf("wrong again: %+v, error %v", again, err)
		}
	})
}

// Who copies our mark into an issue of their own does not make it ours.
func TestReportForged(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	r := connect(t, h, &naps{})
	report := forge.Failures{Title: "dev cannot be rendered", Errors: []string{"x"}}
	first, err := r.Report(t.Context(), marker, report)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context(), first.Number); err == nil {
		t.Fatal("an issue was closed as a request")
	}
	if err := r.Resolve(t.Context(), marker, "Fixed."); err != nil {
		t.Fatal(err)
	}
	forged := h.server.OpenIssue("mallory", "Important", first.Body)
	second, err := r.Report(t.Context(), marker, report)
	if err != nil || second.Number == forged {
		t.Errorf("reported to %+v, error %v", second, err)
	}
	if err := r.Resolve(t.Context(), marker, "Fixed."); err != nil {
		t.Fatal(err)
	}
	if got := find(t, h.issues(t), forged); !got.open || got.title != "Important" || got.body != first.Body || len(got.comments) > 0 {
		t.Errorf("the forged issue is %+v", got)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

func (g *gitHub) statuses(ctx context.Context, commit string) ([]Status, error) {
	found, err := collect(g.client.Repositories.ListStatusesIter(ctx, g.owner, g.name, commit, &firstPage), maxStatuses+1,
		func(s *github.RepoStatus) Status {
			return Status{
				Context: s.GetContext(), State: statusState(s.GetState()), raw: s.GetState(), Description: markdown.Line(s.GetDescription()),
				Creator: s.GetCreator().GetLogin(),
				URL:     WebPage(s.GetTargetURL()), Time: s.GetCreatedAt().Time, key: contextKey(s.GetContext()),
			}
		})
	return found, cmp.Or(err, checkStatuses(len(found)))
}

// contextKey returns the same text for contexts that GitHub treats as the same.
func contextKey(context string) string { return strings.ToLower(context) }

// checkRuns returns all check runs, the newest first by number. It includes repeated runs,
// because a new run does not clear a failure.
func (g *gitHub) checkRuns(ctx context.Context, commit string) ([]Status, error) {
	runs, err := collect(g.client.Checks.ListCheckRunsForRefIter(ctx, g.owner, g.name, commit,
		&github.ListCheckRunsOptions{Filter: github.Ptr("all"), ListOptions: firstPage}), maxStatuses+1,
		func(run *github.CheckRun) *github.CheckRun { return run })
	if err = cmp.Or(err, checkStatuses(len(runs))); err != nil {
		return nil, err
	}
	slices.SortFunc(runs, func(a, b *github.CheckRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	var found []Status
	last := map[string]time.Time{} // by suite and name
	for _, run := range runs {
		suite := fmt.Sprintf("%s/%d", run.GetApp().GetSlug(), run.GetCheckSuite().GetID())
		at := suite + "/" + contextKey(run.GetName())
		for _, t := range []github.Timestamp{run.GetStartedAt(), run.GetCompletedAt()} { // a queued run has neither
			if t.After(last[at]) {
				last[at] = t.Time
			}
		}
		found = append(found, Status{
			Context: run.GetName(), Suite: suite, State: checkState(run.GetStatus(), run.GetConclusion()), Creator: run.GetApp().GetSlug(),
			Description: markdown.Line(cmp.Or(run.GetOutput().GetTitle(), run.GetConclusion(), run.GetStatus())),
			URL:         WebPage(cmp.Or(run.GetHTMLURL(), run.GetDetailsURL())), Time: last[at], key: contextKey(run.GetName()),
		})
	}
	slices.Reverse(found)
	return found, nil
}

// checkState returns the state of a check run by the rules of GitHub's required checks and
// command line (gh pr checks). A skipped or neutral check does not block a merge. A cancelled
// check, or a check that needs an action, is not a success.
func checkState(status, conclusion string) StatusState {
	if status != "completed" {
		return Pending
	}
	switch conclusion {
	case "success", "neutral", "skipped":
		return Success
	case "failure", "timed_out", "cancelled", "action_required", "startup_failure":
		return Failure
	}
	return Pending // stale: GitHub no longer waits, for example for a runner
}

func (g *gitHub) setStatus(ctx context.Context, commit string, s Status) error {
	status := github.RepoStatus{State: github.Ptr(string(s.State)), Context: &s.Context, Description: &s.Description}
	if s.URL != "" {
		status.TargetURL = &s.URL
	}
	_, _, err := g.client.Repositories.CreateStatus(ctx, g.owner, g.name, commit, status)
	return err
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"net/http"
	"net/url"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// gitHubRefusals explain GitHub's messages where the status does not show what to do.
var gitHubRefusals = []refusal{
	{says: []string{"auto merge is not allowed", "auto-merge is not allowed"}, kind: remote.KindNoAutoMerge,
		advice: `the repository does not allow automatic merging. Turn on "Allow auto-merge" in its settings`},
	{says: []string{"unstable status"}, kind: remote.KindNoAutoMerge,
		advice: "GitHub merges automatically only if a rule of the base branch requires something, and the failed or pending checks are not " +
			"required. Require these checks in the branch's protection"},
	{says: []string{"merge commits are not allowed", "squash merges are not allowed", "rebase merges are not allowed", "merge method"},
		kind: remote.KindNoMethod, advice: methodAdvice},
	{says: []string{"draft pull requests are not supported"}, kind: remote.KindNoDraft,
		advice: "drafts are not available in this repository (its GitHub plan lacks drafts)"},
	{says: []string{"was archived", "is archived"}, kind: remote.KindArchived, advice: archivedAdvice},
	{status: http.StatusUnprocessableEntity, says: []string{"invalid base"}, kind: remote.KindBaseNotFound,
		advice: "the base branch does not exist"},
	{status: http.StatusUnprocessableEntity, says: []string{"invalid head"}, kind: remote.KindRefused, passing: true,
		advice: "GitHub does not see the pushed branch, or does not see it yet. Apply again"},
	{says: []string{"base branch was modified", "unknown status", "head sha", "head branch was modified"}, kind: remote.KindRefused,
		passing: true, advice: movedAdvice},
}

var gitHubOfPush = map[pushRefusal][]string{
	pushArchived:  {"was archived", "is archived"},
	pushUnsigned:  {"verified signature"},
	pushAuthor:    {"author email", "committer email", "private email address", "email privacy restrictions"},
	pushMessage:   {"commit message"},
	pushProtected: {"protected branch", "protected ref", "pull request", "merge queue", "status check"},
}

func gitHubRun(get func(string) string) Run {
	if get("GITHUB_ACTIONS") != "true" {
		return Run{}
	}
	return actionsRun(get, "GitHub Actions", get("GITHUB_RUN_ID"))
}

// actionsRun is a run of an Actions that sets the variables of GitHub's.
func actionsRun(get func(string) string, name, id string) Run {
	return newRun(name+" run "+id, address(get("GITHUB_SERVER_URL"), "/", get("GITHUB_REPOSITORY"), "/actions/runs/", url.PathEscape(id)))
}

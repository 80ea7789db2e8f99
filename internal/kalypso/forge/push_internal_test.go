// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Each forge has its own words for a refusal, and the words choose the advice.
func TestPushAdvice(t *testing.T) {
	t.Parallel()
	const github = "error: GH013: Repository rule violations found for refs/heads/prod.\n" +
		"Review all repository rules at https://github.com/o/r/rules?ref=refs%2Fheads%2Fprod\n\n- "
	for advice, test := range map[string]struct {
		kind  remote.ErrorKind
		words []string
	}{
		"add a pull_request block": {remote.KindRefused, []string{
			"error: GH006: Protected branch update failed for refs/heads/prod.",
			"error: GH006: Protected branch update failed for refs/heads/prod.\nerror: Changes must be made through a pull request.",
			github + "Changes must be made through a pull request.",
			github + "Changes must be made through the merge queue",
			github + `Required status check "ci" is expected.`,
			github + "Cannot update this protected ref.",
			"GitLab: You are not allowed to push code to protected branches on this project.",
			"Gitea: Not allowed to push to protected branch prod",
			"TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.",
		}},
		"Set commit_signing": {remote.KindRefused, []string{
			"error: GH006: Protected branch update failed for refs/heads/prod.\nerror: Commits must have verified signatures.",
			github + "Commits must have verified signatures.",
			"GitLab: Commit must be signed with a GPG key",
		}},
		"set commit_author": {remote.KindRefused, []string{
			"error: GH007: Your push would publish a private email address.",
			github + "Author email must end with contoso.com",
			"GitLab: You cannot push commits for 'noreply@contoso.com'. You can only push commits if the committer email is one of your own " +
				"verified emails.",
			"GitLab: Author 'noreply@contoso.com' is not a member of team",
			"GitLab: Committer's email 'a@b' does not follow the pattern '@contoso.com$'",
			"VS403702: The push was rejected because one or more commits contain author email '' which does not match the policy-specified " +
				"patterns.",
		}},
		"Set commit_message": {remote.KindRefused, []string{
			github + "Commit message must start with JIRA",
			"GitLab: Commit message does not follow the pattern (JIRA-[0-9]+)",
		}},
		"Unarchive it": {remote.KindArchived, []string{
			"remote: This repository was archived so it is read-only.",
			"GitLab: You can't push code to an archived project.",
			"This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.",
		}},
	} {
		for _, words := range test.words {
			if kind, got := PushAdvice(words); kind != test.kind || !strings.Contains(got, advice) {
				t.Errorf("%s\ngives the kind %d: %s", words, kind, got)
			}
		}
	}
	for _, words := range []string{"our own hook says no",
		"TF402462: The push was rejected because its size is greater than the 10240 KB limit for pushes in this repository."} {
		if _, advice := PushAdvice(words); advice != "" {
			t.Errorf("%s: %s", words, advice)
		}
	}
}

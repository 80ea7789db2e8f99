// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Each forge has its own words for a refusal, and the words choose the cure.
func TestCures(t *testing.T) {
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
		"Unarchive it": {remote.KindArchived, []string{
			"remote: This repository was archived so it is read-only.",
			"GitLab: You can't push code to an archived project.",
			"This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.",
		}},
	} {
		for _, words := range test.words {
			e := cured(&remote.Error{Kind: remote.KindServer, Message: "it refuses"}, words)
			if said, ok := strings.CutPrefix(e.Message, "it refuses\n"); e.Kind != test.kind || !ok || !strings.Contains(said, advice) {
				t.Errorf("%s\ngives an error of the kind %d: %s", words, e.Kind, e.Message)
			}
		}
	}
	if e := cured(&remote.Error{Message: "it refuses"}, "our own hook says no"); e.Message != "it refuses" {
		t.Error(e.Message)
	}
}

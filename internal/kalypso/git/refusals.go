// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"regexp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// cure is what helps if a server says certain words.
type cure struct {
	words  *regexp.Regexp
	kind   remote.ErrorKind
	advice string
}

// cures are for the words of GitHub, GitLab, Gitea (Forgejo) and Azure DevOps. The first cure
// whose words match counts, so specific words come first.
var cures = []cure{
	{
		regexp.MustCompile(`(?i)\barchived\b`), remote.KindArchived,
		"The repository is archived and accepts no changes. Unarchive it, or write to another repository.",
	},
	{
		regexp.MustCompile(`(?i)through (a pull request|the merge queue)|must use a pull request|status check|approving review|` +
			`successful deployments|cannot update this protected ref|push(es)? (code )?to protected branch`), remote.KindRefused,
		"To propose the change as a pull request, add a pull_request block. Or let the user of the credential push to the branch.",
	},
	{
		regexp.MustCompile(`(?i)verified signature|must be signed|unverified commit`), remote.KindRefused,
		"Set commit_signing in the provider, and add its key to the account at the forge.",
	},
	{
		regexp.MustCompile(`(?i)commit message (must|does not|contains)`), remote.KindRefused,
		"The provider writes the commit messages. Take the branch out of the rule about commit messages, or let the user of the " +
			"credential bypass the rule.",
	},
	{
		regexp.MustCompile(`(?i)repository rule violations`), remote.KindRefused,
		"Do what the rule requires, take the branch out of the ruleset, or let the user of the credential bypass it.",
	},
	{
		regexp.MustCompile(`(?i)protected (branch|from)|protected branches`), remote.KindRefused,
		"To propose the change as a pull request, add a pull_request block. Or let the user of the credential push to the branch.",
	},
	{
		regexp.MustCompile(`(?i)permission to \S+ denied|not allowed to (push|upload)|write access to \S+ not granted|TF401027|` +
			`not have write access|marked as read only|not authorized to write|user permission denied`), remote.KindForbidden,
		"Give the user or token of the credential the right to write the repository's contents.",
	},
	{
		regexp.MustCompile(`(?i)invalid username or (token|password)|HTTP Basic: Access denied|TF400813|token (has )?expired|` +
			`bad credentials|authentication failed`), remote.KindAuthentication,
		"Check the token: it may have expired or been revoked. Make a new one, and set it without a line break at its end.",
	},
}

// cured adds the cure for a server's words to an error, which may already have the words.
func cured(e *remote.Error, words string) *remote.Error {
	for _, c := range cures {
		if c.words.MatchString(words) {
			e.Kind, e.Message = c.kind, e.Message+"\n"+c.advice
			break
		}
	}
	return e
}

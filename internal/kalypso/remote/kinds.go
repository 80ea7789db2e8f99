// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

// Family describes a kind of errors: its name, its cause and its fix.
type Family struct{ Name, Cause, Cure string }

// The cause and the advice for features that a repository has turned off.
const (
	notAllowed = "The repository does not allow this feature."
	allowIt    = "Allow the feature in the repository's settings, or change `auto_merge` or `report_issue`."
)

// Families are the families of all kinds.
var Families = [...]Family{
	KindServer: {"The server fails", "The server, a proxy or a login page sent an unexpected answer.",
		"Try again later, or open the URL in a browser."},
	KindAuthentication: {"Authentication fails", "Credentials do not exist, are wrong or have expired.",
		"Set them in `git`, `forges` or environment variables."},
	KindWithheld: {"Credentials are withheld",
		"A manifest names the URL, and the configuration does not allow its host to get the credentials.",
		"Set `repo`, an entry in `git`, or `KALYPSO_GIT_URL_PREFIX`: [Credentials](../index.md#credentials-from-environment-variables)."},
	KindForbidden: {"Forbidden", "The credentials lack a right.", "Give the user or token the named right."},
	KindNotFound: {"Not found", "The repository does not exist, or is hidden from the credentials.",
		"Correct the URL or the rights. If the repository was deleted: [the steps](operate-and-repair.md#when-the-plan-fails)."},
	KindBranchNotFound: {"No such branch", "The branch does not exist.", "Correct its name."},
	KindCommitNotFound: {"No such commit", "The server does not have the commit, or does not send it.",
		"Correct the id, or push the commit to a branch."},
	KindHostKey: {"The host key is not known", "`known_hosts` does not have the key of the SSH server.",
		"Compare the key with the published key, then add it."},
	KindTLS: {"The certificate is not accepted",
		"The certificate has an unknown issuer, has expired or is for another host. Or the server asks for a client certificate.",
		"Set `ca_bundle`, or `client_certificate` and `client_key`."},
	KindNetwork: {"The server cannot be reached", "The host name is not known, or the connection fails.",
		"Check the host name, the network and the proxy."},
	KindTimeout: {"Time is up", "The server did not answer in time, or someone interrupted the run.", "Try again, or set longer `timeouts`."},
	KindRefused: {"The server refuses the request", "The server refuses the request, or lacks a feature.",
		"Do what the message says, and apply again."},
	KindRateLimit: {"Too many requests", "The rate limit lasts longer than the operation's time.",
		"Wait until the named time, or use a GitHub App."},
	KindOccupied: {"Another file is in the way", "A file and a folder have the same name, or names differ only in case.",
		"Remove or rename the existing entry in the branch."},
	KindTooLarge: {"Too much", "The answer is too large.", "Check the URL, or raise `max_fetch_mib`."},
	KindStartNotFound: {"No branch to start from", "The branch of `create_branch_from` does not exist.",
		"Correct the name, or remove the attribute to start without history."},
	KindBaseNotFound: {"No branch to propose a change to", "The target branch of a pull request does not exist.",
		"Create the branch, or set `create_branch_from`."},
	KindProtected: {"The branch refuses the push", "A rule of the forge or a hook refuses the push.",
		"Add a `pull_request` block, or let the user push."},
	KindUnsigned: {"The commits are not signed", "A rule of the forge accepts signed commits only.",
		"Set `commit_signing`, or change the rule."},
	KindNoAutoMerge: {"No automatic merges", notAllowed, allowIt},
	KindNoMethod:    {"The merge method is not allowed", notAllowed, allowIt},
	KindNoDraft:     {"No draft", "The forge does not allow drafts, or a draft cannot be merged.", "Set `draft = false`."},
	KindNoIssues:    {"No issues", notAllowed, allowIt},
	KindBarred: {"A repository of this machine", "A manifest names a local folder, and the configuration does not.",
		"Set `repo` to its URL, or set `KALYPSO_GIT_URL_PREFIX`: [Local repositories](../index.md#local-repositories)."},
	KindHeadMoved: {"The request's branch has other commits", "Someone pushed to the branch of the pull request.",
		"Look at the commit, and plan again."},
}

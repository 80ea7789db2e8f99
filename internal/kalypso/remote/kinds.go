// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

// Family describes a kind of errors: its name, its cause, and what to do.
type Family struct{ Name, Cause, Cure string }

// Families are those of all kinds.
var Families = [...]Family{
	KindServer: {"The server fails", "It answers with an error of its own, or with nonsense; a proxy or a login page may have " +
		"answered instead.", "Try again later; open the URL in a browser."},
	KindAuthentication: {"Authentication fails", "Credentials are missing, wrong or expired.", "Set them in `git` or `forges`, " +
		"or in the environment, for a prefix of the URL that the message names."},
	KindWithheld: {"Credentials from environment variables are withheld", "The URL comes from a manifest, and your configuration " +
		"does not say that its host may have them.", "Set `repo` in the resource, an entry in `git`, or `KALYPSO_GIT_URL_PREFIX`: " +
		"[Which hosts get them](../index.md#credentials-of-the-environment)."},
	KindForbidden: {"Forbidden", "The credentials are valid, but lack a right.",
		"Give the token or the user the right that the message names."},
	KindNotFound: {"Not found", "The repository does not exist, or is hidden from these credentials.", "Correct the URL, " +
		"or let the credentials read it. If it is gone for good: [When the plan fails](operate-and-repair.md#when-the-plan-fails)."},
	KindBranchNotFound: {"No such branch", "The branch does not exist.", "Correct its name."},
	KindCommitNotFound: {"No such commit", "The commit is not in the repository, or the server does not give it.",
		"Correct the id, or push the commit to a branch."},
	KindHostKey: {"The host key is not known", "`known_hosts` does not have the server, or has another key for it.",
		"Compare the key with what the server's owner publishes, then add it to `known_hosts`. There is no switch that turns this off."},
	KindTLS: {"The certificate is not accepted", "Its signer is not known, it has expired, or it is for another host; " +
		"or the server asks for a client certificate.", "Set `ca_bundle`, or `client_certificate` and `client_key`."},
	KindNetwork: {"The server cannot be reached", "The name is not known, or the connection fails.",
		"Check the host's name, the network and the proxy."},
	KindTimeout: {"Time is up", "The server did not answer in time, or the run was interrupted.",
		"Try again; `timeouts` gives more time."},
	KindRefused: {"The server does not do this", "It refuses the push or the request, or lacks a feature that is needed.",
		"Do what the message says; if a branch has moved meanwhile, apply again."},
	KindRateLimit: {"Too many requests", "The forge's rate limit has lasted longer than the operation's time.",
		"Wait until the time that the message names, or use a GitHub App."},
	KindOccupied: {"Something else is there", "A file is where a folder has to be, or a folder where a file has to be, " +
		"or two names differ only in upper and lower case.", "Remove or rename it in the branch."},
	KindTooLarge: {"Too much", "The answer is larger than may be read.", "If the repository is that large, set `max_fetch_mib` higher. " +
		"Otherwise, check the URL."},
	KindStartNotFound: {"No branch to start from", "`create_branch_from` names a branch that does not exist.", ""},
	KindBaseNotFound:  {"No branch to propose a change to", "The branch that a pull request is for does not exist.", ""},
	KindProtected:     {"The branch refuses the push", "A rule of the forge, or a hook.", ""},
	KindNoAutoMerge:   {"No automatic merges", "The repository does not allow them.", "Allow them in the repository's settings."},
	KindNoMethod:      {"No merges of that sort", "The repository does not allow that method.", "Allow it in the repository's settings."},
	KindNoDraft:       {"No draft", "The forge refuses drafts in this repository, or a setting of the draft.", ""},
	KindNoIssues:      {"No issues", "Issues are turned off in the repository.", "Turn them on."},
	KindBarred: {"A repository of this machine", "A manifest names a local folder, and the configuration does not.",
		"Set `repo` in the configuration to exactly that URL, or `KALYPSO_GIT_URL_PREFIX` to the folder that it is in: " +
			"[Local repositories](../index.md#local-repositories)."},
	KindHeadMoved: {"The request's branch is elsewhere", "Somebody has pushed to it.", "Look at what was pushed, and plan again."},
}

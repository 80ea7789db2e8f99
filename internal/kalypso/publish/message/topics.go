// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Topics are all topics of messages about a branch, in the order of the guide "Messages".
// The guide lists topics with the same cause and cure in one row.
var Topics []problem.Topic

// topic makes a topic that is among Topics. "…" in its title is the place for a name that
// differs each time.
func topic(title, cause, cure string) problem.Topic {
	t := problem.Topic{Title: title, Cause: cause, Cure: cure}
	Topics = append(Topics, t)
	return t
}

// Naming returns the topic with something in the place of "…".
func Naming(t problem.Topic, what string) problem.Topic {
	t.Title = strings.Replace(t.Title, "…", what, 1)
	return t
}

// NotAloneDetail is the detail of NotAlone.
const (
	NotAloneDetail = "exclusive = true claims all folders at the place, and cluster_types says that others write some of them. " + notAloneCure
	notAloneCure   = "Take one of the two out."
)

// Topics of a plan's and an apply's changes.
var (
	// PlannedChange comes with the diff.
	PlannedChange = topic("Planned change", "The plan changes the repository. The message has the diff.", "Review it.")
	// NoReviewFiles is for a KALYPSO_PLAN_DIR that cannot be written.
	NoReviewFiles = topic("The plan's files cannot be written",
		"The provider cannot write to the folder of `KALYPSO_PLAN_DIR`. The plan itself is complete.",
		"Name another folder, or let the provider write there.")
	AppliedChange = topic("Applied change", "The apply changed something that the plan could not show.", "Look at the diff.")
	// NotPreviewed is for inputs that are not known yet.
	NotPreviewed = topic("The change cannot be previewed", "Some inputs are known only after the apply.",
		"Apply the source of the inputs first (`-target`), or [change the configuration](getting-started.md#plans-that-show-nothing).")
	CameOut = topic("The fleet came out differently than planned",
		"An input or the provider's version changed after the plan. The apply wrote nothing.", "Plan again.")
	PackagesMove = topic("The packages move", "`repo`, `branch` or `path` changes.",
		"Let clusters read the new place first: [Move](folders.md#move).")
	CannotMoveThere = topic("The packages cannot move there", "One of the two places contains the other.",
		"Move to a path with another first folder.")
	Uncleaned = topic("The old place was not cleaned", "The apply wrote the new place, but could not change the old one.",
		"Remove the old folders by hand.")
	TakenForOne = topic("Two places were taken for one branch", "Both places were at the same commit, so the apply removed nothing.",
		"If they are two branches, remove the old folders by hand.")
	ReplacedElsewhere = topic("A replacement cannot move packages",
		"Terraform replaces the resource, and its place or `environment` changes too.", "Apply that change alone, then replace.")
	LastTexts = topic("Files of others are broken: last texts",
		"`on_error = \"keep\"` is set, and files of registrations or fenced sources are broken. It is an error if the last texts have more "+
			"than 1 MiB, or if a resource that takes folders over does not know them.",
		"Fix the named files in their repositories.")
	OnHold = topic("The environment is on hold", "`hold = true` is set. A move, a destroy and another `detail` are errors.",
		"To write again, remove `hold`.")
	Unwatchable = topic("A folder cannot be watched", "A folder's name in the repository is not valid UTF-8.",
		"Remove or rename the folder by hand.")
	Unwatched = topic("No longer watched", "Folders leave `packages`, but stay in the repository.",
		"If you do not want that, undo the setting.")
	LeftFleet = topic("A cluster type has left the fleet", "`cluster_types` still names it.",
		"Remove it from the list after the apply has removed its folder.")
	UnknownPart = topic("Unknown cluster type", "`cluster_types` names a cluster type that is not in the fleet.",
		"Correct the name, or add the cluster type to the fleet.")
	Twice = topic("Two resources name one folder", "Two resources write the same cluster type at one place.",
		"Set `cluster_types` in both, without overlap. Or use another `path`.")
	RemovedAndWanted = topic("Removed and wanted in one plan",
		"One resource removes a folder that another one writes. Usually the resource got another key or name.",
		"Add a `moved` block: [the steps](folders.md#removed-and-wanted-in-one-plan).")
	Copied = topic("Another environment at another place", "`environment` and the place change in one plan. Usually someone copied a state.",
		"Follow [the steps](folders.md#a-copied-state).")
	// NotAlone is for a place that cannot be shared.
	NotAlone = topic("exclusive and cluster_types contradict each other",
		"`exclusive` claims all folders at a place that the resource shares.", notAloneCure)
	Broken = topic("Packages cannot be rendered",
		"With `on_error = \"keep\"`: a template fails, or a configuration violates a schema. These packages stay in the branch unchanged.",
		"Fix the files that the message names. Every plan warns until then.")
	NotKept = topic("Packages cannot be kept",
		"With `on_error = \"keep\"`: packages cannot be rendered, and the plan does not know their content in the branch.",
		"Fix them. Or plan again, so that the plan reads the branch.")
	KeptFolders = topic("The configuration no longer names …", "The record lists folders that the configuration does not name.",
		"Name the cluster types in another resource: [Regroup](waves.md#regroup). "+
			"Or delete [the folders](folders.md#folders-that-no-configuration-names) when no cluster reads them.")
	SplitMove = topic("A move would leave folders without an owner",
		"The place changes, and the record lists folders that the configuration does not name.",
		"Name the cluster types in another resource first, then move.")
	Repairs = topic("Drift is repaired", "Someone changed the resource's folders. The plan repairs them and names the commits.",
		"If you want the change, make it in the fleet.")
	// NotRefreshed is for a refresh that did not look at the repository.
	NotRefreshed = topic("Drift was not looked for", "The provider's configuration is known only after the apply.",
		"Plan or import again after the apply.")
)

// The repository and its servers.
var (
	Unreadable = topic("The GitOps repository cannot be read",
		"A server does not answer, or refuses. A warning means that the plan is incomplete.", "See [What servers say](#what-servers-say).")
	Unwritable = topic("The GitOps repository cannot be written", "The credentials of the plan may not push.",
		"Let them push, or give other credentials to the apply.")
	Unchanged = topic("The GitOps repository was not changed",
		"Someone changed the folders after the plan, or the server refuses. The apply wrote nothing.", "Plan again, or do what the message says.")
	TakesNoPushes = topic("The branch is protected", "The branch does not take pushes from these credentials.",
		"Add a `pull_request` block, or let the credentials push.")
	InTheWay = topic("Other files are in the way", "The folders of a new resource contain files without an owner.",
		"Import them if this provider or Kalypso wrote them. Otherwise remove them, or use another `path`.")
	NoRepository = topic("No GitOps repository", "`repo` is not set, and the environment does not have exactly one GitOpsRepo.",
		"Set `repo` and `branch`, or correct the GitOpsRepos.")
	NothingToWrite = topic("Nothing to write", "No deployment target names the environment of a new resource.",
		"Correct `environment` or the manifests. To start with nothing, set `allow_empty = true` in `limits`.")
	// NothingAssigned comes from the data source that places a fleet.
	NothingAssigned = topic("Nothing is assigned",
		"No deployment target names the environment of `kalypso_assignments`. A `for_each` over it creates nothing.",
		"Correct `environment` or the manifests, or silence `ENVIRONMENT_EMPTY`.")
	LocalRepo = topic("A manifest names a local repository", "Only a GitOpsRepo names the folder on the machine that runs Terraform.",
		"Set `repo` or `KALYPSO_GIT_URL_PREFIX`: [Local repositories](../index.md#local-repositories).")
	InvalidURL = topic("Invalid GitOps repository URL", "The URL of `repo` or the GitOpsRepo is not valid.",
		"Write `https://`, `ssh://`, `git@host:path` or `file://`.")
	InvalidPath = topic("Invalid path", "`path` is not a path inside the repository.",
		"Write the folder from the repository's root. `.` is the root.")
	UndecidedPath = topic("A GitOpsRepo names a path", "The GitOpsRepo names a folder, which Kalypso ignores, and `path` is not set.",
		"Set `path` to `\".\"` for the root, as Kalypso does, or to the folder's name.")
	InvalidBranch  = topic("Invalid branch name", "Git does not allow the name.", "Write another one.")
	PromotedInside = topic("A folder would hold the promoted commit's file",
		"`.github/tracking/Promoted_Commit_Id` would be in a cluster type's folder.", "Use another `path`, or set `promoted_commit = \"\"`.")
	// NotVerified is for a base commit that is null.
	NotVerified = topic("Nothing is verified yet", "A commit in `base_commits` is null, because `kalypso_promotion` has not found one.",
		"Read `reason` of the promotion. To start at a commit, set `pin`.")
	// UnknownAttribute is for an object that the function manifest gets.
	UnknownAttribute = topic("Unknown attribute", "An object of the function `manifest` has an attribute that its kind does not have.",
		"Correct or remove it.")
	// ImportUnsettled is for inputs of an imported resource that are not known at plan.
	ImportUnsettled = topic("An import has to be settled first", NotPreviewed.Cause, NotPreviewed.Cure)
	// ImportUnconfigured is for an import that the provider cannot read.
	ImportUnconfigured = topic("Import needs the provider's configuration", NotRefreshed.Cause, NotRefreshed.Cure)
	// NotesUnreadable is for a resource whose private state is damaged.
	NotesUnreadable = topic("Unreadable private state", "The provider's notes in the state are damaged, or another version wrote them.",
		"Run `terraform state rm`, and import the resource again.")
	NothingThere = topic("Nothing to import", "The place has no folder that this provider or Kalypso wrote, or several environments.",
		"Correct the place, or use one of the named ids.")
)

// Owners.
var (
	foreign = topic("Folders of another owner", "Another resource owns the folders, or the folders around them.",
		"Use another `path`, or choose [one of the cures](folders.md#what-is-refused).")
	doubled = topic("Two records list one folder", "Two files in `.kalypso` list the same folder, after merges or an edit.",
		"Delete the line in one of the files: [the steps](folders.md#two-records-list-one-folder).")
	lostFolders = topic("Folders have another owner now", "Another resource, often in another state, has taken over the folders.",
		"Keep one of the two: [the steps](folders.md#folders-have-another-owner-now).")
	unknownFolders = topic("Folders that are not known to be this resource's",
		"No record lists a folder of the state, and its content is not from the last apply.",
		"Restore the record's line, delete the folder, or import it: [the steps](folders.md#folders-that-are-not-known).")
	TakingOver = topic("Folders are taken over",
		"Another resource of the environment owns the folders, a second state manages them, or a state was lost.",
		"If a second state manages them, stop.")
	LeftToOthers = topic("Left to others", "Folders of the destroyed resource have another owner, or no known owner.",
		"If no resource owns them, remove them by hand when no cluster reads them.")
	RemoveNothing = topic("Removes nothing", "All folders of the resource have another owner now.", "Nothing, if you want that.")
)

// Topics of removals, and of reasons against them.
var (
	Removes = topic("Removes …",
		"A destroy removes packages, or opens a pull request that does. An empty `for_each` and a deleted block cause it too.",
		"Check that you want that.")
	Proposes = topic("Proposes to remove …", Removes.Cause, Removes.Cure)
	Leaves   = topic("Leaves … as they are", "With `on_removal = \"retain\"`, a destroy leaves the packages in the repository.",
		"Let another resource take the folders over, or delete them when no cluster reads them.")
	Forbidden = topic("Removal is forbidden", "With `on_removal = \"forbid\"`, the plan cannot remove, move or destroy.",
		"Look for the missing block, key or label. To remove: [the steps](folders.md#removal-is-forbidden).")
	Guarded = topic("Protected packages would be removed", "A destroy would remove packages that `limits.protect` keeps.",
		"Remove the pattern, apply that alone, and destroy again.")
	ProtectsNothing = topic("A pattern protects nothing", "The pattern matches nothing. It probably has a typing error.",
		"Correct it: `*/observability-*` in `limits.protect`, `value/*/LOG_LEVEL` in `ignore_discrepancies`.")
	Exceeds = topic("The change exceeds the limits", "The plan removes or changes more packages than `limits` allows.",
		"Check the packages. If you want the change, set [`acknowledge`](review-and-limit.md#limit-what-a-plan-may-change) to the code.")
	Unjudgeable = topic("The limits cannot be checked", "With `detail = \"cluster_type\"`, the plan does not know the packages in the branch.",
		"Check the diff. If you want the change, set `acknowledge` to the code.")
	TellsFindings = topic("Findings", "The message has the code of each finding.",
		"See [Findings](#findings). Fix them, or silence one with `ignore_findings = [\"CODE:subject\"]`.")
	HoldsCredentials = topic("Credentials in the fleet", TellsFindings.Cause, TellsFindings.Cure)
	BreaksOut        = topic("Texts of workloads that break out", TellsFindings.Cause, TellsFindings.Cure)
	FailsFindings    = topic("Findings that fail_on does not allow", TellsFindings.Cause, TellsFindings.Cure)
)

// Promotions, which kalypso_promotion decides.
var (
	PromotionUndecided = topic("The promotion cannot be decided", Unreadable.Cause, Unreadable.Cure)
	NoReports          = topic("No forge to ask for checks",
		"`kalypso_promotion` requires checks, but has no forge or token for the repository.",
		"Add them to `forges`. If the repository has no forge, set `no_checks = true`.")
	SoakByCommitTime = topic("A soak uses the times of commits",
		"`SOAK_BY_COMMIT_TIME`: with a `soak` and `no_checks = true`, the time comes from the commit. Its author can set any time.",
		"Write `checks`, or restrict who may push to the branch.")
	NothingCarried = topic("Nothing is known of an environment",
		"A branch of `kalypso_promotion` does not exist, or does not name the environment's commit.",
		"Nothing, before the first apply. Otherwise correct the branch, `path`, `cluster_types` or the name.")
)

// Topics of deployments, which kalypso_deployments reports.
var (
	DeploymentsUnread  = topic("The deployments cannot be read", Unreadable.Cause, Unreadable.Cure)
	IgnoresNothing     = topic("A pattern ignores nothing", ProtectsNothing.Cause, ProtectsNothing.Cure)
	DeploymentsUnknown = topic("Something of an environment is not known",
		"A branch or folder of `kalypso_deployments` does not exist, or the forge does not show the reports.",
		"Nothing, before the first apply. Otherwise correct the branch, `path` or the token's rights.")
)

// Pull requests, issues and commit statuses.
var (
	NoRequest = topic("No pull request can be made", "The provider has no forge or token for the repository.",
		"Add the forge and a token to `forges`.")
	Unasked     = topic("The forge cannot be asked", Unreadable.Cause, Unreadable.Cure)
	NotProposed = topic("The change was not proposed", "The apply could not create the branch or the pull request.",
		"Do what the message says, and apply again.")
	Incomplete = topic("The pull request is not complete", "The forge refused a label, a reviewer or the automatic merge.",
		"Do what the message says. The next apply tries again.")
	Unmerged = topic("The pull request is not merged yet", "Nobody merged the pull request in the time of `wait_for_merge`.",
		"Merge it, or see which rule blocks it.")
	MergedElse = topic("The merge changed something else", "After the merge, the branch differs from the proposal.",
		"Plan again to see the difference.")
	Unfollowed  = topic("The pull request cannot be followed", Unreadable.Cause, Unreadable.Cure)
	RequestGone = topic("A pull request is gone", "Someone deleted the pull request, or the token may not read it.",
		"Apply to propose again, or give the token the right.")
	PushedTo = topic("Somebody has pushed to the branch of a pull request",
		"The resource did not push the branch's latest commit. The provider turns automatic merging off.",
		"To keep the commit, merge by hand. Otherwise apply, which proposes on another branch.")
	ClosedUnmerged = topic("A pull request was closed", "Someone closed the pull request without a merge, and the fleet is still the same.",
		"Change the fleet, or reopen the pull request.")
	StillMerges = topic("Automatic merging was not turned off",
		"Someone pushed to the branch, and the forge refuses to turn automatic merging off.",
		"Turn it off by hand, or let the token write pull requests.")
	NotClosed = topic("The pull request was not closed", "The forge refused to close or delete what the resource no longer needs.",
		"Do it by hand.")
	BranchStays  = topic("A branch stays", NotClosed.Cause, NotClosed.Cure)
	RemovalAsked = topic("The removal is proposed", "With `pull_request`, a destroy and a move propose the removal.",
		"Merge the pull request. Terraform does not follow it.")
	Unreported = topic("The errors were not reported", "`report_issue` needs `KALYPSO_REPORT_ISSUE=1` in this run, and a known repository.",
		"Set the variable only in the pipeline of the main branch.")
	NoStatus = topic("No commit status can be set", NoRequest.Cause, NoRequest.Cure)
	NoSource = topic("No commit to report a status on", "`report_status` needs the fleet's commit of the control plane.",
		"Set `promoted_commit` to the full id, or remove `report_status`.")
	StatusUnset = topic("The commit status was not set", "The forge refused it.",
		"Let the token write commit statuses and issues, or do what the message says.")
	IssueStale = topic("The issue about errors was not brought up to date", StatusUnset.Cause, StatusUnset.Cure)
)

// When even less is known.
var (
	uncomputed   = topic("The fleet cannot be computed", "The operation was interrupted, or failed outside the fleet.", "Read the cause.")
	moreProblems = topic("More problems", "The fleet has more than a hundred problems.", "Fix the first ones, and try again.")
)

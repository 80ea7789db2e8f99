// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Topics are all topics of messages about a branch, in the order of the guide "Messages". The
// guide has one row for topics with the same cause and cure.
var Topics []problem.Topic

// topic adds a topic to Topics. "…" in a title is the place for a name.
func topic(title, cause, cure string) problem.Topic {
	t := problem.Topic{Title: title, Cause: cause, Cure: cure}
	Topics = append(Topics, t)
	return t
}

// Naming returns the topic with a name instead of "…".
func Naming(t problem.Topic, what string) problem.Topic {
	t.Title = strings.Replace(t.Title, "…", what, 1)
	return t
}

// NotAloneDetail is the text of NotAlone.
const (
	NotAloneDetail = "exclusive = true claims all folders at the place, but cluster_types leaves some folders to others. " + notAloneCure
	notAloneCure   = "Remove one of the two attributes."
)

// Topics of the changes of a plan and an apply.
var (
	// PlannedChange comes with the diff.
	PlannedChange = topic("Planned change", "The plan changes the repository. The message has the diff.", "Review it.")
	// NoReviewFiles is for a folder KALYPSO_PLAN_DIR without the right to write.
	NoReviewFiles = topic("The plan's files cannot be written",
		"The provider cannot write to the folder of `KALYPSO_PLAN_DIR`. The plan itself is complete.",
		"Name another folder, or let the provider write there.")
	AppliedChange = topic("Applied change", "The apply changed something that the plan could not show.", "Look at the diff.")
	// NotPreviewed is for inputs that are not known at plan time.
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
	TakenForOne = topic("Two places may be one branch", "Both places were at the same commit, so the apply removed nothing.",
		"If the places are two branches, remove the old folders by hand.")
	ReplacedElsewhere = topic("A replacement cannot move packages",
		"Terraform replaces the resource, and its place or `environment` changes too.", "Apply that change alone, then replace.")
	LastTexts = topic("Last texts of broken files",
		"`on_error = \"keep\"` is set, and files of registrations or fenced sources are broken. It is an error if the last texts have more "+
			"than 1 MiB (on hold with those that cannot be read), or if a resource that takes folders over does not know them.",
		"Fix the named files in their repositories.")
	OnHold = topic("The environment is on hold", "`hold = true` is set. A move, a destroy and a change of `detail` are errors.",
		"Remove `hold` after the incident.")
	Unwatchable = topic("A folder cannot be watched", "A folder's name in the repository is not valid UTF-8.",
		"Remove or rename the folder by hand.")
	Unwatched = topic("No longer watched", "Folders leave `packages`, but stay in the repository.",
		"If you want to watch them, undo the setting.")
	LeftFleet = topic("A cluster type has left the fleet", "`cluster_types` still names it.",
		"Remove it from the list after the apply has removed its folder.")
	UnknownPart = topic("Unknown cluster type", "`cluster_types` names a cluster type that is not in the fleet.",
		"Correct the name, or add the cluster type to the fleet.")
	Twice = topic("Two resources name one folder", "Two resources write the same cluster type at one place.",
		"Set `cluster_types` in both, without overlap. Or use another `path`.")
	RemovedAndWanted = topic("Removed and wanted in one plan",
		"One resource removes a folder that another resource writes. Usually a resource got a new key or name.",
		"Add a `moved` block: [the steps](folders.md#removed-and-wanted-in-one-plan).")
	Copied = topic("Another environment at another place", "`environment` and the place change in one plan. Usually someone copied a state.",
		"Follow [the steps](folders.md#a-copied-state).")
	// NotAlone is for a place that other resources also write to.
	NotAlone = topic("exclusive and cluster_types contradict each other",
		"`exclusive` claims all folders at a place that the resource shares.", notAloneCure)
	Broken = topic("Packages cannot be rendered",
		"With `on_error = \"keep\"`: a template fails, a configuration violates a schema, or a text may not be written. These packages stay "+
			"in the branch unchanged.",
		"Fix the files that the message names. Every plan warns until then.")
	NotKept = topic("Packages cannot be kept",
		"With `on_error = \"keep\"`: packages cannot be rendered, and the plan does not know their content in the branch, "+
			"or `repo`, `branch` or `path` changes.",
		"Fix them. Or plan again, so that the plan reads the branch.")
	KeptFolders = topic("The configuration no longer names …", "The record lists folders that the configuration does not name.",
		"Name the cluster types in another resource: [Regroup](waves.md#regroup). "+
			"Or delete [the folders](folders.md#folders-that-no-configuration-names) when no cluster reads them.")
	SplitMove = topic("A move would leave folders without an owner",
		"The place changes, and the record lists folders that the configuration does not name.",
		"Name the cluster types in another resource first, then move.")
	Repairs = topic("Drift is repaired", "Someone changed the resource's folders. The plan repairs them and names the commits.",
		"If you want the change, make it in the fleet.")
	// NotRefreshed is for a refresh without a look at the repository.
	NotRefreshed = topic("The refresh did not look for drift", "The provider's configuration is known only after the apply.",
		"Plan or import again after the apply.")
)

// The repository and its servers.
var (
	Unreadable = topic("The GitOps repository cannot be read",
		"A server does not answer, or refuses. A warning means that the plan is incomplete.", "See [What servers say](#what-servers-say).")
	Unchanged = topic("The GitOps repository was not changed",
		"Someone changed the folders after the plan, or the server refuses. The apply wrote nothing.", "Plan again, or do what the message says.")
	InTheWay = topic("Other files are in the way", "The folders of a new resource contain files without an owner.",
		"Import them if this provider or Kalypso wrote them. Otherwise remove them, or use another `path`.")
	NoRepository = topic("No GitOps repository", "`repo` is not set, and the environment does not have exactly one GitOpsRepo.",
		"Set `repo` and `branch`, or correct the GitOpsRepos.")
	NothingToWrite = topic("Nothing to write", "No deployment target names the environment of a new resource.",
		"Correct `environment` or the manifests. To start with nothing, set `allow_empty = true` in `limits`.")
	// NothingAssigned is for kalypso_assignments.
	NothingAssigned = topic("Nothing is assigned",
		"No deployment target names the environment of `kalypso_assignments`. A `for_each` over it creates nothing.",
		"Correct `environment` or the manifests, or silence `ENVIRONMENT_EMPTY`.")
	LocalRepo = topic("A manifest names a local repository",
		"A GitOpsRepo names a folder on the machine that runs Terraform, and the configuration does not.",
		"Set `repo` or `KALYPSO_GIT_URL_PREFIX`: [Local repositories](../index.md#local-repositories).")
	InvalidURL = topic("Invalid GitOps repository URL", "The URL of `repo` or the GitOpsRepo is not valid.",
		"Write `https://`, `ssh://`, `git@host:path` or `file://`.")
	InvalidPath = topic("Invalid path", "`path` is not a path inside the repository.",
		"Write the folder from the repository's root. `.` is the root.")
	UndecidedPath = topic("A GitOpsRepo names a path", "The GitOpsRepo names a folder, which Kalypso ignores, and `path` is not set.",
		"Set `path` to `\".\"` for the root, as Kalypso does, or to the folder's name.")
	InvalidBranch  = topic("Invalid branch name", "Git does not allow the name.", "Write another name.")
	PromotedInside = topic("A folder would contain the promoted commit's file",
		"`.github/tracking/Promoted_Commit_Id` would be in a cluster type's folder.", "Use another `path`, or set `promoted_commit = \"\"`.")
	// NotVerified is for a base commit that is null.
	NotVerified = topic("Nothing is verified yet", "A commit in `base_commits` is null, because `kalypso_promotion` has not found one.",
		"Read `reason` of the promotion. To start at a commit, set `pin`.")
	// UnknownAttribute is for an object in the function manifest.
	UnknownAttribute = topic("Unknown attribute", "An object of the function `manifest` has an attribute that its kind does not have.",
		"Correct or remove the attribute.")
	// ImportUnsettled is for inputs of an imported resource that are not known at plan time.
	ImportUnsettled = topic("The import needs known inputs", NotPreviewed.Cause, NotPreviewed.Cure)
	// ImportUnconfigured is for an import without a known configuration of the provider.
	ImportUnconfigured = topic("Import needs the provider's configuration", NotRefreshed.Cause, NotRefreshed.Cure)
	// NotesUnreadable is for a resource whose private state is damaged.
	NotesUnreadable = topic("Unreadable private state", "The provider's notes in the state are damaged, or another version wrote them.",
		"Run `terraform state rm`, and import the resource again.")
	NothingThere = topic("Nothing to import", "The place has no folder of this provider or Kalypso, or folders of several environments.",
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
	unknownFolders = topic("Folders without a known owner",
		"No record lists a folder of the state, and its content is not from the last apply.",
		"Restore the record's line, delete the folder, or import it: [the steps](folders.md#folders-that-are-not-known).")
	TakingOver = topic("Folders are taken over",
		"Another resource of the environment owns the folders, a second state manages them, or a state was lost.",
		"If a second state manages them, stop.")
	LeftToOthers = topic("Left to others", "Folders of the destroyed resource have another owner, or no known owner.",
		"If no resource owns them, remove them by hand as soon as no cluster reads them.")
	RemoveNothing = topic("Removes nothing", "All folders of the resource have another owner now.", "None, if you expect this.")
)

// Topics of removals, and of reasons that forbid removals.
var (
	Removes = topic("Removes …",
		"A destroy removes packages, or proposes the removal. An empty `for_each` and a deleted block are destroys too.",
		"Check that you want the removal.")
	Proposes = topic("Proposes to remove …", Removes.Cause, Removes.Cure)
	Leaves   = topic("Leaves … unchanged", "With `on_removal = \"retain\"`, a destroy leaves the packages in the repository.",
		"Let another resource take the folders over, or delete them when no cluster reads them.")
	Forbidden = topic("Removal is forbidden", "With `on_removal = \"forbid\"`, the plan cannot remove, move or destroy.",
		"Look for the missing block, key or label. If you want the removal: [the steps](folders.md#removal-is-forbidden).")
	Guarded = topic("Protected packages would be removed", "A destroy would remove packages that `limits.protect` keeps.",
		"Remove the pattern, apply this change alone, and destroy again.")
	ProtectsNothing = topic("A pattern protects nothing", "The pattern matches nothing. It probably has a typing error.",
		"Correct the pattern: `*/observability-*` in `limits.protect`, `value/*/LOG_LEVEL` in `ignore_discrepancies`.")
	Exceeds = topic("The change exceeds the limits", "The plan removes or changes more packages than `limits` allows.",
		"Check the packages. If you want the change, set [`acknowledge`](review-and-limit.md#limit-what-a-plan-may-change) to the code.")
	Frozen = topic("A freeze is in force", "A block `freeze` contains the present time, and packages would change.",
		"Wait, or set `acknowledge` to the code. A destroy prints no code: first remove the block and apply.")
	Unjudgeable = topic("The limits cannot be checked", "With `detail = \"cluster_type\"`, the plan does not know the packages in the branch.",
		"Check the diff. If you want the change, set `acknowledge` to the code.")
	TellsFindings = topic("Findings", "The message has the code of each finding.",
		"See [Findings](#findings). Fix them, or silence one with `ignore_findings = [\"CODE:subject\"]`.")
	HoldsCredentials = topic("Credentials in the fleet", TellsFindings.Cause, TellsFindings.Cure)
	BreaksOut        = topic("Texts of workloads that break out", TellsFindings.Cause, TellsFindings.Cure)
	FailsFindings    = topic("Findings that fail_on does not allow", TellsFindings.Cause, TellsFindings.Cure)
)

// Topics of kalypso_promotion.
var (
	PromotionUndecided = topic("The promotion cannot be decided", Unreadable.Cause, Unreadable.Cure)
	NoReports          = topic("No forge to ask for checks",
		"`kalypso_promotion` requires checks, but has no forge or token for the repository.",
		"Add the forge and a token to `forges`. If the repository has no forge, set `no_checks = true`.")
	SoakByCommitTime = topic("A soak uses the times of commits",
		"`SOAK_BY_COMMIT_TIME`: with a `soak` and `no_checks = true`, the soak begins at the commit time, which its author can set to any time.",
		"Write `checks`, or restrict who may push to the branch.")
	NothingCarried = topic("Nothing is known of an environment",
		"A branch of `kalypso_promotion` does not exist, or does not name the environment's commit.",
		"Before the first apply, do nothing. Otherwise correct the branch, `path`, `cluster_types` or the name.")
)

// Topics of kalypso_deployments.
var (
	DeploymentsUnread  = topic("The deployments cannot be read", Unreadable.Cause, Unreadable.Cure)
	IgnoresNothing     = topic("A pattern ignores nothing", ProtectsNothing.Cause, ProtectsNothing.Cure)
	DeploymentsUnknown = topic("Something of an environment is not known",
		"A branch or folder of `kalypso_deployments` does not exist, or the forge does not show the reports.",
		"Before the first apply, do nothing. Otherwise correct the branch, `path` or the token's rights.")
)

// Pull requests and commit statuses.
var (
	NoRequest = topic("Pull requests are not possible", "The provider has no forge or token for the repository.",
		"Add the forge and a token to `forges`.")
	NotProposed = topic("The change was not proposed", "The apply could not create the branch or the pull request.",
		"Do what the message says, and apply again.")
	Incomplete = topic("The pull request is not complete", "The forge refused a label, a reviewer or the automatic merge.",
		"Do what the message says. The next apply tries again, except for reviewers.")
	Unmerged = topic("The pull request is not merged yet", "The pull request was not merged within the time of `wait_for_merge`.",
		"Merge the pull request, or look which rule blocks it.")
	MergedElse = topic("The merge changed something else", "After the merge, the branch differs from the proposal.",
		"Plan again to see the difference.")
	Unfollowed  = topic("The pull request cannot be followed", Unreadable.Cause, Unreadable.Cure)
	RequestGone = topic("A pull request does not exist any more", "Someone deleted the pull request, or the token may not read it.",
		"Apply to propose again, or give the token the right to read it.")
	PushedTo = topic("Somebody has pushed to the branch of a pull request",
		"The resource did not push the branch's latest commit. The provider turns automatic merging off.",
		"To keep the commit, merge by hand. Otherwise apply, which proposes on another branch.")
	ClosedUnmerged = topic("A pull request was closed", "Someone closed the pull request without a merge, and the fleet is still the same.",
		"Change the fleet, or reopen the pull request.")
	StillMerges = topic("Automatic merging was not turned off",
		"Someone pushed to the branch, and the forge refuses to turn automatic merging off.",
		"Turn it off by hand, or let the token write pull requests.")
	NotClosed = topic("The pull request was not closed", "The forge refused to close or delete what the resource no longer needs.",
		"Close or delete the named request or branch by hand.")
	BranchStays  = topic("A branch stays", NotClosed.Cause, NotClosed.Cure)
	RemovalAsked = topic("The removal is proposed", "With `pull_request`, a destroy and a move propose the removal.",
		"Merge the pull request. Terraform does not follow it.")
	NoStatus     = topic("No commit status can be set", NoRequest.Cause, NoRequest.Cure)
	StatusUnread = topic("The commit status cannot be read", Unreadable.Cause, Unreadable.Cure)
	StatusUnset  = topic("The commit status was not set", "The forge refused the status.",
		"Let the token write commit statuses, or do what the message says.")
)

// Topics without a result of the engine.
var (
	uncomputed   = topic("The fleet cannot be computed", "The operation was interrupted, or failed outside the fleet.", "Read the cause.")
	moreProblems = topic("More problems", "The fleet has more than a hundred problems.", "Fix the shown problems, and try again.")
)

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Topics are all that a person may be told of a branch, in the order in which the guide
// "Messages" has them.
var Topics []problem.Topic

// topic makes a topic that is among Topics. "…" in its title stands for what is named
// there each time.
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

// NotAloneDetail is what is told of NotAlone.
const (
	NotAloneDetail = "exclusive = true claims all folders at the place, and cluster_types says that others write some of them. " + notAloneCure
	notAloneCure   = "Take one of the two out."
)

// What a plan and an apply do.
var (
	// PlannedChange is told with the diff.
	PlannedChange = topic("Planned change", "The plan changes the repository: this is the diff.", "Review it. It is in the plan's output and in the files of `KALYPSO_PLAN_DIR` alone.")
	// NoReviewFiles is told where KALYPSO_PLAN_DIR cannot be written.
	NoReviewFiles = topic("The plan's files cannot be written", "`KALYPSO_PLAN_DIR` names a folder that cannot be made or written.", "Name another folder, or give the provider the right to write there. The plan itself is complete.")
	AppliedChange = topic("Applied change", "The apply has changed what the plan could not show, since something was known only then.", "Look at the diff.")
	// NotPreviewed is told where inputs are not known yet.
	NotPreviewed      = topic("The change cannot be previewed", "Inputs that the message names are known only after the apply, so the plan shows nothing.", "Pass the fleet through a `local`, and see [Plans that show nothing](getting-started.md#plans-that-show-nothing). Else apply first what the inputs come from (`-target`).")
	CameOut           = topic("The fleet came out differently than planned", "Apply has rendered other files than the plan: an input or the provider's version has changed in between.", "Plan again. Nothing was written.")
	PackagesMove      = topic("The packages move", "`repo`, `branch` or `path` is another one.", "Have clusters read the new place before the old one is emptied: [Move](folders.md#move).")
	CannotMoveThere   = topic("The packages cannot move there", "The old and the new place lie in each other.", "Move to a path that starts with another name.")
	Uncleaned         = topic("The old place was not cleaned", "The packages are written to the new place, and the old one could not be changed.", "Remove by hand what the message names.")
	TakenForOne       = topic("Two places were taken for one branch", "The old and the new place pointed at the same commit, so nothing was removed.", "If they are two branches, remove by hand what the message names.")
	ReplacedElsewhere = topic("A replacement cannot move packages", "The resource is replaced and gets another `repo`, `branch`, `path` or `environment` in one go.", "Apply that change alone, then replace.")
	OnHold            = topic("The environment is on hold", "`hold = true` of the resource or the provider. As an error: a move, another `detail` or a destroy cannot happen meanwhile.", "When the incident is over, take `hold` away; the next plan shows what differs.")
	Unwatchable       = topic("A folder cannot be watched", "A folder's name in the repository is no valid UTF-8.", "Remove or rename it by hand.")
	Unwatched         = topic("No longer watched", "Folders leave `packages` and stay in the repository as they are.", "Nothing, if that is meant. Else take back the setting that releases them.")
	LeftFleet         = topic("A cluster type has left the fleet", "`cluster_types` names a cluster type that the resource had and the fleet has no more.", "Take it out of the list, once the apply has removed what it had.")
	UnknownPart       = topic("Unknown cluster type", "`cluster_types` names what the fleet does not have, and the resource never had.", "Correct the name. What a later commit of the fleet adds, name once that is there.")
	Twice             = topic("Two resources name one folder", "Two resources of a plan name one cluster type at the same place, or one of them has no `cluster_types` set.", "Take it out of one of them, or write below another path.")
	RemovedAndWanted  = topic("Removed and wanted in one plan", "One resource is destroyed, moves or loses a cluster type, and another one of the plan names the same folder: mostly one resource that got another key.", "Add a `moved` block. Else apply the one that names the folder first, with `-target`: [Removed and wanted in one plan](folders.md#removed-and-wanted-in-one-plan).")
	Copied            = topic("Another environment at another place", "`environment` and the place (`repo`, `branch` or `path`) change in one plan: mostly a copied state, whose apply would remove the original.", "Start without the copied state: [A copied state](folders.md#a-copied-state). Else apply one of the two changes first.")
	// NotAlone is told where a place cannot be shared.
	NotAlone    = topic("exclusive and cluster_types contradict each other", "`exclusive` claims all folders at a place that the resource shares.", notAloneCure)
	KeptFolders = topic("Folders that no configuration names", "The record of a resource lists folders that its configuration does not name: its `cluster_types` became shorter, or `on_removal = \"retain\"` keeps them.", "Name the cluster types in `cluster_types` of another resource of the environment and place: [Regroup](waves.md#regroup). Or delete the folders once no cluster reads them.")
	SplitMove   = topic("A move would leave folders without an owner", "`repo`, `branch` or `path` changes while the record lists folders that the configuration does not name, or `cluster_types` gets shorter with it.", "Name the cluster types in another resource first, then move.")
	Repairs     = topic("Drift is repaired", "Somebody has changed in the repository what the resource had written. The plan puts it right, and names the commits.", "Nothing, if that is meant. Else make the change in the fleet, or ask the author.")
	// NotRefreshed is told where a refresh did not look at the repository.
	NotRefreshed = topic("Drift was not looked for", "The provider's configuration depends on something that is known only after the apply.", "Plan again after the apply.")
)

// The repository and its servers.
var (
	Unreadable     = topic("The GitOps repository cannot be read", "A server does not answer, or refuses; as a warning, a plan could not show the files that change, or look who owns what.", "Look at the cause at its end, and at what servers say, [below](#what-servers-say).")
	Unwritable     = topic("The GitOps repository cannot be written", "The plan of a new resource has asked, and the credentials may not push.", "Give them the right to write, or others to the run that applies.")
	Unchanged      = topic("The GitOps repository was not changed", "Somebody changed our folders after the plan, something stands in the way, or the server refuses.", "Plan again to see a change of others; else do what the message says. Nothing was written.")
	TakesNoPushes  = topic("The branch is protected", "The plan of a new resource has found a branch that takes no pushes, or not from everybody.", "Add a `pull_request` block, or let the credentials push.")
	InTheWay       = topic("Something stands in the way", "Folders that the new resource would write hold something else, and have no owner.", "Import them if this provider or Kalypso wrote them; else remove or rename them, or write below another path.")
	NoRepository   = topic("No GitOps repository", "`repo` is not set, and there is not exactly one GitOpsRepo for the environment.", "Set `repo` and `branch`, or correct the GitOpsRepos.")
	NothingToWrite = topic("Nothing to write", "No deployment target names the environment that is to be created.", "Correct `environment`, or the manifests. If there is to be nothing yet: `allow_empty = true` in `limits`.")
	// NothingAssigned is told by the data source that places a fleet.
	NothingAssigned = topic("Nothing is assigned", "`kalypso_assignments` is asked for an environment that no deployment target names, so a `for_each` over its `assignments` makes nothing.", "Correct `environment`, or the manifests. If it is meant: `ignore_findings = [\"ENVIRONMENT_EMPTY\"]`.")
	LocalRepo       = topic("A manifest names a local repository", "`repo` is not set, and that of the GitOpsRepo is a folder of the machine that runs Terraform.", "Set `repo` to the same URL, or `KALYPSO_GIT_URL_PREFIX` to the folder that it is in: [Local repositories](../index.md#local-repositories).")
	InvalidURL      = topic("Invalid GitOps repository URL", "`repo`, or that of the GitOpsRepo, is no URL that Git takes here.", "Write `https://`, `ssh://`, `git@host:path` or `file://`.")
	InvalidPath     = topic("Invalid path", "`path` leads out of the repository, or is none.", "Write the folder from the repository's root; `.` is the root.")
	UndecidedPath   = topic("A GitOpsRepo names a path", "The GitOpsRepo of the environment names a folder, and `path` is not set. Kalypso ignores that folder.", "Set `path`: `\".\"` writes at the root, as Kalypso does; the folder's name writes below it.")
	InvalidBranch   = topic("Invalid branch name", "Git takes no branch of that name.", "Write another one.")
	PromotedInside  = topic("A folder would hold the promoted commit's file", "The promoted commit's file, `.github/tracking/Promoted_Commit_Id`, would lie in a cluster type's folder.", "Write below another `path`, rename the cluster type, or set `promoted_commit = \"\"`.")
	// NotVerified is told of a base commit that is null.
	NotVerified = topic("Nothing is verified yet", "A commit in `base_commits` is null: `kalypso_promotion` has not found one that the environment may be at.", "Read `reason` of the promotion. To begin somewhere, set `pin` there.")
	// UnknownAttribute is told of an object that the function manifest is given.
	UnknownAttribute = topic("Unknown attribute", "The object of the function `manifest` has an attribute that its kind does not know, mostly a misspelled one.", "Write the attribute that the message offers, or remove it.")
	// ImportUnsettled is told where inputs of an imported resource are not known at plan.
	ImportUnsettled = topic("An import has to be settled first", "The resource was imported, and inputs of its first apply are not known at plan.", "Apply first what they come from (`-target`), then the resource.")
	// ImportUnconfigured is told where the provider cannot read what is imported.
	ImportUnconfigured = topic("Import needs the provider's configuration", "The provider's configuration depends on something that is known only after the apply.", "Give it values that are known, or import in a later run.")
	// NotesUnreadable is told where a resource's private state is damaged.
	NotesUnreadable = topic("Unreadable private state", "What the provider has noted with the state is damaged, or of another version.", "`terraform state rm` the resource, and import it again. Nothing is written by that.")
	NothingThere    = topic("Nothing to import", "At that place is no record, and no folder that this provider or Kalypso wrote; or there are several environments.", "Correct the id; the message lists what there is. Add `:<environment>` where there are several.")
)

// Owners.
var (
	foreign        = topic("Folders of another owner", "Another environment has recorded the folders, or they lie in those of another owner.", "Write below another path, rename the cluster types, or have the other resource give them up. If it is gone: [A record of a resource that is gone](operate-and-repair.md#a-record-of-a-resource-that-is-gone).")
	doubled        = topic("Two records list one folder", "Two merges, or an edit, have left two files in `.kalypso` that list the same folder.", "Delete the line in one of the two files that the message names, and plan again: [Two records list one folder](folders.md#two-records-list-one-folder).")
	lostFolders    = topic("Folders have another owner now", "Another instance, often in another state, has taken over what this one wrote.", "Decide which of the two stays, and take the other out of its state: [Folders have another owner now](folders.md#folders-have-another-owner-now).")
	unknownFolders = topic("Folders that are not known to be this resource's", "The state names a folder, no record does, and it does not hold what the last apply wrote: the record was edited or deleted, or the state is an old one.", "Restore the record's line, delete the folder, or import it: [Folders that are not known](folders.md#folders-that-are-not-known).")
	TakingOver     = topic("Folders are taken over", "Another instance of the same environment and place owns them: a cluster type that went to another resource, a lost state, or a second state.", "Look at who owns them. If a second state manages them, stop.")
	LeftToOthers   = topic("Left to others", "Folders of the destroyed resource have another owner, or nothing shows that they are its own.", "Nothing, if another resource owns them. Else remove them by hand once nobody needs them.")
	RemoveNothing  = topic("Removes nothing", "All folders of the resource have another owner now.", "Nothing, if that is meant.")
)

// What is removed, and what keeps from it.
var (
	Removes          = topic("Removes …", "A destroy removes packages, as `on_removal` says.", "Look whether that is meant. An empty `for_each` and a deleted block say the same.")
	Proposes         = topic("Proposes to remove …", "A destroy opens a pull request that removes packages.", "Look whether that is meant, and merge the request afterwards.")
	Leaves           = topic("Leaves … as they are", "`on_removal = \"retain\"`: what is destroyed in Terraform stays in the repository, and in the record.", "Have another resource of the environment and place take the folders over, or delete them once no cluster reads them.")
	Forbidden        = topic("Removal is forbidden", "`on_removal = \"forbid\"`, and the plan removes, moves or destroys.", "If it is not meant, look for the block, key or label that is missing. If it is: [Removal is forbidden](folders.md#removal-is-forbidden).")
	Guarded          = topic("Protected packages would be removed", "`limits.protect` keeps packages, and the resource is destroyed.", "Take the pattern out, apply that alone, and try again.")
	ProtectsNothing  = topic("A pattern protects nothing", "A pattern of `limits.protect` matches no package, neither now nor by the plan: it is probably misspelled.", "Correct it: `*/observability-*`, by the keys of `packages`.")
	Exceeds          = topic("The change exceeds the limits", "The plan removes or changes more than `limits` allow.", "Look at the packages that it lists. If they are meant, set `acknowledge` to the code: [Limit what a plan may change](review-and-limit.md#limit-what-a-plan-may-change).")
	Unjudgeable      = topic("The limits cannot be checked", "What is in the repository is not known package by package, with `detail = \"cluster_type\"`: the branch could not be read, or the fleet changes while it moves.", "Look at the diff; if it is meant, set `acknowledge` to the code.")
	TellsFindings    = topic("Findings", "Something is left over or probably a mistake.", "See [findings](#findings). `ignore_findings` silences, `fail_on` makes errors of them.")
	HoldsCredentials = topic("Credentials in the fleet", "A value looks like a credential, and would be in the repository for good.", "Have templates write a reference to a secret store: [Keep secrets out](secrets.md). What is none is silenced by name.")
	BreaksOut        = topic("Texts of workloads that break out", "A text of a deployment target ends the YAML value that a template writes it into, or may do so, and the workload adds what it likes: [Texts of other teams](templates.md#texts-of-other-teams).", "Have the application team change the text, or the template hold it to the characters that it needs. A text that is right as it is, is silenced by target and key.")
	FailsFindings    = topic("Findings that fail_on does not allow", "A finding is among those of `fail_on`.", "Fix it, or silence that one with `ignore_findings = [\"CODE:subject\"]`.")
)

// Promotions, which kalypso_promotion decides.
var (
	PromotionUndecided = topic("The promotion cannot be decided", "A history or the reports on a commit cannot be read.", "Look at the cause at its end, and at what servers say, [below](#what-servers-say).")
	NoReports          = topic("No forge to ask for checks", "Checks of `kalypso_promotion` are required of a repository without a forge that is known, or there is no token for it.", "Add the forge to `forges` of the provider, with a token. Only where the repository is on no such forge, write `no_checks = true`.")
	SoakByCommitTime   = topic("A soak goes by the times of commits", "`SOAK_BY_COMMIT_TIME`: an environment of `after` has a `soak` and `checks = []`, and a commit of the source has soaked there, or is about to. No forge says since when it was there: the GitOps commit says it, and whoever pushes that can write any time.", "Write `checks`, whose reports have the forge's time. Else let nobody push to that branch whom you do not trust to promote.")
	NothingCarried     = topic("Nothing is known of an environment", "A branch that `kalypso_promotion` names does not exist, or nothing that writes to it is the environment that is meant, or says which commit it is at.", "Nothing, where nothing was written yet. Else correct the branch, `path`, `cluster_types` or the name.")
)

// Deployments, which kalypso_deployments tells.
var (
	DeploymentsUnread  = topic("The deployments cannot be read", "A branch that `kalypso_deployments` names cannot be read, or holds more than is read.", "Look at the cause at its end, and at what servers say, [below](#what-servers-say).")
	IgnoresNothing     = topic("A pattern ignores nothing", "A pattern of `ignore_discrepancies` names no workload or value of the environments that are compared: it is probably misspelled.", "Correct it: `value/*/LOG_LEVEL`, `source/*/branch`.")
	DeploymentsUnknown = topic("Something of an environment is not known", "A branch or folder that `kalypso_deployments` names does not exist, or the forge does not tell what was reported on its commits.", "Nothing, where nothing was written yet. Else correct the branch or the `path`, or give the token of the forge the right that the message names.")
)

// Pull requests, issues and commit statuses.
var (
	NoRequest      = topic("No pull request can be made", "No forge is known for `repo`, or there is no token for it.", "Add the forge to `forges` of the provider, with a token.")
	Unasked        = topic("The forge cannot be asked", "The plan of a new resource has asked the forge, which refuses.", "Look at the cause at its end; the apply needs the forge.")
	NotProposed    = topic("The change was not proposed", "The branch or the request could not be made.", "Do what the message says, and apply again. Nothing is merged.")
	Incomplete     = topic("The pull request is not complete", "The request is open, but the forge refused a label, a reviewer or the automatic merge.", "Do what the message says; the next apply tries again.")
	Unmerged       = topic("The pull request is not merged yet", "`wait_for_merge`, and it was not merged in time.", "Merge it, or see what its rules lack. The next plan tells what became of it.")
	MergedElse     = topic("The merge changed something else", "The request was merged, and the branch holds something else than was proposed.", "Plan again to see what differs.")
	Unfollowed     = topic("The pull request cannot be followed", "The forge does not answer, or refuses.", "Look at the cause at its end.")
	RequestGone    = topic("A pull request is gone", "The forge does not know the request any more, or hides it from the token.", "Nothing, if it was deleted: the next apply proposes again. Else let the token read pull requests.")
	PushedTo       = topic("Somebody has pushed to the branch of a pull request", "The branch of the open request is at a commit that the resource has not pushed. Automatic merging that the resource has asked for is turned off.", "Look at the commit. To keep it, merge the request by hand; else apply: the change is proposed on another branch, and the branch that was pushed to stays.")
	ClosedUnmerged = topic("A pull request was closed", "Somebody has closed the request without a merge, and the fleet still wants what it proposes.", "Change the fleet: the next apply proposes that. To propose the same again, reopen the request.")
	StillMerges    = topic("Automatic merging was not turned off", "Somebody has pushed to the branch of a request that is merged automatically, and the forge refuses to turn that off.", "Turn it off by hand, or let the token write pull requests. The next apply closes the request.")
	NotClosed      = topic("The pull request was not closed", "A request that is not wanted any more could not be closed.", "Close it by hand.")
	BranchStays    = topic("A branch stays", "The branch of a merged request could not be deleted.", "Delete it by hand.")
	RemovalAsked   = topic("The removal is proposed", "With `pull_request`, a destroy and a move propose what they remove.", "Merge the request. Terraform does not follow it any more.")
	Unreported     = topic("The errors were not reported", "`report_issue` is set, and this run does not speak for the environment (`KALYPSO_REPORT_ISSUE=1`), or does not know the repository.", "Set the variable in the pipeline of the main branch alone.")
	NoStatus       = topic("No commit status can be set", "No forge is known for `repo` of `report_status`, or there is no token for it.", "Add the forge to `forges` of the provider, with a token.")
	NoSource       = topic("No commit to report a status on", "`report_status` is set, and the fleet does not say from which commit of the control plane it comes.", "Set `promoted_commit` to the commit's full id, or take `report_status` out.")
	StatusUnset    = topic("The commit status was not set", "The forge refused what `report_status` wants, or does not know the commit.", "The branch is as it is without it. Give the token the right to write commit statuses, or do what the message says.")
	IssueStale     = topic("The issue about errors was not brought up to date", "The forge refused it.", "Give the token the right to write issues, or do what the message says.")
)

// When even less is known.
var (
	uncomputed   = topic("The fleet cannot be computed", "The operation was interrupted, or something else than the fleet failed.", "Look at the cause.")
	moreProblems = topic("More problems", "There are more than a hundred.", "Fix the first ones and try again.")
)

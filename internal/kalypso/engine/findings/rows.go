// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import "slices"

// The severities.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityInfo    = "info"
)

// The codes. They are stable: filters rely on them.
const (
	NotPromoted             = "NOT_PROMOTED"
	EnvironmentEmpty        = "ENVIRONMENT_EMPTY"
	RegistrationNotFollowed = "REGISTRATION_NOT_FOLLOWED"
	BaseRepoNotFollowed     = "BASE_REPO_NOT_FOLLOWED"
	GitOpsRepoUnwritten     = "GITOPS_REPO_UNWRITTEN"
	TargetUnassigned        = "TARGET_UNASSIGNED"
	PolicyIdle              = "POLICY_IDLE"
	PlacementUnsatisfied    = "PLACEMENT_UNSATISFIED"
	PlacementUnused         = "PLACEMENT_UNUSED"
	ScoreMissing            = "SCORE_MISSING"
	DecisionGroupEmpty      = "DECISION_GROUP_EMPTY"
	ClusterUnknown          = "CLUSTER_UNKNOWN"
	ConfigUnused            = "CONFIG_UNUSED"
	ConfigConflict          = "CONFIG_CONFLICT"
	ConfigRewritten         = "CONFIG_REWRITTEN"
	ManifestDoubtful        = "MANIFEST_DOUBTFUL"
	TextBreaksOut           = "TEXT_BREAKS_OUT"
	Credential              = "CREDENTIAL"
	OutputNotYAML           = "OUTPUT_NOT_YAML"
	ObjectIncomplete        = "OBJECT_INCOMPLETE"
	ObjectDuplicate         = "OBJECT_DUPLICATE"
	ObjectInvalid           = "OBJECT_INVALID"
	APIRemoved              = "API_REMOVED"
	NameTooLong             = "NAME_TOO_LONG"
	ChangeDeletes           = "CHANGE_DELETES"
	ChangeRefused           = "CHANGE_REFUSED"
	ChangeStops             = "CHANGE_STOPS"
	ChangeReplaces          = "CHANGE_REPLACES"
	NamespaceOrphaned       = "NAMESPACE_ORPHANED"
	ClusterTypeIdle         = "CLUSTER_TYPE_IDLE"
	TemplateUnused          = "TEMPLATE_UNUSED"
)

// input is what a row looks at.
type input string

const (
	objects input = "objects"
	// assignments are looked at if the environment has deployment targets.
	assignments input = "assignments"
	targetTexts input = "texts of deployment targets"
	output      input = "rendered files"
	// changes are what a plan does to a branch, which publishing looks at.
	changes input = "changes"
)

// row is one thing to look for. A code has a row for each input that shows it.
type row struct {
	code, severity string
	of             input
	find           func(*search)
	// advice ends the first message about a template.
	advice string
}

// rows are all rows, in the order of the findings: a possible cause comes before its effects.
// The rows of one code are together.
var rows = []row{
	{NotPromoted, SeverityWarning, objects, notPromoted, ""},
	{EnvironmentEmpty, SeverityWarning, objects, emptyEnvironment, ""},
	{RegistrationNotFollowed, SeverityWarning, objects, registrationsNotFollowed, ""},
	{BaseRepoNotFollowed, SeverityWarning, objects, baseReposNotFollowed, ""},
	{GitOpsRepoUnwritten, SeverityWarning, objects, otherGitOpsRepos, ""},
	{PolicyIdle, SeverityInfo, assignments, idlePolicies, ""},
	{PlacementUnsatisfied, SeverityWarning, assignments, shortages, ""},
	{PlacementUnused, SeverityWarning, objects, unusedPlacements, ""},
	{ScoreMissing, SeverityWarning, assignments, missingScores, ""},
	{DecisionGroupEmpty, SeverityWarning, assignments, emptyGroups, ""},
	{ClusterUnknown, SeverityWarning, objects, unknownClusters, ""},
	{TargetUnassigned, SeverityWarning, assignments, unassignedTargets, ""},
	{ConfigUnused, SeverityInfo, assignments, unusedConfigMaps, ""},
	{ConfigUnused, SeverityWarning, objects, unmarkedConfigMaps, ""},
	{ConfigConflict, SeverityWarning, assignments, conflicts, ""},
	{ConfigRewritten, SeverityWarning, objects, rewritten, ""},
	{ManifestDoubtful, SeverityWarning, objects, probableMistakes, ""},
	{TextBreaksOut, SeverityError, targetTexts, breakingOut, ""},
	{Credential, SeverityError, targetTexts, credentialsOfTargets, storeAdvice},
	{Credential, SeverityError, objects, credentials, storeAdvice},
	{Credential, SeverityError, output, inFiles, storeAdvice},
	{OutputNotYAML, SeverityWarning, output, inFiles, ""},
	{ObjectIncomplete, SeverityWarning, output, inFiles, ""},
	{ObjectDuplicate, SeverityWarning, output, inFiles, ""},
	{ObjectInvalid, SeverityWarning, output, inFiles, " A cluster refuses such an object, or ignores what it does not know. Correct the " +
		"template, or the value that it writes."},
	{APIRemoved, SeverityWarning, output, inFiles, " A cluster with a newer release refuses such an object."},
	{NameTooLong, SeverityWarning, output, inFiles, " A cluster refuses it, at once or when it runs. Let the template write a shorter one."},
	{ChangeDeletes, SeverityWarning, changes, nil, ""},
	{ChangeRefused, SeverityWarning, changes, nil, ""},
	{ChangeStops, SeverityWarning, changes, nil, ""},
	{ChangeReplaces, SeverityWarning, changes, nil, ""},
	{NamespaceOrphaned, SeverityWarning, changes, nil, ""},
	{ClusterTypeIdle, SeverityInfo, assignments, idleClusterTypes, ""},
	{TemplateUnused, SeverityInfo, objects, unusedTemplates, ""},
}

const storeAdvice = " Everybody who can read the repository can read it. Write a reference to a secret store instead."

// Code is a code with the severity of most of its findings.
type Code struct{ Name, Severity string }

// Codes are all codes, in the order of the findings.
var Codes = codes()

func codes() []Code {
	all := make([]Code, len(rows))
	for i, r := range rows {
		all[i] = Code{r.code, r.severity}
	}
	return slices.CompactFunc(all, func(a, b Code) bool { return a.Name == b.Name })
}

// Titles are the titles of errors about findings that prevent a write, by code.
var Titles = map[string]string{Credential: "Credentials in the fleet", TextBreaksOut: "Texts of workloads that break out"}

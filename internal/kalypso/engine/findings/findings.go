// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package findings reports what the owner of a fleet may want to know: unused objects,
// probable mistakes, and content that does not belong in a repository. Findings stop
// nothing by themselves. The code that writes a fleet refuses findings of SeverityError.
package findings

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Finding is one thing that was noticed.
type Finding struct {
	// Severity is SeverityError if the finding stops the writing unless it is silenced. It
	// is SeverityWarning if something is probably wrong, and SeverityInfo otherwise.
	Severity string
	// Code is one of Codes.
	Code string
	// Subject is the object it is about, as kind/name.
	Subject string
	// Message says what was found, in sentences, and never holds a value of the configuration.
	Message string
	// Always is set if no rule lets a package have this text, because the text would become part
	// of a template.
	Always bool
}

// The severities.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityInfo    = "info"
)

// The codes. They are stable: filters rely on them.
const (
	RuleUnmatched           = "RULE_UNMATCHED"
	NotPromoted             = "NOT_PROMOTED"
	EnvironmentEmpty        = "ENVIRONMENT_EMPTY"
	RegistrationNotFollowed = "REGISTRATION_NOT_FOLLOWED"
	BaseRepoNotFollowed     = "BASE_REPO_NOT_FOLLOWED"
	GitOpsRepoUnwritten     = "GITOPS_REPO_UNWRITTEN"
	TargetDiffers           = "TARGET_DIFFERS"
	TargetUnassigned        = "TARGET_UNASSIGNED"
	PolicyIdle              = "POLICY_IDLE"
	PlacementUnsatisfied    = "PLACEMENT_UNSATISFIED"
	PlacementUnused         = "PLACEMENT_UNUSED"
	ScoreMissing            = "SCORE_MISSING"
	DecisionGroupEmpty      = "DECISION_GROUP_EMPTY"
	DecisionsUnused         = "DECISIONS_UNUSED"
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
	ClusterTypeIdle         = "CLUSTER_TYPE_IDLE"
	TemplateUnused          = "TEMPLATE_UNUSED"
	TaintUntolerated        = "TAINT_UNTOLERATED_ANYWHERE"
)

// Code is a code with the severity of its findings.
type Code struct {
	Name, Severity string
	// Rendered reports whether only rendered output shows it.
	Rendered bool
}

// Codes are all codes, in the order of the findings: a possible cause comes before its
// effects.
var Codes = []Code{
	{RuleUnmatched, SeverityInfo, false},
	{NotPromoted, SeverityWarning, false},
	{EnvironmentEmpty, SeverityWarning, false},
	{RegistrationNotFollowed, SeverityWarning, false},
	{BaseRepoNotFollowed, SeverityWarning, false},
	{GitOpsRepoUnwritten, SeverityWarning, false},
	{TargetDiffers, SeverityWarning, false},
	{PolicyIdle, SeverityWarning, false},
	{PlacementUnsatisfied, SeverityWarning, false},
	{PlacementUnused, SeverityWarning, false},
	{ScoreMissing, SeverityWarning, false},
	{DecisionGroupEmpty, SeverityWarning, false},
	{DecisionsUnused, SeverityWarning, false},
	{ClusterUnknown, SeverityWarning, false},
	{TargetUnassigned, SeverityWarning, false},
	{ConfigUnused, SeverityWarning, false},
	{ConfigConflict, SeverityWarning, false},
	{ConfigRewritten, SeverityWarning, false},
	{ManifestDoubtful, SeverityWarning, false},
	{TextBreaksOut, SeverityError, false},
	{Credential, SeverityError, false},
	{OutputNotYAML, SeverityWarning, true},
	{ObjectIncomplete, SeverityWarning, true},
	{ObjectDuplicate, SeverityWarning, true},
	{ObjectInvalid, SeverityWarning, true},
	{APIRemoved, SeverityWarning, true},
	{NameTooLong, SeverityWarning, true},
	{ClusterTypeIdle, SeverityInfo, false},
	{TemplateUnused, SeverityInfo, false},
	{TaintUntolerated, SeverityInfo, false},
}

// Facts are the input of Find.
type Facts struct {
	Fleet     *fleet.Fleet
	Placement *placement.Placement
	Composer  *composition.Composer
	// Folders are the rendered folders by cluster type. They are nil if nothing was
	// rendered. Then Find leaves out the findings that need the output.
	Folders map[string]*tree.Dir
	// EveryFile has all rendered files read, also those of a large fleet.
	EveryFile bool
}

// Titles are the titles of errors about findings that prevent a write, by code.
var Titles = map[string]string{Credential: "Credentials in the fleet", TextBreaksOut: "Texts of workloads that break out"}

// Find returns all findings in the order of Codes, and those of each code by subject.
// Cost: linear in the fleet and the rendered output. If something is left over here, it is
// also linear in the placements of the fleet's other environments. When the context ends,
// it stops to read rendered files.
func Find(ctx context.Context, in Facts) []Finding {
	usage := in.Composer.Usage(in.Placement.Assignments)
	contradicting := usage.Conflicts()
	replacing := usage.Overridden()
	for _, c := range contradicting {
		delete(replacing, c.Loser)
	}
	all := slices.Concat(
		notPromoted(in.Fleet),
		leftOver(in, usage, replacing),
		unmarkedConfigMaps(in.Fleet),
		otherGitOpsRepos(in.Fleet),
		differingTargets(in.Fleet),
		unusedTemplates(in.Fleet),
		decisions(in.Fleet, in.Placement),
		unusedPlacements(in.Fleet),
		unusedDecisions(in.Fleet),
		unknownClusters(in.Fleet),
		untolerated(in.Fleet),
		conflicts(contradicting),
		rewritten(in.Fleet),
		probableMistakes(in.Fleet),
		OfTargets(in.Fleet.Targets),
		credentials(in.Fleet),
		rendered(ctx, in),
	)
	slices.SortFunc(all, inOrder)
	return all
}

// inOrder compares findings: by the order of Codes, then by subject and message.
func inOrder(a, b Finding) int {
	return cmp.Or(cmp.Compare(rank(a.Code), rank(b.Code)), strings.Compare(a.Subject, b.Subject), strings.Compare(a.Message, b.Message))
}

func rank(code string) int {
	return slices.IndexFunc(Codes, func(c Code) bool { return c.Name == code })
}

// newFinding makes a finding of the severity of its code, which is one of Codes.
func newFinding(code, subject, message string) Finding {
	return Finding{Severity: Codes[rank(code)].Severity, Code: code, Subject: subject, Message: message}
}

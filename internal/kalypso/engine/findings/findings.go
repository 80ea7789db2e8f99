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
	FileBroken              = "FILE_BROKEN"
	SourceUnfenced          = "SOURCE_UNFENCED"
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
	ExpressionUnanswered    = "EXPRESSION_UNANSWERED"
	TopologyMissing         = "TOPOLOGY_MISSING"
	DecisionGroupEmpty      = "DECISION_GROUP_EMPTY"
	DecisionsUnused         = "DECISIONS_UNUSED"
	ClusterUnknown          = "CLUSTER_UNKNOWN"
	ConfigUnused            = "CONFIG_UNUSED"
	ConfigConflict          = "CONFIG_CONFLICT"
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

// Meaning says why a code is reported, and what to do about it.
type Meaning struct {
	Name, Severity, Cause, Cure string
	// Rendered reports whether only rendered output shows it.
	Rendered bool
}

// Codes are all codes, in the order of the findings: a possible cause comes before its
// effects.
var Codes = []Meaning{
	{RuleUnmatched, SeverityInfo, "A rule of `ignore_findings` or `fail_on` names a subject that is not in the manifests.",
		"Correct or remove it, unless it is for another environment.", false},
	{FileBroken, SeverityWarning, "A file of a registration or of a fenced source is broken, so `kalypso_control_plane` leaves it out.",
		"Fix the named line in the file's repository.", false},
	{SourceUnfenced, SeverityInfo, "A base repository or registration in another repository than the control plane has no fence.",
		"Add an `allow` block to `kalypso_control_plane`.", false},
	{NotPromoted, SeverityWarning, "The environment is promoted, and some of its objects are not in the promoted source.",
		"See [Objects beside the promoted source](environments-and-promotion.md#objects-beside-the-promoted-source).", false},
	{EnvironmentEmpty, SeverityWarning, "No deployment target names the environment.",
		"Correct the name, or add the missing files.", false},
	{RegistrationNotFollowed, SeverityWarning,
		"The manifests do not have the workloads of a registration, or do not say that they come from it.",
		"Pass `fleet_manifests` of `kalypso_control_plane`.", false},
	{BaseRepoNotFollowed, SeverityWarning, "The manifests do not have the objects of a base repository.",
		"Pass `fleet_manifests` of `kalypso_control_plane`.", false},
	{GitOpsRepoUnwritten, SeverityWarning, "The environment has several `GitOpsRepo`s, and a resource without `repo` writes only one.",
		"Write a `kalypso_gitops_commit` with `repo` and `branch` for each. If one is for another environment, " +
			"add its `Environment` object.", false},
	{TargetDiffers, SeverityWarning, "A `DeploymentTarget` differs from its workload, which wins.",
		"Remove the `DeploymentTarget`, or change the workload.", false},
	{PolicyIdle, SeverityWarning, "A scheduling policy selects no deployment target or no cluster type.",
		"Correct or remove it. If it is for another environment, add that `Environment` object.", false},
	{PlacementUnsatisfied, SeverityWarning, "A placement finds no cluster types, or fewer than it asks for.",
		"Ask `explain` why, and change that step or `numberOfClusters`.", false},
	{PlacementUnused, SeverityWarning, "No scheduling policy names a placement.",
		"Name it in a policy, or remove it.", false},
	{ScoreMissing, SeverityWarning, "Some cluster types lack a value that a placement scores. It counts as 0.",
		"Pass the `AddOnPlacementScore`s, or `allocatable` and `capacity` of the `ManagedCluster`s.", false},
	{ExpressionUnanswered, SeverityWarning, "An expression of a placement is not true or false for any cluster type.",
		"Correct the field or the comparison. Use `has(…)` for an optional field.", false},
	{TopologyMissing, SeverityWarning, "A placement spreads over a label or claim that none of its cluster types has.",
		"Correct `topologyKey` or `topologyKeyType`.", false},
	{DecisionGroupEmpty, SeverityWarning, "A decision group is empty. The groups after it have lower indexes.",
		"Correct its selector, or use names of groups instead of indexes.", false},
	{DecisionsUnused, SeverityWarning, "No placement and no policy uses a `PlacementDecision`.",
		"Correct its label `cluster.open-cluster-management.io/placement` or its namespace, or remove it.", false},
	{ClusterUnknown, SeverityWarning, "An object of Open Cluster Management names a cluster that is not a cluster type.",
		"Correct the name, or remove the object.", false},
	{TargetUnassigned, SeverityWarning, "No cluster type has the deployment target.",
		"Ask `explain` about the pair that you expect.", false},
	{ConfigUnused, SeverityWarning, "A ConfigMap applies to no assignment, in any environment.",
		"Correct its labels: it needs `platform-config: \"true\"`, and an assignment has to match all others.", false},
	{ConfigConflict, SeverityWarning, "Two ConfigMaps set different values, and only their names decide.",
		"The last name in alphabetical order wins. Rename a ConfigMap, or remove the value from one.", false},
	{ManifestDoubtful, SeverityWarning, "A value is valid, but probably a mistake: an invalid commit, an unknown content type, yes as a key.",
		"Write it as the message says, or silence it.", false},
	{TextBreaksOut, SeverityError,
		"A text of a deployment target has [characters](semantics.md#texts-of-a-deployment-target) that end or begin something in YAML or in a " +
			"template.",
		"Change the text.", false},
	{Credential, SeverityError, "A value looks like a credential. Git would keep it forever.",
		"Write [a reference to a secret store](secrets.md), and replace a credential that was committed.", false},
	{OutputNotYAML, SeverityWarning, "Rendered output is not valid YAML, or too large to check.",
		"Correct the template. Usually a value lacks quotes.", true},
	{ObjectIncomplete, SeverityWarning, "A rendered Kubernetes object has no apiVersion, kind or name. Clusters refuse it.",
		"Correct the template, or add the value.", true},
	{ObjectDuplicate, SeverityWarning, "A cluster type gets the same object twice.",
		"Use another name or namespace in the template.", true},
	{ObjectInvalid, SeverityWarning, "A rendered object breaks its schema: its kind, version, a field or a value is wrong.",
		"Correct the template or its value. For other vendors' kinds, add the CustomResourceDefinition.", true},
	{APIRemoved, SeverityWarning, "New releases of Flux or Argo CD do not serve the version of a rendered object.",
		"Write the named version when your clusters serve it.", true},
	{NameTooLong, SeverityWarning, "The name of a rendered object or a label's value is too long for Kubernetes or Flux.",
		"Shorten it, or names of the fleet's objects.", true},
	{ClusterTypeIdle, SeverityInfo, "A cluster type has no assignments in any environment.",
		"Nothing, if it is a spare one. Otherwise ask `explain`.", false},
	{TemplateUnused, SeverityInfo, "No cluster type uses a template.",
		"Remove it, or correct the name in a cluster type.", false},
	{TaintUntolerated, SeverityInfo, "No placement tolerates a taint.",
		"Correct the key, or add a toleration, unless you drain the cluster type.", false},
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

// Find returns all findings in the order of Codes, and those of each code by subject.
// Cost: linear in the fleet and the rendered output. If something is left over here, it is
// also linear in the placements of the fleet's other environments. When the context ends,
// it stops to read rendered files.
func Find(ctx context.Context, in Facts) []Finding {
	usage := in.Composer.Usage(in.Placement.Assignments)
	all := slices.Concat(
		sources(in.Fleet),
		notPromoted(in.Fleet),
		leftOver(ctx, in, usage),
		unmarkedConfigMaps(in.Fleet),
		otherGitOpsRepos(in.Fleet),
		differingTargets(in.Fleet),
		unusedTemplates(in.Fleet),
		decisions(in.Fleet, in.Placement),
		unusedPlacements(in.Fleet),
		unusedDecisions(in.Fleet),
		unknownClusters(in.Fleet),
		untolerated(in.Fleet),
		conflicts(usage),
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
	return slices.IndexFunc(Codes, func(c Meaning) bool { return c.Name == code })
}

// newFinding makes a finding of the severity of its code, which is one of Codes.
func newFinding(code, subject, message string) Finding {
	return Finding{Severity: Codes[rank(code)].Severity, Code: code, Subject: subject, Message: message}
}

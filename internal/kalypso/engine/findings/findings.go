// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package findings tells what the owner of a fleet may want to know: what was
// left over, what is probably a mistake, what does not belong into a repository.
// Findings stop nothing by themselves: who writes a fleet refuses those of SeverityError.
package findings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Finding is one thing that was noticed.
type Finding struct {
	// Severity is SeverityError where nothing may be written unless it is silenced,
	// SeverityWarning where something is probably wrong, SeverityInfo otherwise.
	Severity string
	// Code is one of Codes.
	Code string
	// Subject is the object it is about, as kind/name.
	Subject string
	// Message says what was found, in sentences, and never holds a value of the configuration.
	Message string
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
	SchemaIgnored           = "SCHEMA_KEYWORD_IGNORED"
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

// Meaning says what a code stands for, and what to do about it.
type Meaning struct {
	Name, Severity, Meaning, Cure string
	// Rendered reports whether only rendered output shows it.
	Rendered bool
}

// Codes are all codes, in the order in which findings are given: what may be the cause of
// another one comes before it.
var Codes = []Meaning{
	{
		RuleUnmatched, SeverityInfo, "a rule of `ignore_findings` or `fail_on` names a subject that is not among the manifests",
		"Nothing, if the rule is meant for another environment. Else correct it; the message has the nearest subject of its kind. Remove it if the object is gone.", false,
	},
	{
		EnvironmentEmpty, SeverityWarning, "no deployment target names the environment",
		"Correct the environment's name, or that in the deployment targets; the message has the nearest. The list of manifests may also lack files.", false,
	},
	{
		RegistrationNotFollowed, SeverityWarning, "the workloads of a registration are missing, or nothing says that the workload of its name comes from it",
		"Pass the fleet through `kalypso_control_plane` (`fleet_manifests`), which reads what registrations name.", false,
	},
	{
		BaseRepoNotFollowed, SeverityWarning, "the objects of a base repository are missing",
		"Pass the fleet through `kalypso_control_plane` (`fleet_manifests`), which reads what base repositories hold.", false,
	},
	{
		GitOpsRepoUnwritten, SeverityWarning, "the environment has several `GitOpsRepo`s, and a resource that takes its place from them writes to one",
		"Write a `kalypso_gitops_commit` for each of them, with `repo` and `branch`. One of another environment needs an `Environment` of its name among the manifests.", false,
	},
	{
		TargetDiffers, SeverityWarning, "a `DeploymentTarget` is not what the workload of its label `workload` makes: the workload counts. One that the workload does not make at all is scheduled",
		"Remove the `DeploymentTarget`, or change the workload. What Kalypso's operator has made goes out of date when the workload changes.", false,
	},
	{
		PolicyIdle, SeverityWarning, "a scheduling policy selects no deployment target or no cluster type; an `info` if it may be meant for another environment, since the manifests hold the `Environment` object of another one and no deployment target of it",
		"Look at the labels that its selectors name; the message has the nearest. Remove it if it is not needed any more. If it is meant for another environment whose objects are not among the manifests, add the `Environment` object of that one: the finding is an `info` then. `fail_on` makes errors of both severities: silence by name what is meant for others.", false,
	},
	{
		PlacementUnsatisfied, SeverityWarning, "a placement finds fewer cluster types than it asks for, or none",
		"The message counts what each step dropped, with one of them; ask `explain` about any other. Change what the step asks for, or lower `numberOfClusters`.", false,
	},
	{
		PlacementUnused, SeverityWarning, "no scheduling policy names a placement",
		"Name it in a policy, by the annotation `kalypso-gitops.io/placement`, or remove it.", false,
	},
	{
		ScoreMissing, SeverityWarning, "a placement scores by something that some cluster types do not have, which counts 0 for them",
		"Pass the `AddOnPlacementScore`s, or `allocatable` and `capacity` of the `ManagedCluster`s, for all of them.", false,
	},
	{
		ExpressionUnanswered, SeverityWarning, "an expression of a placement was neither true nor false for any cluster type, so it holds for none",
		"Look for a misspelled field, or a comparison that is missing; `has(…)` asks for what not every cluster type has. The message has what came of it.", false,
	},
	{
		TopologyMissing, SeverityWarning, "a placement spreads over a label or claim that none of its cluster types has",
		"Correct `topologyKey`, or `topologyKeyType`; the message has the nearest.", false,
	},
	{
		DecisionGroupEmpty, SeverityWarning, "a decision group gets none of the cluster types that are chosen, so the groups after it have lower indexes",
		"Correct its selector; the message has the nearest label. Where a group may be empty, go by the names of groups and not by their indexes.", false,
	},
	{
		DecisionsUnused, SeverityWarning, "no placement and no policy reads a `PlacementDecision`, so it keeps nothing where it is",
		"Correct its label `cluster.open-cluster-management.io/placement`, or its namespace, which has to be that of the placement. Of a hub with other placements, pass what is about the fleet, or silence it.", false,
	},
	{
		ClusterUnknown, SeverityWarning, "an object of Open Cluster Management is about a cluster that is no cluster type",
		"Correct the name; the message has the nearest. Of a hub with other clusters, pass what is about the fleet, or silence it.", false,
	},
	{
		TargetUnassigned, SeverityWarning, "a deployment target is placed nowhere",
		"Ask `explain` about the pair that was meant: it names the label that keeps them apart.", false,
	},
	{
		ConfigUnused, SeverityWarning, "a ConfigMap applies to no assignment, nor to one of another environment",
		"Look at the ConfigMap's labels: every one has to hold for an assignment. The message has the nearest.", false,
	},
	{
		ConfigConflict, SeverityWarning, "two ConfigMaps set the same value differently, with nothing but their names to decide",
		"Give one of them a further label, so that it is the more specific one, or take the value out of one.", false,
	},
	{
		SchemaIgnored, SeverityWarning, "a schema has a keyword that is misspelled or that Kalypso's validator does not know, or text behind the end of its JSON object, so that is not enforced",
		"Correct a misspelled one; the message has the nearest. Else say it by a keyword of draft 7, or remove it: `dependencies` for `dependentRequired`, a list under `items` for `prefixItems`, `allOf` around a `$ref` and what stands beside it.", false,
	},
	{
		ManifestDoubtful, SeverityWarning, "a manifest says something that Kalypso takes, and hardly means it: a commit that is none, a content type that is none (`shell` for `sh`), a key that was the word yes or no, a CustomResourceDefinition that checks nothing or is there twice",
		"Write what is meant, as the message says. What is meant so can stay, and be silenced.", false,
	},
	{
		TextBreaksOut, SeverityError, "a text of a deployment target holds a line break, a control character, `{{` or a brace `{` at its end, or ends the YAML value that a template writes it into, so that the workload can add lines and objects of its own",
		"Have the application team change the text. Have templates hold such texts to the characters that they need, or write them by `quote`. A text that is right as it is, is silenced by target and key.", false,
	},
	{
		Credential, SeverityError, "a value looks like a credential",
		"Take it out, and have templates write a reference to a secret store. Change the credential if it was ever committed. What is none is silenced by name.", false,
	},
	{
		OutputNotYAML, SeverityWarning, "rendered output is not valid YAML, or too large to be checked",
		"Correct the template. A value without quotes is the usual cause.", true,
	},
	{
		ObjectIncomplete, SeverityWarning, "a rendered Kubernetes object has no apiVersion, kind or name",
		"Correct the template, or the value that is missing: clusters refuse such an object.", true,
	},
	{
		ObjectDuplicate, SeverityWarning, "the same object is rendered twice into one cluster type",
		"Give the objects other names or namespaces in the template: clusters get one of the two.", true,
	},
	{
		ObjectInvalid, SeverityWarning, "a rendered Kubernetes object is not what its schema says: a kind or version that there is not, an unknown field, a wrong type or value, something that is missing",
		"Correct the template, or the value that it writes. Kinds of Flux and Argo CD are known; those of other vendors are checked where their CustomResourceDefinition is among the manifests, which also counts before what is known.", true,
	},
	{
		APIRemoved, SeverityWarning, "a rendered object of Flux or Argo CD has a version that newer releases do not serve any more",
		"Write the version that the message names in the template, once the clusters' releases serve it. For older releases, silence it.", true,
	},
	{
		NameTooLong, SeverityWarning, "the name of a rendered object, or a label's value, is longer than Kubernetes or Flux has room for",
		"Have the template write a shorter one, or give workloads, deployment targets and cluster types shorter names.", true,
	},
	{
		ClusterTypeIdle, SeverityInfo, "a cluster type has no assignments, in no other environment either",
		"Nothing, if it is a spare one. Else ask `explain` what keeps a target away.", false,
	},
	{
		TemplateUnused, SeverityInfo, "no cluster type uses a template",
		"Remove it, or look for a misspelled name in a cluster type.", false,
	},
	{
		TaintUntolerated, SeverityInfo, "no placement tolerates a taint, so nothing that a placement decides goes there",
		"Nothing while the cluster type is being drained. Else look for a misspelled key, or add a toleration.", false,
	},
}

// Facts is what findings are made of.
type Facts struct {
	Fleet     *fleet.Fleet
	Placement *placement.Placement
	Composer  *composition.Composer
	// Folders are the rendered folders by cluster type; nil where nothing was
	// rendered, which leaves out what output alone can show.
	Folders map[string]*tree.Dir
	// EveryFile has all rendered files read, also those of a large fleet.
	EveryFile bool
	// BreakingOut are the texts that break out in the rendered folders.
	BreakingOut []BreakingOut
}

// Find returns all findings in the order of Codes, each code's by subject. Cost:
// linear in the fleet and the rendered output; where something is left over here,
// also in what the other environments of the fleet place.
func Find(in Facts) []Finding {
	usage := in.Composer.Usage(in.Placement.Assignments)
	all := slices.Concat(
		leftOver(in, usage),
		otherGitOpsRepos(in.Fleet),
		differingTargets(in.Fleet),
		unusedTemplates(in.Fleet),
		decisions(in.Fleet, in.Placement),
		unusedPlacements(in.Fleet),
		unusedDecisions(in.Fleet),
		unknownClusters(in.Fleet),
		untolerated(in.Fleet),
		conflicts(usage),
		ignoredKeywords(in.Composer),
		doubtful(in.Fleet),
		breakingOut(in),
		credentials(in.Fleet),
		rendered(in),
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
	for _, c := range Codes {
		if c.Name == code {
			return Finding{Severity: c.Severity, Code: code, Subject: subject, Message: message}
		}
	}
	panic("findings.Codes lacks " + code)
}

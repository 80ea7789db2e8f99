// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Explanation says why a deployment target is placed on a cluster type, or why not.
type Explanation struct {
	Placed bool
	// Policies are the names of the scheduling policies that select the pair, sorted.
	Policies []string
	// Steps are the verdict on every policy, each followed by its requirements.
	// Policies that miss fewer requirements come first, equal ones by name.
	Steps []Step
}

// Step is one thing that was looked at.
type Step struct {
	// Policy is the name of the scheduling policy; empty if the step is not about one.
	Policy string
	Stage  Stage
	Holds  bool
	// Requirement is the requirement of the step: "label edge = true".
	Requirement string
	// Found is the actual value: "false".
	Found string
	// Code is stable, for filters.
	Code ocm.Code
}

// Stage is the part of the decision that a step belongs to.
type Stage string

// The stages. StagePolicy is the verdict on a policy as a whole.
const (
	StagePolicy           Stage = "policy"
	StageWorkspace        Stage = "workspace"
	StageDeploymentTarget Stage = "deployment_target"
	StageClusterType      Stage = "cluster_type"
	StagePlacement        Stage = "placement"
)

// The codes of verdicts, of requirements, and of pairs that no policy can select. A step of a
// placement has a code of ocm.
const (
	CodeSelected       ocm.Code = "SELECTED"
	CodeNearlySelected ocm.Code = "NEARLY_SELECTED"
	CodeNotSelected    ocm.Code = "NOT_SELECTED"

	CodeHolds                       = ocm.CodeHolds
	CodeWorkspaceMismatch  ocm.Code = "WORKSPACE_MISMATCH"
	CodeLabelMissing       ocm.Code = "LABEL_MISSING"
	CodeLabelValueMismatch ocm.Code = "LABEL_VALUE_MISMATCH"
	CodeExpressionNotMet   ocm.Code = "EXPRESSION_NOT_MET"

	CodeScore ocm.Code = "SCORE"

	CodeNoPolicy         ocm.Code = "NO_POLICY"
	CodeOtherEnvironment ocm.Code = "OTHER_ENVIRONMENT"
)

// Explain prints the evaluation of Place for one pair. A deployment target of another
// environment is not placed. Errors (a problem.List): those of UnknownPair and Place.
// Cost: the requirements of all policies.
func Explain(f *fleet.Fleet, targetName, clusterTypeName string) (*Explanation, error) {
	target, haveTarget := f.Target(targetName)
	clusterType, haveClusterType := f.ClusterType(clusterTypeName)
	elsewhere := f.Elsewhere[targetName]
	if !haveClusterType || !haveTarget && len(elsewhere) == 0 {
		return nil, UnknownPair(f, targetName, clusterTypeName)
	}
	e := &Explanation{Policies: []string{}}
	if !haveTarget {
		e.Steps = append(e.Steps, Step{
			Stage: StageDeploymentTarget, Requirement: fmt.Sprintf("deployment target %s in environment %s", targetName, f.Environment),
			Found: "it belongs to environment " + wording.First(elsewhere, wording.MaxOffered), Code: CodeOtherEnvironment,
		})
	}
	if len(f.Policies) == 0 {
		e.Steps = append(e.Steps, Step{Stage: StagePolicy, Requirement: "a scheduling policy that selects the pair",
			Found: "no scheduling policy at all", Code: CodeNoPolicy})
	}
	if len(e.Steps) > 0 {
		return e, nil
	}

	all := selections(f)
	decisions, err := decide(f, all)
	verdicts := make([]verdict, len(all))
	for i, s := range all {
		decided, scores := decided(f, decisions[s.Policy.Name], target, clusterType)
		verdicts[i] = newVerdict(s.Policy.Name, slices.Concat(steps(s.ofTarget, target), steps(s.ofClusterType, clusterType), decided), scores)
	}
	slices.SortStableFunc(verdicts, func(a, b verdict) int { return cmp.Compare(a.missed, b.missed) })
	for _, v := range verdicts {
		e.Steps = append(e.Steps, v.steps...)
		if v.missed == 0 {
			e.Policies = append(e.Policies, v.policy)
		}
	}
	e.Placed = len(e.Policies) > 0
	return e, err
}

// verdict is the result of a policy for the pair.
type verdict struct {
	policy string
	missed int
	// steps are the verdict itself, then what it depends on.
	steps []Step
}

// newVerdict judges by requirements. Scores are steps that ask for nothing.
func newVerdict(policy string, requirements, scores []Step) verdict {
	whole := Step{Stage: StagePolicy, Requirement: "every requirement of the policy holds"}
	missed := slices.DeleteFunc(slices.Clone(requirements), func(r Step) bool { return r.Holds })
	switch len(missed) {
	case 0:
		whole.Holds, whole.Found, whole.Code = true, "selects the pair", CodeSelected
	case 1:
		whole.Found, whole.Code = fmt.Sprintf("misses only %s, found %s", missed[0].Requirement, missed[0].Found), CodeNearlySelected
	default:
		whole.Found, whole.Code = fmt.Sprintf("misses %d of %d requirements", len(missed), len(requirements)), CodeNotSelected
	}
	v := verdict{policy, len(missed), slices.Concat([]Step{whole}, requirements, scores)}
	for i := range v.steps {
		v.steps[i].Policy = policy
	}
	return v
}

// decided returns the decision of a placement about a pair, as a requirement, with the
// scores behind it. It returns nothing if the placement was not asked about the cluster
// type.
func decided(f *fleet.Fleet, d *ocm.Decision, target *fleet.Target, ct *manifest.ClusterType) (requirements, scores []Step) {
	if d == nil {
		return nil, nil
	}
	v, candidate := d.Verdict(slices.Index(f.Targets, target), slices.Index(f.ClusterTypes, ct))
	if !candidate {
		return nil, nil
	}
	requirements = []Step{{
		Stage: StagePlacement, Holds: v.Code == CodeHolds, Code: v.Code,
		Requirement: "placement " + d.Name + ": " + v.Asked, Found: v.Found,
	}}
	for _, s := range v.Scores {
		scores = append(scores, Step{
			Stage: StagePlacement, Holds: true, Code: CodeScore,
			Requirement: fmt.Sprintf("placement %s: score of %s, times %d", d.Name, s.Name, s.Weight), Found: fmt.Sprint(s.Score),
		})
	}
	return requirements, scores
}

// Text returns the explanation of a pair as lines for a person: the answer, then each
// policy with its requirements.
func (e *Explanation) Text(target, clusterType string) string {
	var b strings.Builder
	answer := "is not placed on cluster type " + clusterType
	if e.Placed {
		answer = fmt.Sprintf("is placed on cluster type %s by %s", clusterType, strings.Join(e.Policies, ", "))
	}
	fmt.Fprintf(&b, "Deployment target %s %s.\n", target, answer)
	for _, s := range e.Steps {
		switch {
		case s.Policy == "":
			fmt.Fprintf(&b, "- wanted: %s; found: %s\n", s.Requirement, s.Found)
		case s.Stage == StagePolicy:
			fmt.Fprintf(&b, "- policy %s %s\n", s.Policy, s.Found)
		default:
			fmt.Fprintf(&b, "    %s\n", s.text())
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sides name the half of a pair that a requirement is about.
var sides = map[Stage]string{StageDeploymentTarget: "deployment target: ", StageClusterType: "cluster type: "}

// text returns a requirement as a line for a person. It leaves out the actual value if the
// requirement already says it.
func (s Step) text() string {
	text := "no  "
	if s.Holds {
		text = "yes "
	}
	text += sides[s.Stage] + s.Requirement
	if s.Found == "" || s.Holds && strings.HasSuffix(s.Requirement, " = "+s.Found) {
		return text
	}
	return text + ", found " + s.Found
}

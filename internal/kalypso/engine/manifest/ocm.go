// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// The prioritizers that Open Cluster Management has built in.
const (
	PrioritizerSteady  = "Steady"
	PrioritizerBalance = "Balance"
	PrioritizerCPU     = "ResourceAllocatableCPU"
	PrioritizerMemory  = "ResourceAllocatableMemory"
)

// Prioritizers are all of them.
var Prioritizers = []string{PrioritizerBalance, PrioritizerCPU, PrioritizerMemory, PrioritizerSteady}

// TaintEffects are those that Open Cluster Management has.
var TaintEffects = []string{
	string(clusterv1.TaintEffectNoSelect), string(clusterv1.TaintEffectNoSelectIfNew), string(clusterv1.TaintEffectPreferNoSelect),
}

// maxWeight is the largest weight of a prioritizer. The smallest weight is its negative.
const maxWeight = 10

// IsOCM reports whether the kind is one of Open Cluster Management.
func (k Kind) IsOCM() bool {
	known, exists := lookup(k)
	return exists && known.isOCM()
}

// setDefaults sets the defaults of Open Cluster Management's schemas for missing fields.
func setDefaults(of any) {
	switch v := of.(type) {
	case *clusterv1beta1.PrioritizerPolicy:
		v.Mode = clusterv1beta1.PrioritizerPolicyModeAdditive
	case *clusterv1beta1.PrioritizerConfig:
		v.Weight = 1
	case *clusterv1beta1.ScoreCoordinate:
		v.Type = clusterv1beta1.ScoreCoordinateTypeBuiltIn
	case *clusterv1beta1.Toleration:
		v.Operator = clusterv1beta1.TolerationOpEqual
	case *clusterv1beta1.GroupStrategy:
		v.ClustersPerDecisionGroup = intstr.FromString("100%")
	}
}

// refuse reports a part of a Placement that decisions do not follow. The empty mapping asks
// for nothing, and hubs print it.
func (d *document) refuse(n *yaml.Node, path, reason string) {
	if n.Kind != yaml.MappingNode || len(n.Content) > 0 {
		d.report(n, "Not supported", "%s is not supported, because %s.", path, reason)
	}
}

// check reports what Open Cluster Management, its schemas or we refuse in a struct that
// was read.
func (f *fields) check(read any) {
	switch v := read.(type) {
	case *clusterv1beta1.PlacementSpec:
		if v.NumberOfClusters != nil {
			f.inRange("numberOfClusters", *v.NumberOfClusters, 0, 1<<31-1)
		}
	case *clusterv1beta1.PrioritizerPolicy:
		f.oneOf("mode", string(v.Mode), "Additive", "Exact")
	case *clusterv1beta1.PrioritizerConfig:
		f.inRange("weight", v.Weight, -maxWeight, maxWeight)
		if v.ScoreCoordinate == nil {
			f.missing("scoreCoordinate", "a mapping with the prioritizer: builtIn, or type AddOn and addOn")
		}
	case *clusterv1beta1.ScoreCoordinate:
		f.checkScoreCoordinate(v)
	case *clusterv1beta1.AddOnScore:
		f.needs("resourceName", v.ResourceName, "the name of an AddOnPlacementScore")
		f.needs("scoreName", v.ScoreName, "the name of a score in it")
	case *clusterv1beta1.Toleration:
		f.checkToleration(v)
	case *clusterv1beta1.GroupStrategy:
		f.checkGroupSize(v.ClustersPerDecisionGroup)
	case *clusterv1beta1.DecisionGroup:
		f.needs("groupName", v.GroupName, "the name of the group")
		if faults := validation.IsValidLabelValue(v.GroupName); len(faults) > 0 {
			f.doc.report(f.at("groupName"), "Invalid name", "%s is %s, but the name becomes a label's value: %s. Change the name.",
				field(f.path, "groupName"), quote(v.GroupName), strings.Join(faults, "; "))
		}
	case *clusterv1.Taint:
		f.needs("key", v.Key, "the key of the taint")
		f.oneOf("effect", string(v.Effect), TaintEffects...)
	case *clusterv1alpha1.AddOnPlacementScoreStatus:
		f.checkScores(v)
	case *ConfigSchema:
		if v.Schema != "" {
			f.doc.checkSchema(f.at("schema"), field(f.path, "schema"), v.Schema)
		}
	}
}

// needs reports a text that must not be empty.
func (f *fields) needs(name, value, meaning string) {
	if value == "" {
		f.missing(name, meaning)
	}
}

// oneOf reports a text that is not one of the known ones.
func (f *fields) oneOf(name, value string, known ...string) {
	switch {
	case value == "":
		f.missing(name, "one of "+strings.Join(known, ", "))
		return
	case slices.Contains(known, value), f.has(name) && !isText(f.at(name)): // another type is reported already
		return
	}
	f.doc.report(f.at(name), "Unknown value", "%s is %s. %sKnown values: %s.",
		field(f.path, name), quote(value), wording.DidYouMean(value, known), strings.Join(known, ", "))
}

// inRange reports a number that is too small or too large.
func (f *fields) inRange(name string, value, least, most int32) {
	switch {
	case value < least:
		f.doc.report(f.at(name), "Invalid value", "%s is %d, but %d is the least.", field(f.path, name), value, least)
	case value > most:
		f.doc.report(f.at(name), "Invalid value", "%s is %d, but %d is the most.", field(f.path, name), value, most)
	}
}

func (f *fields) checkScoreCoordinate(s *clusterv1beta1.ScoreCoordinate) {
	f.oneOf("type", s.Type, clusterv1beta1.ScoreCoordinateTypeBuiltIn, clusterv1beta1.ScoreCoordinateTypeAddOn)
	switch {
	case s.Type == clusterv1beta1.ScoreCoordinateTypeBuiltIn:
		f.oneOf("builtIn", s.BuiltIn, Prioritizers...)
	case s.Type == clusterv1beta1.ScoreCoordinateTypeAddOn && s.AddOn == nil:
		f.missing("addOn", "a mapping with resourceName and scoreName")
	}
}

func (f *fields) checkToleration(t *clusterv1beta1.Toleration) {
	f.oneOf("operator", string(t.Operator), string(clusterv1beta1.TolerationOpEqual), string(clusterv1beta1.TolerationOpExists))
	if t.Effect != "" {
		f.oneOf("effect", string(t.Effect), TaintEffects...)
	}
	if t.Key == "" && t.Operator == clusterv1beta1.TolerationOpEqual {
		f.doc.report(f.at("key"), "Missing field", "%s is missing or empty, which tolerates all keys and needs the operator Exists. Set the "+
			"operator, or the key of a taint.", field(f.path, "key"))
	}
	if t.Operator == clusterv1beta1.TolerationOpExists && t.Value != "" {
		f.doc.report(f.at("value"), "Invalid value",
			"%s is set, but the operator Exists tolerates all values. Remove the value, or the operator.", field(f.path, "value"))
	}
	if t.TolerationSeconds != nil {
		f.needsClock("tolerationSeconds", "Leave it out to tolerate the taint for good, or leave out the toleration.")
	}
}

// needsClock reports a field whose meaning changes as time goes by.
func (f *fields) needsClock(name, cure string) {
	f.doc.report(f.at(name), "A clock is needed", "%s needs a clock, which a plan does not have: what was planned would no longer hold when "+
		"it is applied. %s", field(f.path, name), cure)
}

// groupSize is what Open Cluster Management takes for the size of decision groups.
var groupSize = regexp.MustCompile(`^((100|[1-9][0-9]?)%|[1-9][0-9]{0,9})$`)

func (f *fields) checkGroupSize(size intstr.IntOrString) {
	var fault string
	switch {
	case size.Type == intstr.String && !strings.HasSuffix(size.StrVal, "%"):
		fault = "the text " + quote(size.StrVal) + ", which hubs refuse. Write a number without quotes, or a percentage"
	case !groupSize.MatchString(size.String()):
		fault = quote(size.String()) + ", but a number from 1 on or a percentage from 1% to 100% is needed"
	default:
		return
	}
	f.doc.report(f.at("clustersPerDecisionGroup"), "Invalid value", "%s is %s.", field(f.path, "clustersPerDecisionGroup"), fault)
}

func (f *fields) checkScores(s *clusterv1alpha1.AddOnPlacementScoreStatus) {
	if s.ValidUntil != nil {
		f.needsClock("validUntil", "Remove it: the scores count as they are given.")
	}
	known, items := map[string]bool{}, f.list("scores")
	for i, score := range s.Scores {
		path := items[i]
		switch {
		case score.Name == "":
			f.doc.report(path.node, "Missing field", "%s.name is missing or empty. Set it to the name of the score.", path.path)
		case known[score.Name]:
			f.doc.report(path.node, "Invalid value", "%s has the name %s, as a score before it. Remove one of them.", path.path, quote(score.Name))
		}
		if score.Value < -100 || score.Value > 100 {
			f.doc.report(path.node, "Invalid value", "%s.value is %d, but a score is from -100 to 100.", path.path, score.Value)
		}
		known[score.Name] = true
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

// cases counts the cases in the random worlds, so that a missing case is an error.
type cases struct {
	mutex  sync.Mutex
	counts map[string]int
}

func (s *cases) add(of string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.counts[of]++
}

// needed is how often each case has to occur.
const needed = 10

// check fails if a case hardly occurred, or if an unexpected case occurred.
func (s *cases) check(t *testing.T) {
	if t.Failed() {
		return // not all worlds were looked at
	}
	for _, of := range expected() {
		if s.counts[of] < needed {
			t.Errorf("%q occurred %d times", of, s.counts[of])
		}
	}
	for _, of := range slices.Sorted(maps.Keys(s.counts)) {
		if !slices.Contains(expected(), of) {
			t.Errorf("%q is not expected", of)
		}
		t.Logf("%6d %s", s.counts[of], of)
	}
}

// expected are the names of all cases.
func expected() []string {
	all := []string{
		"Balance that counts on a hub only", "a tie at the last one chosen", "equal decisions, some are left out", "equal decisions, all",
		"nothing is chosen",
		"cluster sets", "the set global", "a set that is not there",
		"several predicates", "labels", "claims", "labels and claims",
		"mode Additive", "mode Exact", "a prioritizer listed twice", "no weight", "a weight below zero",
		"numberOfClusters", "fewer than asked for", "decisions of its own", "decisions of its name in another namespace",
		"groups by number", "groups by percentage", "groups by claims", "several groups of one name", "a group that only the rest is in",
		"toleration by Equal", "toleration by Exists", "toleration of all keys",
	}
	for _, code := range scheduling.Codes {
		if code != scheduling.CodeNotDecided { // which a hub does not report
			all = append(all, "verdict "+string(code))
		}
	}
	for _, effect := range manifest.TaintEffects {
		all = append(all, "kept in spite of "+effect, "toleration of "+effect)
		if effect != "PreferNoSelect" {
			all = append(all, "dropped by "+effect)
		}
	}
	all = append(all, "toleration of ", "kept in spite of NoSelectIfNew, as it is decided")
	for _, p := range append(slices.Clone(manifest.Prioritizers), "AddOn/load/cpu", "AddOn/load/memory", "AddOn/cost/cpu",
		"AddOn/cost/memory") {
		all = append(all, "scores by "+p, "different scores by "+p)
	}
	all = append(all, "scores by AddOn/none/cpu", "scores by AddOn/none/memory")
	return all
}

// placement counts what one placement has shown.
func (s *cases) placement(c *comparison) {
	spec := &c.placement.Spec
	if n := spec.NumberOfClusters; n != nil {
		s.add("numberOfClusters")
		if int(*n) > len(c.hub.chosen) {
			s.add("fewer than asked for")
		}
	}
	s.sets(spec.ClusterSets)
	s.predicates(spec.Predicates)
	s.verdicts(c)
	s.tolerations(spec.Tolerations)
	s.prioritizers(c)
	s.groups(c)
	for _, d := range c.world.decisions {
		switch {
		case d.Labels[clusterv1beta1.PlacementLabel] != c.placement.Name:
		case d.Namespace == c.placement.Namespace:
			s.add("decisions of its own")
		default:
			s.add("decisions of its name in another namespace")
		}
	}
}

func (s *cases) sets(of []string) {
	for _, name := range of {
		switch name {
		case "global":
			s.add("the set global")
		case "none":
			s.add("a set that is not there")
		default:
			s.add("cluster sets")
		}
	}
}

func (s *cases) predicates(of []clusterv1beta1.ClusterPredicate) {
	if len(of) > 1 {
		s.add("several predicates")
	}
	for _, p := range of {
		selector := p.RequiredClusterSelector
		byLabel := len(selector.LabelSelector.MatchLabels)+len(selector.LabelSelector.MatchExpressions) > 0
		byClaim := len(selector.ClaimSelector.MatchExpressions) > 0
		for name, has := range map[string]bool{"labels": byLabel, "claims": byClaim, "labels and claims": byLabel && byClaim} {
			if has {
				s.add(name)
			}
		}
	}
}

func (s *cases) verdicts(c *comparison) {
	for name, v := range c.ours {
		s.add("verdict " + string(v.Code))
		for _, taint := range c.world.cluster(name).Spec.Taints {
			switch {
			case v.Code == scheduling.CodeTaint && strings.HasSuffix(v.Found, ":"+string(taint.Effect)):
				s.add("dropped by " + string(taint.Effect))
			case dropped(v.Code):
			default:
				s.add("kept in spite of " + string(taint.Effect))
				tolerated := slices.ContainsFunc(c.placement.Spec.Tolerations,
					func(of clusterv1beta1.Toleration) bool { return scheduling.Tolerates(of, taint) })
				if taint.Effect == "NoSelectIfNew" && !tolerated {
					s.add("kept in spite of NoSelectIfNew, as it is decided")
				}
			}
		}
	}
}

func (s *cases) tolerations(of []clusterv1beta1.Toleration) {
	for _, t := range of {
		s.add("toleration by " + string(t.Operator))
		s.add("toleration of " + string(t.Effect))
		if t.Key == "" {
			s.add("toleration of all keys")
		}
	}
}

func (s *cases) prioritizers(c *comparison) {
	policy, listed := c.placement.Spec.PrioritizerPolicy, map[string]bool{}
	s.add("mode " + string(policy.Mode))
	for _, p := range policy.Configurations {
		name := p.ScoreCoordinate.BuiltIn
		if a := p.ScoreCoordinate.AddOn; a != nil {
			name = a.ResourceName + a.ScoreName
		}
		if listed[name] {
			s.add("a prioritizer listed twice")
		}
		listed[name] = true
		if p.Weight == 0 {
			s.add("no weight")
		}
		if p.Weight < 0 {
			s.add("a weight below zero")
		}
	}
	values := map[string]map[int64]bool{}
	for _, v := range c.ours {
		for _, of := range v.Scores {
			if values[of.Name] == nil {
				values[of.Name] = map[int64]bool{}
			}
			values[of.Name][of.Score] = true
		}
	}
	for name, of := range values {
		s.add("scores by " + name)
		if len(of) > 1 {
			s.add("different scores by " + name)
		}
	}
}

func (s *cases) groups(c *comparison) {
	strategy := c.placement.Spec.DecisionStrategy.GroupStrategy
	if strategy.ClustersPerDecisionGroup.StrVal == "" {
		s.add("groups by number")
	} else if strategy.ClustersPerDecisionGroup.StrVal != "100%" {
		s.add("groups by percentage")
	}
	for _, g := range strategy.DecisionGroups {
		if len(g.ClusterSelector.ClaimSelector.MatchExpressions) > 0 {
			s.add("groups by claims")
		}
	}
	indices := map[string]map[int]bool{}
	for _, v := range c.ours {
		if !v.chosen {
			continue
		}
		if indices[v.group.name] == nil {
			indices[v.group.name] = map[int]bool{}
		}
		indices[v.group.name][v.group.index] = true
	}
	for name, of := range indices {
		if name != "" && len(of) > 1 {
			s.add("several groups of one name")
		}
		if name == "" && len(strategy.DecisionGroups) > 0 {
			s.add("a group that only the rest is in")
		}
	}
}

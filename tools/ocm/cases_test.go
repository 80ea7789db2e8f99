// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
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
	all := []string{"Balance that counts on a hub only", "a tie at the last one chosen", "equal decisions, some are left out",
		"equal decisions, all", "nothing is chosen", "fewer than asked for", "several groups of one name", "a group that only the rest is in"}
	for _, code := range ocm.Codes {
		if code != ocm.CodeNotDecided { // which a hub does not report
			all = append(all, "verdict "+string(code))
		}
	}
	for _, p := range append(slices.Clone(manifest.Prioritizers), "AddOn/load/cpu", "AddOn/load/memory", "AddOn/cost/cpu",
		"AddOn/cost/memory") {
		all = append(all, "different scores by "+p)
	}
	return all
}

// placement counts what one placement has shown: each verdict, scores that differ, and groups.
func (s *cases) placement(c *comparison) {
	if n := c.placement.Spec.NumberOfClusters; n != nil && int(*n) > len(c.hub.chosen) {
		s.add("fewer than asked for")
	}
	values, indices := map[string]map[int64]bool{}, map[string]map[int]bool{}
	for _, v := range c.ours {
		s.add("verdict " + string(v.Code))
		for _, of := range v.Scores {
			if values[of.Name] == nil {
				values[of.Name] = map[int64]bool{}
			}
			values[of.Name][of.Score] = true
		}
		if v.chosen && indices[v.group.name] == nil {
			indices[v.group.name] = map[int]bool{}
		}
		if v.chosen {
			indices[v.group.name][v.group.index] = true
		}
	}
	for name, of := range values {
		if len(of) > 1 {
			s.add("different scores by " + name)
		}
	}
	for name, of := range indices {
		if name != "" && len(of) > 1 {
			s.add("several groups of one name")
		}
		if name == "" && len(c.placement.Spec.DecisionStrategy.GroupStrategy.DecisionGroups) > 0 {
			s.add("a group that only the rest is in")
		}
	}
}

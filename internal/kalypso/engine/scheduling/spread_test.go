// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

// Among cluster types that spread equally, scores decide. Cluster types are "name score
// labels".
func TestSpreadByScores(t *testing.T) {
	t.Parallel()
	const region, zone, strictly = "topologyKey: region, topologyKeyType: Label", "topologyKey: zone, topologyKeyType: Label",
		", whenUnsatisfiable: DoNotSchedule"
	for name, test := range map[string]struct {
		clusters                  []string
		number, constraints, want string
	}{
		"the regions that score most": {
			[]string{"a1 0 region: a", "b1 50 region: b", "c1 10 region: c"}, "2", "{" + region + "}", "b1 c1",
		},
		"the first constraint weighs more than a score": {
			[]string{"c0 90 region: a, zone: one", "c1 80 region: a, zone: two", "c2 70 region: b, zone: one"}, "2", "{" + region + "}, {" + zone +
				"}", "c0 c2",
		},
		"what has no region, rather not": {
			[]string{"a1 0 region: a", "a2 0 region: a", "x1 90"}, "2", "{" + region + "}", "a1 a2",
		},
		"an empty region is one": {
			[]string{"a1 0 region: ''", "x1 90"}, "2", "{" + region + strictly + "}", "a1",
		},
		"what has no region counts in none": {
			[]string{"a1 1 region: a, zone: one", "a2 1 region: a, zone: one", "a3 1 region: a, zone: one", "b1 0 region: b, zone: one",
				"b2 0 region: b, zone: one", "x1 90 zone: two", "x2 90 zone: two"},
			"6", "{" + zone + ", maxSkew: 4}, {" + region + "}", "a1 a2 a3 b1 b2 x1|a1 a2 a3 b1 b2 x2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := []string{policy("p", "a", false), placement("a",
				"{numberOfClusters: "+test.number+", spreadPolicy: {spreadConstraints: ["+test.constraints+"]}, "+
					"prioritizerPolicy: {configurations: [{scoreCoordinate: {type: AddOn, addOn: {resourceName: r, scoreName: s}}}]}}")}
			for _, c := range test.clusters {
				of := append(strings.SplitN(c, " ", 3), "")
				texts = append(texts, clusterType(of[0], of[2]), score(of[0], "r", "{name: s, value: "+of[1]+"}"))
			}
			f := newFleet(t, texts...)
			if got := chosen(f, decide(t, f), 0); !slices.Contains(strings.Split(test.want, "|"), got) {
				t.Errorf("chosen: %q, want %q", got, test.want)
			}
		})
	}
}

// If a constraint leaves cluster types out, the explanation of each of them names the
// constraint, even if the placement asks for more than exist.
func TestSpreadLeavesOut(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]string{"all that can be had": "", "more than there are": "numberOfClusters: 9, "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, regions("a5 b1"), score("b1", "r", "{name: s, value: 90}"), policy("p", "a", false), placement("a", "{"+number+
				"prioritizerPolicy: {configurations: [{scoreCoordinate: {type: AddOn, addOn: {resourceName: r, scoreName: s}}}]}, "+
				"spreadPolicy: {spreadConstraints: [{topologyKey: region, topologyKeyType: Label, whenUnsatisfiable: DoNotSchedule}]}}"))
			d := decide(t, f)
			if got := perRegion(chosen(f, d, 0)); got != "a2 b1" {
				t.Errorf("chosen: %s", got)
			}
			for i, ct := range f.ClusterTypes {
				want := scheduling.CodeSpread
				if d.Chosen(0).Test(uint(i)) {
					want = scheduling.CodeChosen
				}
				if v, _ := d.Verdict(0, i); v.Code != want {
					t.Errorf("%s: %s, want %s", ct.Name, v.Code, want)
				}
			}
		})
	}
}

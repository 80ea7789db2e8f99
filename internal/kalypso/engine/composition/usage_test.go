// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func TestLeavesNameWhatTheyOverrodeInMergeOrder(t *testing.T) {
	t.Parallel()
	config := composeOnly(t,
		platform("zzz", nil, map[string]string{"KEY": "platform"}),
		configMap("azure-app-config", nil, map[string]string{"KEY": "app"}),
		configMap("azure-app-config-2", nil, map[string]string{"KEY": "second"}),
	)
	expect(t, config.Leaves(), []Leaf{{Path: "KEY", Value: "second", SetBy: "azure-app-config-2",
		Overrode: []string{"zzz", "azure-app-config"}}})
}

func TestLeafText(t *testing.T) {
	t.Parallel()
	config := composeOnly(t, platform("a", nil, map[string]string{"f": "{a: true, b: 1.5, c: null, d: [], e: {}, f: 'x: y', g: 2001-12-14}"}))
	var got []string
	for _, leaf := range config.Leaves() {
		got = append(got, leaf.Text())
	}
	expect(t, got, []string{"true", "1.5", "null", "[]", "{}", "x: y", "2001-12-14"})
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	cloud, west, both := labels{"tier": "cloud"}, labels{"region": "west"}, labels{"tier": "cloud", "region": "west"}
	one, two := map[string]string{"LEVEL": "1"}, map[string]string{"LEVEL": "2"}
	conflict := []Conflict{{Winner: "b", Loser: "a", Paths: []string{"LEVEL"}, Assignments: []string{"large/shop-live"}}}
	for name, test := range map[string]struct {
		a, b *manifest.ConfigMap
		want []Conflict
	}{
		"equal labels":               {platform("a", cloud, one), platform("b", cloud, two), conflict},
		"labels that do not compare": {platform("a", cloud, one), platform("b", west, two), conflict},
		"the more general wins":      {platform("a", both, one), platform("b", west, two), conflict},
		"the more special wins":      {platform("a", west, one), platform("b", both, two), []Conflict{}},
		"the same value":             {platform("a", cloud, one), platform("b", cloud, one), []Conflict{}},
		"one applies nowhere":        {platform("a", labels{"region": "east"}, one), platform("b", cloud, two), []Conflict{}},
		"Flux's labels do not count": {platform("a", cloud, one), platform("b", labels{"tier": "cloud", manifest.LabelFluxOwner: "x"}, two),
			conflict},
		"app configuration comes later": {platform("b", cloud, one), configMap("azure-app-config", nil, two), []Conflict{}},
		"two keys of one ConfigMap": {configMap("azure-app-config", nil, map[string]string{"LEVEL": "1", "region.west.LEVEL": "2"}),
			platform("b", cloud, nil), []Conflict{}},
		"maps that do not touch": {platform("a", cloud, map[string]string{"f": "{a: 1}"}),
			platform("b", cloud, map[string]string{"f": "{b: 2}"}), []Conflict{}},
		"lists are appended": {platform("a", cloud, map[string]string{"f": "[1]"}),
			platform("b", cloud, map[string]string{"f": "[2]"}), []Conflict{}},
		"elements of one name, and a path": {platform("a", cloud, map[string]string{"f": "{l: [{name: one, v: 1, w: 1}]}"}),
			platform("b", cloud, map[string]string{"f": "{l: [{name: one, v: 2, w: 1}]}"}),
			[]Conflict{{Winner: "b", Loser: "a", Paths: []string{"f.l[name=one].v"}, Assignments: []string{"large/shop-live"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, test.a, test.b)
			expect(t, New(f).Usage(everywhere(f)).Conflicts(), test.want)
		})
	}
}

func TestConflictsCountTheLastWordOnly(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		platform("a", labels{"tier": "cloud"}, map[string]string{"LEVEL": "1"}),
		platform("b", labels{"region": "west"}, map[string]string{"LEVEL": "2"}),
		platform("c", labels{"region": "west", "tier": "cloud"}, map[string]string{"LEVEL": "3"}),
	)
	expect(t, New(f).Usage(everywhere(f)).Conflicts(), []Conflict{})
}

// TestConflictsAskWhereConfigMapsApply has labels that do not compare. One ConfigMap applies
// to only a part of the other's assignments.
func TestConflictsAskWhereConfigMapsApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ofRegion, ofClusterType string
		want                    int
	}{
		"the more special wins": {"a", "b", 0},
		"the more general wins": {"b", "a", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t,
				&manifest.ClusterType{Meta: manifest.Meta{Kind: manifest.KindClusterType, Name: "small", Labels: labels{"region": "west"}}},
				platform(test.ofRegion, labels{"region": "west"}, map[string]string{"LEVEL": "1"}),
				platform(test.ofClusterType, labels{"cluster-type": "small"}, map[string]string{"LEVEL": "2"}),
			)
			if got := New(f).Usage(everywhere(f)).Conflicts(); len(got) != test.want {
				t.Errorf("want %d conflicts, got %v", test.want, got)
			}
		})
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		platform("used", labels{"region": "west"}, nil),
		platform("unused", labels{"region": "east"}, nil),
		configMap("azure-app-config-used", nil, map[string]string{"region.east.A": "1", "region.west.A": "2"}),
		configMap("azure-app-config-unused", nil, map[string]string{"region.east.A": "1"}),
	)
	c := New(f)
	expect(t, c.Usage(everywhere(f)).Unused(), []string{"azure-app-config-unused", "unused"})
	expect(t, c.Usage(nil).Unused(), []string{"azure-app-config-unused", "azure-app-config-used", "unused", "used"})
}

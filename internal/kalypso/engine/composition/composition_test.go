// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// labels is a short name for the labels of an object.
type labels = map[string]string

func configMap(name string, l labels, data map[string]string) *manifest.ConfigMap {
	return &manifest.ConfigMap{Meta: manifest.Meta{Kind: manifest.KindConfigMap, Name: name, Labels: l,
		Source: manifest.Origin{Name: "config.yaml"}}, Data: data}
}

// platform is a ConfigMap with the label of platform configuration.
func platform(name string, l labels, data map[string]string) *manifest.ConfigMap {
	all := labels{manifest.LabelPlatformConfig: "true"}
	maps.Copy(all, l)
	return configMap(name, all, data)
}

// newFleet has one cluster type, large in west, one target, shop-live, and the given
// objects.
func newFleet(t testing.TB, objects ...manifest.Object) *fleet.Fleet {
	t.Helper()
	objects = append(objects, &manifest.ClusterType{
		Meta:       manifest.Meta{Kind: manifest.KindClusterType, Name: "large", Labels: labels{"region": "west", "tier": "cloud"}},
		Reconciler: "rec", NamespaceService: "rec",
	})
	if len(manifest.Of[*manifest.Workload](objects)) == 0 {
		objects = append(objects, &manifest.Workload{
			Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "shop", Labels: labels{"family": "retail", "workspace": "team"}},
			DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "live", Environment: "dev", Labels: labels{"purpose": "live"}},
			},
		})
	}
	f, err := fleet.New(objects, "dev")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// everywhere assigns every target to every cluster type.
func everywhere(f *fleet.Fleet) []*placement.Assignment {
	var all []*placement.Assignment
	for _, ct := range f.ClusterTypes {
		for _, target := range f.Targets {
			all = append(all, &placement.Assignment{ClusterType: ct, Target: target})
		}
	}
	return all
}

// composeOnly composes the configuration of shop-live on large.
func composeOnly(t testing.TB, configMaps ...manifest.Object) *Config {
	t.Helper()
	f := newFleet(t, configMaps...)
	c := New(f)
	return c.Compose(everywhere(f)[0])
}

func expect(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhichConfigMapsApply(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		labels  labels
		applies bool
	}{
		"no labels":                                {nil, true},
		"name of the cluster type":                 {labels{"cluster-type": "large"}, true},
		"name of another cluster type":             {labels{"cluster-type": "small"}, false},
		"full name of the target":                  {labels{"deployment-target": "shop-live"}, true},
		"short name of the target":                 {labels{"deployment-target": "live"}, false},
		"name of the workload":                     {labels{"workload": "shop"}, true},
		"name of another workload":                 {labels{"workload": "web"}, false},
		"label of the cluster type":                {labels{"region": "west"}, true},
		"label of the target":                      {labels{"purpose": "live"}, true},
		"label of the workload":                    {labels{"family": "retail"}, true},
		"workspace":                                {labels{"workspace": "team"}, true},
		"another value":                            {labels{"region": "east"}, false},
		"a key that nobody has":                    {labels{"zone": "1"}, false},
		"all of several":                           {labels{"region": "west", "purpose": "live", "cluster-type": "large"}, true},
		"all but one of several":                   {labels{"region": "west", "purpose": "test", "cluster-type": "large"}, false},
		"empty value of a key that nobody has":     {labels{"zone": ""}, true},
		"empty value of a key that one side lacks": {labels{"region": ""}, true},
		"empty name of a cluster type":             {labels{"cluster-type": ""}, false},
		"labels of Flux do not count": {labels{"kustomize.toolkit.fluxcd.io/name": "x",
			"kustomize.toolkit.fluxcd.io/namespace": "y"}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := composeOnly(t, platform("a", c.labels, map[string]string{"KEY": "value"}))
			if _, applied := config.Values["KEY"]; applied != c.applies {
				t.Errorf("labels %v: applied = %t, want %t", c.labels, applied, c.applies)
			}
		})
	}
}

func TestEmptyValueDoesNotMatchLabelOfBothSides(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		platform("a", labels{"region": ""}, map[string]string{"KEY": "value"}),
		&manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "live", Environment: "dev", Labels: labels{"region": "north"}}},
		},
	)
	c := New(f)
	expect(t, c.Compose(everywhere(f)[0]).Values, map[string]any{})
}

func TestNameLabelsNeverCompareWithLabels(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		platform("a", labels{"cluster-type": "special"}, map[string]string{"KEY": "value"}),
		&manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "live", Environment: "dev", Labels: labels{"cluster-type": "special"}}},
		},
	)
	c := New(f)
	expect(t, c.Compose(everywhere(f)[0]).Values, map[string]any{})
}

func TestOnlyLabelledConfigMapsTakePart(t *testing.T) {
	t.Parallel()
	config := composeOnly(t,
		configMap("a", nil, map[string]string{"A": "1"}),
		configMap("b", labels{"platform-config": "false"}, map[string]string{"B": "1"}),
		configMap("c", labels{"platform-config": "true"}, map[string]string{"C": "1"}),
	)
	expect(t, config.Values, map[string]any{"C": "1"})
}

func TestLaterNameWins(t *testing.T) {
	t.Parallel()
	config := composeOnly(t,
		platform("b", nil, map[string]string{"KEY": "of b"}),
		platform("a", nil, map[string]string{"KEY": "of a", "OTHER": "of a"}),
		platform("B", nil, map[string]string{"KEY": "of B", "THIRD": "of B"}), // upper case comes first, bytewise
	)
	expect(t, config.Values, map[string]any{"KEY": "of b", "OTHER": "of a", "THIRD": "of B"})
}

func TestAppConfig(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		data map[string]string
		want map[string]any
	}{
		"a key without labels":            {map[string]string{"KEY": "v"}, map[string]any{"KEY": "v"}},
		"a label pair that holds":         {map[string]string{"region.west.KEY": "v"}, map[string]any{"KEY": "v"}},
		"a label pair that does not hold": {map[string]string{"region.east.KEY": "v"}, map[string]any{}},
		"all of several pairs":            {map[string]string{"region.west.purpose.live.KEY": "v"}, map[string]any{"KEY": "v"}},
		"not all of several pairs":        {map[string]string{"region.west.purpose.test.KEY": "v"}, map[string]any{}},
		"a pair that is a name":           {map[string]string{"cluster-type.large.KEY": "v"}, map[string]any{"KEY": "v"}},
		"a segment without a partner":     {map[string]string{"app.KEY": "v"}, map[string]any{"KEY": "v"}},
		"a label whose value is the key": {map[string]string{"region.west": "v", "region.east": "w"},
			map[string]any{"west": "v", "east": "w"}},
		"shorter keys come first": {map[string]string{"region.west.KEY": "special", "KEY": "general"},
			map[string]any{"KEY": "special"}},
		"length counts characters": {map[string]string{"ééé..KEY": "first", "zone..KEY": "last"}, map[string]any{"KEY": "last"}},
		"keys of one length in byte order": {map[string]string{"workload.shop.KEY": "last", "family.retail.KEY": "first"},
			map[string]any{"KEY": "last"}},
		"values are decoded":              {map[string]string{"KEY": "[1, 2]"}, map[string]any{"KEY": []any{1, 2}}},
		"and merged":                      {map[string]string{"KEY": "[1]", "region.west.KEY": "[2]"}, map[string]any{"KEY": []any{1, 2}}},
		"an empty value matches no label": {map[string]string{"zone..KEY": "v"}, map[string]any{"KEY": "v"}},
		"a pair, then one without partner": {map[string]string{"region.west.purpose.KEY": "v", "region.east.x.K4": "v"},
			map[string]any{"KEY": "v"}},
		"labels that do not count anywhere": {map[string]string{"platform-config.true.KEY": "v"}, map[string]any{"KEY": "v"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, composeOnly(t, configMap("azure-app-config-x", nil, c.data)).Values, c.want)
		})
	}
}

func TestAppConfigComesAfterPlatformConfig(t *testing.T) {
	t.Parallel()
	config := composeOnly(t,
		platform("zzz", nil, map[string]string{"KEY": "platform"}),
		configMap("azure-app-config", nil, map[string]string{"KEY": "app"}),
		configMap("azure-app-config-2", nil, map[string]string{"KEY": "second"}),
	)
	expect(t, config.Values, map[string]any{"KEY": "second"})
}

func TestLeaves(t *testing.T) {
	t.Parallel()
	config := composeOnly(t,
		platform("a", nil, map[string]string{
			"plain":     "1",
			"file.yaml": "a: {b: 1, c: [x, z]}\nempty: {}\nd.e: 5",
			"list":      "[{name: one, v: 1}, z]",
			"kept":      "true",
			"replaced":  "{a: 1}",
		}),
		platform("b", nil, map[string]string{
			"plain":     "2",
			"file.yaml": "a: {b: 2, c: [x]}",
			"list":      "[{name: one, v: 2, w: 3}, {name: m}]",
			"replaced":  "{a: 2}",
		}),
		platform("c", nil, map[string]string{"plain": "3", "replaced": "text"}),
	)
	expect(t, config.Leaves(), []Leaf{
		{Path: "file.yaml.a.b", Value: 2, SetBy: "b", Overrode: []string{"a"}},
		{Path: "file.yaml.a.c[0]", Value: "x", SetBy: "a"},
		{Path: "file.yaml.a.c[1]", Value: "z", SetBy: "a"},
		{Path: "file.yaml.a.c[2]", Value: "x", SetBy: "b"},
		{Path: `file.yaml["d.e"]`, Value: 5, SetBy: "a"},
		{Path: "file.yaml.empty", Value: map[string]any{}, SetBy: "a"},
		{Path: "kept", Value: "true", SetBy: "a"},
		{Path: "list[0].name", Value: "one", SetBy: "b", Overrode: []string{"a"}},
		{Path: "list[0].v", Value: 2, SetBy: "b", Overrode: []string{"a"}},
		{Path: "list[0].w", Value: 3, SetBy: "b"},
		{Path: "list[1]", Value: "z", SetBy: "a"},
		{Path: "list[2].name", Value: "m", SetBy: "b"},
		{Path: "plain", Value: "3", SetBy: "c", Overrode: []string{"a", "b"}},
		{Path: "replaced", Value: "text", SetBy: "c", Overrode: []string{"a", "b"}},
	})
}

func TestAssignmentsOfOneSetShareTheirConfig(t *testing.T) {
	t.Parallel()
	f := generated(t, 4, 5, 12)
	c := New(f)
	bySet := map[string]*Config{}
	for _, a := range everywhere(f) {
		config := c.Compose(a)
		if again := c.Compose(a); again != config {
			t.Fatal("composing twice gave two Configs")
		}
		set := fmt.Sprint(c.applying.match(a.ClusterType, a.Target))
		if known, isKnown := bySet[set]; isKnown && known != config {
			t.Fatalf("two Configs for the ConfigMaps %s", set)
		}
		bySet[set] = config
	}
}

// TestOrderNeverMatters composes a fleet from documents in many orders.
func TestOrderNeverMatters(t *testing.T) {
	t.Parallel()
	var want []map[string]any
	var wantLeaves [][]Leaf
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 7))
		objects := generatedObjects(3, 4, 20)
		random.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		f, err := fleet.New(objects, "dev")
		if err != nil {
			t.Fatal(err)
		}
		c := New(f)
		var got []map[string]any
		var gotLeaves [][]Leaf
		assignments := everywhere(f)
		for _, i := range random.Perm(len(assignments)) {
			c.Compose(assignments[i])
		}
		for _, a := range assignments {
			got = append(got, c.Compose(a).Values)
			gotLeaves = append(gotLeaves, c.Compose(a).Leaves())
		}
		if want == nil {
			want, wantLeaves = got, gotLeaves
		}
		expect(t, got, want)
		expect(t, gotLeaves, wantLeaves)
	}
}

// TestLeavesCoverTheValues expects that leaves and values agree.
func TestLeavesCoverTheValues(t *testing.T) {
	t.Parallel()
	f := generated(t, 4, 4, 25)
	c := New(f)
	for _, a := range everywhere(f) {
		config := c.Compose(a)
		paths := map[string]bool{}
		tops := map[string]bool{}
		for _, leaf := range config.Leaves() {
			if paths[leaf.Path] {
				t.Errorf("%s is there twice", leaf.Path)
			}
			paths[leaf.Path] = true
			tops[strings.FieldsFunc(leaf.Path, func(r rune) bool { return strings.ContainsRune(".[", r) })[0]] = true
			if !slices.ContainsFunc(f.ConfigMaps, func(m *manifest.ConfigMap) bool { return m.Name == leaf.SetBy }) {
				t.Errorf("%s is set by %q, which does not exist", leaf.Path, leaf.SetBy)
			}
		}
		expect(t, slices.Sorted(maps.Keys(tops)), slices.Sorted(maps.Keys(config.Values)))
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// pack returns a package of the workload shop on a cluster type, with a change.
func pack(clusterType string, change func(p *deployments.Package)) deployments.Package {
	p := deployments.Package{
		ClusterType: clusterType, DeploymentTarget: "shop-live", Workload: "shop",
		Sources: []deployments.Source{{Kind: "GitRepository", Repo: "https://h/shop", Ref: "main", Path: "live"}},
		Values:  map[string]string{"REGION": "west"},
	}
	if change != nil {
		change(&p)
	}
	return p
}

func environment(name string, packages ...deployments.Package) deployments.Environment {
	return deployments.Environment{Name: name, Head: "1", Packages: packages}
}

// compared returns all discrepancies of some environments.
func compared(environments ...deployments.Environment) []deployments.Discrepancy {
	var all []deployments.Discrepancy
	for _, c := range deployments.Compare(environments, deployments.Rules{}) {
		all = append(all, c.Discrepancies...)
	}
	return all
}

func texts(discrepancies []deployments.Discrepancy) []string {
	var all []string
	for _, d := range discrepancies {
		all = append(all, fmt.Sprintf("%s %s", d.Kind, d.Text))
	}
	return all
}

func TestCompare(t *testing.T) {
	t.Parallel()
	type packages = []deployments.Package
	version := func(version, build string) deployments.Package {
		return pack("large", func(p *deployments.Package) { p.Version, p.Build = version, build })
	}
	source := func(ref, path string) deployments.Package {
		return pack("large", func(p *deployments.Package) {
			p.DeploymentTarget, p.Sources[0].Ref, p.Sources[0].Path = "shop-"+path, ref, path
		})
	}
	value := func(value string) deployments.Package {
		return pack("large", func(p *deployments.Package) { p.Values = map[string]string{"REGION": value} })
	}
	for name, test := range map[string]struct {
		dev, prod packages
		want      []string
	}{
		"the same":               {packages{pack("large", nil)}, packages{pack("large", nil)}, nil},
		"on other cluster types": {packages{pack("large", nil)}, packages{pack("small", nil)}, nil},
		"missing there": {packages{pack("large", nil), pack("small", nil)}, nil,
			[]string{"workload shop: on large, small in dev, not in prod"}},
		"missing here": {nil, packages{pack("large", nil)}, []string{"workload shop: on large in prod, not in dev"}},
		"without a label it is the target": {packages{pack("large", func(p *deployments.Package) { p.Workload = "" })}, nil,
			[]string{"workload shop-live: on large in dev, not in prod"}},
		"another ref": {packages{source("main", "live")}, packages{source("v1", "live")},
			[]string{"source shop: source https://h/shop#main:live in dev, https://h/shop#v1:live in prod"}},
		"another spelling": {packages{source("main", "./live/")}, packages{source("main", "live")}, nil},
		"one source more": {packages{source("main", "live"), source("main", "test")}, packages{source("main", "live")},
			[]string{"source shop: source https://h/shop#main:test in dev, not in prod"}},
		"no source known": {packages{pack("large", func(p *deployments.Package) { p.Sources = nil }), source("main", "test")},
			packages{source("main", "live")}, nil},
		"another version": {packages{version("1.4", "")}, packages{version("1.3", "")},
			[]string{"version shop: version 1.4 in dev, 1.3 in prod"}},
		"another build": {packages{version("1.4", "8")}, packages{version("1.4", "7")},
			[]string{"version shop: version 1.4 (build 8) in dev, 1.4 (build 7) in prod"}},
		"no version known": {packages{version("1.4", "")}, packages{version("", "7")}, nil},
		"another value": {packages{value("west")}, packages{value("east")},
			[]string{"value shop on large: REGION = west in dev, east in prod"}},
		"a value of several lines": {packages{value("a\nb\n")}, packages{value("")},
			[]string{`value shop on large: REGION = "a\nb\n" in dev, "" in prod`}},
		"a long value": {packages{value(strings.Repeat("é", 300))}, packages{value("x")},
			[]string{"value shop on large: REGION = " + strings.Repeat("é", 200) + "… in dev, x in prod"}},
		"no such value": {packages{value("west")}, packages{pack("large",
			func(p *deployments.Package) { p.Values = map[string]string{} })}, []string{"value shop on large: REGION = west in dev, not in prod"}},
		"no values known": {packages{value("west")}, packages{pack("large", func(p *deployments.Package) { p.Values = nil })},
			nil},
		"no values known of one target": {packages{value("west")}, packages{value("east"),
			pack("large", func(p *deployments.Package) { p.DeploymentTarget, p.Values = "shop-test", nil })}, []string{}},
		"values of several targets": {packages{value("west"), pack("large", func(p *deployments.Package) {
			p.DeploymentTarget, p.Values = "shop-test", map[string]string{"REGION": "north"}
		})}, packages{value("west")}, []string{"value shop on large: REGION = north, west in dev, west in prod"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := texts(compared(environment("dev", test.dev...), environment("prod", test.prod...)))
			if !slices.Equal(test.want, got) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(test.want, got))
			}
		})
	}
}

// Every pair of existing environments is compared, in the order of names, and worse
// differences come first.
func TestComparePairs(t *testing.T) {
	t.Parallel()
	different := pack("large", func(p *deployments.Package) { p.Version, p.Values["REGION"] = "2", "east" })
	base := pack("large", func(p *deployments.Package) { p.Version = "1" })
	got := texts(compared(environment("b", different), environment("c"),
		deployments.Environment{Name: "d", Missing: deployments.NoBranch},
		deployments.Environment{Name: "e", Head: "1", Missing: deployments.NoFolder}, environment("a", base)))
	want := []string{
		"version shop: version 1 in a, 2 in b", "value shop on large: REGION = west in a, east in b",
		"workload shop: on large in a, not in c", "workload shop: on large in b, not in c",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The order of environments and packages does not matter, an environment does not differ
// from itself, and both directions have the same result.
func TestCompareProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
		random := func(name string) deployments.Environment {
			e := environment(name)
			for _, clusterType := range []string{"large", "small"} {
				for _, target := range []string{"a", "b", "c"} {
					if r.IntN(3) == 0 {
						continue
					}
					p := deployments.Package{ClusterType: clusterType, DeploymentTarget: target, Workload: pick("", "shop", "web"),
						Version: pick("", "1", "2")}
					if r.IntN(4) > 0 {
						p.Sources = []deployments.Source{{Repo: pick("r", "s"), Ref: pick("", "main")}}
						p.Values = map[string]string{pick("A", "B"): pick("x", "y")}
					}
					e.Packages = append(e.Packages, p)
				}
			}
			return e
		}
		a, b := random("a"), random("b")
		want := deployments.NewFleet([]deployments.Environment{a, b}, deployments.Rules{})
		for _, e := range []*deployments.Environment{&a, &b} {
			e.Packages = slices.Clone(e.Packages)
			r.Shuffle(len(e.Packages), func(i, j int) { e.Packages[i], e.Packages[j] = e.Packages[j], e.Packages[i] })
		}
		if diff := cmp.Diff(want, deployments.NewFleet([]deployments.Environment{b, a}, deployments.Rules{})); diff != "" {
			t.Fatalf("seed %d, in another order (-want +got):\n%s", seed, diff)
		}
		twin := a
		twin.Name = "twin"
		if found := compared(a, twin); len(found) > 0 {
			t.Fatalf("seed %d: it differs from itself: %v", seed, texts(found))
		}
		a.Name, b.Name = "b", "a"
		swapped := deployments.List[deployments.Discrepancy](compared(a, b))
		for i := range swapped {
			swapped[i].LeftValue, swapped[i].RightValue = swapped[i].RightValue, swapped[i].LeftValue
			swapped[i].Text = want.Discrepancies[min(i, len(want.Discrepancies)-1)].Text
		}
		if diff := cmp.Diff(want.Discrepancies, swapped); diff != "" {
			t.Fatalf("seed %d, the other way round (-want +got):\n%s", seed, diff)
		}
	}
}

// If there are very many discrepancies, the list contains the worst ones, the same number
// for every pair of environments. Both environments say how many are missing.
func TestCompareVeryMany(t *testing.T) {
	t.Parallel()
	large := func(name string) deployments.Environment {
		values := map[string]string{}
		for i := range 1000 {
			values[fmt.Sprintf("K%03d", i)] = name
		}
		e := environment(name, deployments.Package{ClusterType: "large", DeploymentTarget: "only-" + name})
		for i := range 40 {
			e.Packages = append(e.Packages, deployments.Package{ClusterType: "large", DeploymentTarget: fmt.Sprintf("t%02d", i), Values: values})
		}
		return e
	}
	small := func(name string) deployments.Environment { return environment(name, large(name).Packages[0]) }
	for name, test := range map[string]struct {
		environments []deployments.Environment
		want         map[string]int
		unreadable   []string
	}{
		"all are told": {[]deployments.Environment{small("a"), small("b")}, map[string]int{"a b": 2}, nil},
		"two of many": {[]deployments.Environment{large("a"), large("b")}, map[string]int{"a b": 10_000},
			[]string{"a: Discrepancies with b: 30002 more", "b: Discrepancies with a: 30002 more"}},
		"some leave it": {[]deployments.Environment{large("a"), large("b"), small("c")}, map[string]int{"a b": 9_916, "a c": 42, "b c": 42},
			[]string{"a: Discrepancies with b: 30086 more", "b: Discrepancies with a: 30086 more"}},
		"three of many": {[]deployments.Environment{large("a"), large("b"), large("c")}, map[string]int{"a b": 3333, "a c": 3333, "b c": 3334},
			[]string{
				"a: Discrepancies with b: 36669 more", "a: Discrepancies with c: 36669 more", "b: Discrepancies with a: 36669 more",
				"b: Discrepancies with c: 36668 more", "c: Discrepancies with a: 36669 more", "c: Discrepancies with b: 36668 more",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := deployments.NewFleet(test.environments, deployments.Rules{})
			got := map[string]int{}
			for i, d := range f.Discrepancies {
				pair := d.Left + " " + d.Right
				if got[pair]++; got[pair] <= 2 && d.Kind != deployments.MissingWorkload {
					t.Errorf("%d is %s", i, d.Text)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var unreadable []string
			for _, e := range f.Environments {
				for _, line := range e.Unreadable {
					short, _, _ := strings.Cut(line, " are not listed, because the list has at most 10000 of all environments. To see more")
					unreadable = append(unreadable, e.Name+": "+short)
				}
			}
			if diff := cmp.Diff(test.unreadable, unreadable); diff != "" {
				t.Errorf("unreadable (-want +got):\n%s", diff)
			}
		})
	}
}

// Each kind is found, in the order of the kinds, and has a text.
func TestDiscrepancyKinds(t *testing.T) {
	t.Parallel()
	other := pack("large", func(p *deployments.Package) { p.Sources[0].Ref, p.Version, p.Values["REGION"] = "v1", "2", "east" })
	f := deployments.NewFleet([]deployments.Environment{
		environment("dev", pack("large", func(p *deployments.Package) { p.Version = "1" }),
			deployments.Package{ClusterType: "large", DeploymentTarget: "web"}), environment("prod", other),
	}, deployments.Rules{})
	var found []deployments.DiscrepancyKind
	for _, d := range f.Discrepancies {
		found = append(found, d.Kind)
		if d.Text == "" {
			t.Errorf("%s has no text", d.Kind)
		}
	}
	want := []deployments.DiscrepancyKind{deployments.MissingWorkload, deployments.OtherSource, deployments.OtherVersion,
		deployments.OtherValue}
	if !slices.Equal(found, want) {
		t.Errorf("found %q of %q", found, want)
	}
}

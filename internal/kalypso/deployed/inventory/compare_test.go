// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// pack returns a package of the workload shop on a cluster type, with a change.
func pack(clusterType string, change func(p *inventory.Package)) inventory.Package {
	p := inventory.Package{
		ClusterType: clusterType, DeploymentTarget: "shop-live", Workload: "shop",
		Sources: []inventory.Source{{Kind: "GitRepository", Repo: "https://h/shop", Ref: "main", Path: "live"}},
		Values:  map[string]string{"REGION": "west"},
	}
	if change != nil {
		change(&p)
	}
	return p
}

func environment(name string, packages ...inventory.Package) inventory.Environment {
	return inventory.Environment{Name: name, Head: "1", Packages: packages}
}

// compared returns the rows of all pairs of some environments, one line each.
func compared(environments ...inventory.Environment) []string {
	var all []string
	for _, c := range inventory.NewFleet(environments, inventory.Rules{}).Comparisons {
		for _, r := range c.Rows {
			all = append(all, fmt.Sprintf("%s %s: %s@%s %s = %s | %s", c.Left, c.Right, r.Workload, r.ClusterType, r.What, r.Left, r.Right))
		}
	}
	return all
}

func TestCompare(t *testing.T) {
	t.Parallel()
	type packages = []inventory.Package
	version := func(version, build string) inventory.Package {
		return pack("large", func(p *inventory.Package) { p.Version, p.Build = version, build })
	}
	source := func(ref, path string) inventory.Package {
		return pack("large", func(p *inventory.Package) {
			p.DeploymentTarget, p.Sources[0].Ref, p.Sources[0].Path = "shop-"+path, ref, path
		})
	}
	value := func(value string) inventory.Package {
		return pack("large", func(p *inventory.Package) { p.Values = map[string]string{"REGION": value} })
	}
	for name, test := range map[string]struct {
		dev, prod packages
		want      []string
	}{
		"the same":               {packages{pack("large", nil)}, packages{pack("large", nil)}, nil},
		"on other cluster types": {packages{pack("large", nil)}, packages{pack("small", nil)}, nil},
		"missing there":          {packages{pack("large", nil), pack("small", nil)}, nil, []string{"shop@ workload = large, small | "}},
		"missing here":           {nil, packages{pack("large", nil)}, []string{"shop@ workload =  | large"}},
		"without a label it is the target": {packages{pack("large", func(p *inventory.Package) { p.Workload = "" })}, nil,
			[]string{"shop-live@ workload = large | "}},
		"another ref":      {packages{source("main", "live")}, packages{source("v1", "live")}, []string{"shop@ sources.ref = main | v1"}},
		"no ref":           {packages{source("main", "live")}, packages{source("", "live")}, []string{"shop@ sources.ref = main | "}},
		"another spelling": {packages{source("main", "./live/")}, packages{source("main", "live")}, nil},
		"one source more": {packages{source("main", "live"), source("main", "test")}, packages{source("main", "live")},
			[]string{"shop@ sources.path = test | "}},
		"no source known": {packages{pack("large", func(p *inventory.Package) { p.Sources = nil }), source("main", "test")},
			packages{source("main", "live")}, nil},
		"another version": {packages{version("1.4", "")}, packages{version("1.3", "")}, []string{"shop@ version = 1.4 | 1.3"}},
		"another build": {packages{version("1.4", "8")}, packages{version("1.4", "7")}, []string{"shop@ version = 1.4 " +
			"(build 8) | 1.4 (build 7)"}},
		"no version known":         {packages{version("1.4", "")}, packages{version("", "7")}, nil},
		"another value":            {packages{value("west")}, packages{value("east")}, []string{"shop@large values.REGION = west | east"}},
		"a value of several lines": {packages{value("a\nb\n")}, packages{value("")}, []string{`shop@large values.REGION = "a\nb\n" | ""`}},
		"a long value": {packages{value(strings.Repeat("é", 300))}, packages{value("x")},
			[]string{"shop@large values.REGION = " + strings.Repeat("é", 200) + "… | x"}},
		"no such value": {packages{value("west")}, packages{pack("large",
			func(p *inventory.Package) { p.Values = map[string]string{} })}, []string{"shop@large values.REGION = west | "}},
		"no values known": {packages{value("west")}, packages{pack("large", func(p *inventory.Package) { p.Values = nil })}, nil},
		"no values known of one target": {packages{value("west")}, packages{value("east"),
			pack("large", func(p *inventory.Package) { p.DeploymentTarget, p.Values = "shop-test", nil })}, nil},
		"values of several targets": {packages{value("west"), pack("large", func(p *inventory.Package) {
			p.DeploymentTarget, p.Values = "shop-test", map[string]string{"REGION": "north"}
		})}, packages{value("west")}, []string{"shop@large values.REGION = north | "}},
		"an unknown workload may be any": {packages{version("1.4", "")}, packages{{ClusterType: "large", DeploymentTarget: "x",
			Unreadable: []string{"namespace.yaml: not valid YAML"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := compared(environment("dev", test.dev...), environment("prod", test.prod...))
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], "dev prod: ")
			}
			if !slices.Equal(test.want, got) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(test.want, got))
			}
		})
	}
}

// Every pair of existing environments is compared, in the order of names, and missing workloads
// come first.
func TestComparePairs(t *testing.T) {
	t.Parallel()
	different := pack("large", func(p *inventory.Package) { p.Version, p.Values["REGION"] = "2", "east" })
	base := pack("large", func(p *inventory.Package) { p.Version = "1" })
	web := inventory.Package{ClusterType: "large", DeploymentTarget: "web"}
	got := compared(environment("b", different, web), environment("c"), inventory.Environment{Name: "d", Missing: inventory.NoBranch},
		inventory.Environment{Name: "e", Head: "1", Missing: inventory.NoFolder}, environment("a", base))
	want := []string{
		"a b: web@ workload =  | large", "a b: shop@ version = 1 | 2", "a b: shop@large values.REGION = west | east",
		"a c: shop@ workload = large | ", "b c: shop@ workload = large | ", "b c: web@ workload = large | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The order of environments and packages does not matter, an environment does not differ
// from itself, and both directions have the same result.
func TestCompareProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
		random := func(name string) inventory.Environment {
			e := environment(name)
			for _, clusterType := range []string{"large", "small"} {
				for _, target := range []string{"a", "b", "c"} {
					if r.IntN(3) == 0 {
						continue
					}
					p := inventory.Package{ClusterType: clusterType, DeploymentTarget: target, Workload: pick("", "shop", "web"),
						Version: pick("", "1", "2")}
					if r.IntN(4) > 0 {
						p.Sources = []inventory.Source{{Repo: pick("r", "s"), Ref: pick("", "main")}}
						p.Values = map[string]string{pick("A", "B"): pick("x", "y")}
					}
					e.Packages = append(e.Packages, p)
				}
			}
			return e
		}
		a, b := random("a"), random("b")
		want := inventory.NewFleet([]inventory.Environment{a, b}, inventory.Rules{})
		for _, e := range []*inventory.Environment{&a, &b} {
			e.Packages = slices.Clone(e.Packages)
			r.Shuffle(len(e.Packages), func(i, j int) { e.Packages[i], e.Packages[j] = e.Packages[j], e.Packages[i] })
		}
		if diff := cmp.Diff(want, inventory.NewFleet([]inventory.Environment{b, a}, inventory.Rules{})); diff != "" {
			t.Fatalf("seed %d, in another order (-want +got):\n%s", seed, diff)
		}
		twin := a
		twin.Name = "twin"
		if found := compared(a, twin); len(found) > 0 {
			t.Fatalf("seed %d: it differs from itself: %v", seed, found)
		}
		a.Name, b.Name = "b", "a"
		swapped := inventory.NewFleet([]inventory.Environment{a, b}, inventory.Rules{}).Comparisons[0].Rows
		for i, r := range swapped {
			swapped[i].Left, swapped[i].Right = r.Right, r.Left
		}
		if diff := cmp.Diff(want.Comparisons[0].Rows, swapped); diff != "" {
			t.Fatalf("seed %d, the other way round (-want +got):\n%s", seed, diff)
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// Environments are compared and sorted as chains say.
func TestRulesChains(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chains      [][]string
		order, want []string
	}{
		"none":       {nil, []string{"dev", "prod", "stage"}, []string{"dev prod", "dev stage", "prod stage"}},
		"a chain":    {[][]string{{"dev", "stage", "prod"}}, []string{"dev", "stage", "prod"}, []string{"dev stage", "stage prod"}},
		"two chains": {[][]string{{"stage", "prod"}, {"dev", "prod"}}, []string{"stage", "prod", "dev"}, []string{"stage prod", "prod dev"}},
		"one pair":   {[][]string{{"stage", "prod"}}, []string{"stage", "prod", "dev"}, []string{"stage prod"}},
		"nothing":    {[][]string{}, []string{"dev", "prod", "stage"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version := func(version string) deployments.Package {
				return pack("large", func(p *deployments.Package) { p.Version = version })
			}
			f := deployments.NewFleet([]deployments.Environment{
				environment("prod", version("1")), environment("stage", version("2")), environment("dev", version("3")),
			}, deployments.Rules{Chains: test.chains})
			var order, pairs []string
			for _, e := range f.Environments {
				order = append(order, e.Name)
			}
			for _, d := range f.Discrepancies {
				pairs = append(pairs, d.Left+" "+d.Right)
			}
			if diff := cmp.Diff([][]string{test.order, test.want}, [][]string{order, pairs}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A difference that a pattern names is not a discrepancy; all others stay discrepancies.
func TestRulesIgnore(t *testing.T) {
	t.Parallel()
	shop := func(change func(p *deployments.Package)) deployments.Environment {
		return environment("dev", pack("large", func(p *deployments.Package) {
			p.Version, p.Sources[0].Ref, p.Values = "2", "dev", map[string]string{"REGION": "west", "LOG_LEVEL": "debug"}
			change(p)
		}), deployments.Package{ClusterType: "large", DeploymentTarget: "canary-live"})
	}
	same := func(*deployments.Package) {}
	prod := environment("prod", pack("large", func(p *deployments.Package) {
		p.Version, p.Sources[0].Ref, p.Values = "1", "prod", map[string]string{"REGION": "west", "LOG_LEVEL": "info"}
	}))
	all := []string{"workload canary-live", "source shop", "version shop", "value LOG_LEVEL"}
	without := func(kinds ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(line string) bool {
			return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(line, kind) })
		})
	}
	for name, test := range map[string]struct {
		ignore []string
		dev    deployments.Environment
		want   []string
	}{
		"nothing":             {nil, shop(same), all},
		"a kind":              {[]string{"version"}, shop(same), without("version")},
		"a workload":          {[]string{"workload/canary-*"}, shop(same), without("workload")},
		"another workload":    {[]string{"workload/shop", "version/s", "source/web/branch"}, shop(same), all},
		"a key":               {[]string{"value/*/LOG_*"}, shop(same), without("value")},
		"branches":            {[]string{"source/*/branch"}, shop(same), without("source")},
		"branches, not paths": {[]string{"source/*/branch"}, shop(func(p *deployments.Package) { p.Sources[0].Path = "other" }), all},
		"branches, not tags":  {[]string{"source/*/branch"}, shop(func(p *deployments.Package) { p.Sources[0].Tag = true }), all},
		"branches, not ids": {[]string{"source/*/branch"}, shop(func(p *deployments.Package) { p.Sources[0].Ref = strings.Repeat("a", 40) }),
			all},
		"all of a source": {[]string{"source/shop/*", "source/shop/branch"},
			shop(func(p *deployments.Package) { p.Sources[0].Repo = "https://h/other" }), without("source")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range deployments.NewFleet([]deployments.Environment{test.dev, prod}, deployments.Rules{Ignore: test.ignore}).Discrepancies {
				what := d.Workload
				if d.Key != "" {
					what = d.Key
				}
				got = append(got, string(d.Kind)+" "+what)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A rule that ignores a part of one source does not affect other sources. It does not treat
// a ref that is not a branch as a branch.
func TestRulesIgnore_sources(t *testing.T) {
	t.Parallel()
	charts := deployments.Source{Kind: "HelmRepository", Repo: "https://h/charts"}
	for name, test := range map[string]struct {
		ignore      string
		left, right []deployments.Source
		differ      bool
	}{
		"nothing left of one": {"source/*/repo", []deployments.Source{charts, {Repo: "https://h/a", Ref: "main"}},
			[]deployments.Source{charts, {Repo: "https://h/a", Ref: "next"}}, true},
		"one more": {"source/*/repo", []deployments.Source{charts, {Repo: "https://h/a", Ref: "main"}},
			[]deployments.Source{{Repo: "https://h/a", Ref: "main"}}, true},
		"other repositories": {"source/*/repo", []deployments.Source{charts},
			[]deployments.Source{{Kind: "HelmRepository", Repo: "https://h/mirror"}}, false},
		"names of tags": {"source/*/branch", []deployments.Source{{Repo: "https://h/a", Ref: "refs/tags/v1"}},
			[]deployments.Source{{Repo: "https://h/a", Ref: "refs/tags/v2"}}, true},
		"names of branches": {"source/*/branch", []deployments.Source{{Repo: "https://h/a", Ref: "refs/heads/dev"}},
			[]deployments.Source{{Repo: "https://h/a", Ref: "main"}}, false},
		"versions of Argo CD": {"source/*/branch", []deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "v1.4.2"}},
			[]deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "v1.5.0"}}, true},
		"ranges of Argo CD": {"source/*/branch", []deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "~1.4"}},
			[]deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "2"}}, true},
		"branches of Argo CD": {"source/*/branch", []deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "HEAD"}},
			[]deployments.Source{{Kind: "Application", Repo: "https://h/a", Ref: "release-1.4"}}, false},
		"numbers as branches": {"source/*/branch", []deployments.Source{{Kind: "GitRepository", Repo: "https://h/a", Ref: "1.4"}},
			[]deployments.Source{{Kind: "GitRepository", Repo: "https://h/a", Ref: "1.5"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(name string, sources []deployments.Source) deployments.Environment {
				return environment(name, pack("large", func(p *deployments.Package) { p.Sources = sources }))
			}
			found := deployments.NewFleet([]deployments.Environment{of("dev", test.left), of("prod", test.right)},
				deployments.Rules{Ignore: []string{test.ignore}}).Discrepancies
			if len(found) > 0 != test.differ {
				t.Errorf("found %v", found)
			}
		})
	}
}

// A pattern that matches nothing in the compared environments is idle, whether they differ
// or not.
func TestRulesIdle(t *testing.T) {
	t.Parallel()
	of := func(name string, change func(p *deployments.Package)) deployments.Environment {
		return environment(name, pack("large", func(p *deployments.Package) {
			p.Values = map[string]string{"LOG_LEVEL": "info"}
			change(p)
		}))
	}
	same := func(*deployments.Package) {}
	all := []string{"value", "value/*/LOG_LEVEL", "value/shop/LOG_*", "value/shop/LOG_LEVL", "value/shpo/LOG_LEVEL", "source/*/branch",
		"source/shpo/branch", "workload/shop", "workload/shpo"}
	idle := []string{"value/shop/LOG_LEVL", "value/shpo/LOG_LEVEL", "source/shpo/branch", "workload/shpo"}
	for name, test := range map[string]struct {
		environments []deployments.Environment
		rules        deployments.Rules
		want         []string
	}{
		"two":           {[]deployments.Environment{of("dev", same), of("prod", same)}, deployments.Rules{}, idle},
		"one":           {[]deployments.Environment{of("dev", same)}, deployments.Rules{}, nil},
		"none compared": {[]deployments.Environment{of("dev", same), of("prod", same)}, deployments.Rules{Chains: [][]string{}}, nil},
		"one not compared": {[]deployments.Environment{of("dev", same), of("prod", same),
			of("stage", func(p *deployments.Package) { p.Workload = "shpo" })}, deployments.Rules{Chains: [][]string{{"dev", "prod"}}}, idle},
		"values not known": {[]deployments.Environment{of("dev", same), of("prod", func(p *deployments.Package) { p.Partial.Values = true })},
			deployments.Rules{}, []string{"value/shpo/LOG_LEVEL", "source/shpo/branch", "workload/shpo"}},
		"no branch": {[]deployments.Environment{of("dev", same), {Name: "prod", Missing: deployments.NoBranch}}, deployments.Rules{}, nil},
		"a file not read": {[]deployments.Environment{of("dev", same), {Name: "prod", Head: "a", Unreadable: []string{"x"}}},
			deployments.Rules{}, nil},
		"nothing in either": {[]deployments.Environment{{Name: "dev", Head: "a"}, {Name: "prod", Head: "b"}}, deployments.Rules{}, all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.rules.Ignore = all
			if diff := cmp.Diff(test.want, test.rules.Idle(test.environments)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"source": "", "source/*/branch": "", "source/shop/*": "", "value/shop/LOG_LEVEL": "", "workload/canary-*": "", "version/a?": "",
		"LOG_LEVEL": `"LOG_LEVEL" is not a kind`, "*": `"*" is not a kind`, "value//X": `"" is not valid`, "value/[": `"[" is not valid`,
		"source/*/tag": `a source has no "tag"`,
		"version/a/b":  "too many parts. Write version/<workload>", "value/a/b/c": "too many parts",
	} {
		err := deployments.CheckPattern(pattern)
		if got := err != nil; got != (want != "") || got && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

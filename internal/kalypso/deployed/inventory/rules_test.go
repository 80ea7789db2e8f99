// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
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
			version := func(version string) inventory.Package {
				return pack("large", func(p *inventory.Package) { p.Version = version })
			}
			f := inventory.NewFleet([]inventory.Environment{
				environment("prod", version("1")), environment("stage", version("2")), environment("dev", version("3")),
			}, inventory.Rules{Chains: test.chains})
			var order, pairs []string
			for _, e := range f.Environments {
				order = append(order, e.Name)
			}
			for _, c := range f.Comparisons {
				pairs = append(pairs, c.Left+" "+c.Right)
			}
			if diff := cmp.Diff([][]string{test.order, test.want}, [][]string{order, pairs}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A difference that a pattern matches is left out; all others stay.
func TestRulesIgnore(t *testing.T) {
	t.Parallel()
	shop := func(version, ref, level string) inventory.Package {
		return pack("large", func(p *inventory.Package) {
			p.Version, p.Sources[0].Ref, p.Values = version, ref, map[string]string{"REGION": "west", "LOG_LEVEL": level}
		})
	}
	dev := environment("dev", shop("2", "dev", "debug"), inventory.Package{ClusterType: "large", DeploymentTarget: "canary-live"})
	prod := environment("prod", shop("1", "prod", "info"))
	for ignore, want := range map[string]string{
		"none":                    "canary-live/workload shop/sources.ref shop/version shop/values.LOG_LEVEL",
		"canary-*":                "shop/sources.ref shop/version shop/values.LOG_LEVEL",
		"*/*/workload":            "shop/sources.ref shop/version shop/values.LOG_LEVEL",
		"shop/large":              "canary-live/workload shop/sources.ref shop/version",
		"*/*/values.LOG_*":        "canary-live/workload shop/sources.ref shop/version",
		"*/*/sources.*":           "canary-live/workload shop/version shop/values.LOG_LEVEL",
		"shop/*/version":          "canary-live/workload shop/sources.ref shop/values.LOG_LEVEL",
		"shop/small/values.*":     "canary-live/workload shop/sources.ref shop/version shop/values.LOG_LEVEL",
		"*":                       "",
		"canary-* shop/*/version": "shop/sources.ref shop/values.LOG_LEVEL",
	} {
		rules := inventory.Rules{Ignore: strings.Fields(ignore)}
		var got []string
		for _, r := range inventory.NewFleet([]inventory.Environment{dev, prod}, rules).Comparisons[0].Rows {
			got = append(got, r.Workload+"/"+r.What)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", ignore, got, want)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"shop": "", "*/*/values.LOG_LEVEL": "", "canary-*/edge": "", "a?/*/sources.ref": "",
		"shop//version": `"" is not valid`, "shop/[": `"[" is not valid`, "a/b/c/d": "too many parts",
	} {
		err := inventory.CheckPattern(pattern)
		if got := err != nil; got != (want != "") || got && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

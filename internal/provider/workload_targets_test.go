// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// checkouts is a workload as real ones are: one target name in two environments.
const checkouts = `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: { name: shop }
spec:
  deploymentTargets:
    - { name: checkout, environment: stage, labels: { tier: stage } }
    - { name: checkout, environment: dev, labels: { tier: dev } }
    - { name: reporting, environment: dev }
`

func workloadOfTwoEnvironmentsLifecycle() lifecycle {
	targets := []manifest.DeploymentTarget{
		{Name: "checkout", Environment: "dev", Labels: map[string]string{"tier": "dev"}},
		{Name: "checkout", Environment: "stage", Labels: map[string]string{"tier": "stage"}},
		{Name: "reporting", Environment: "dev"},
	}
	l := lifecycle{
		address:  "kalypso_workload.test",
		imported: checkouts,
		create: `resource "kalypso_workload" "test" {
  name = "shop"
  deployment_targets = {
    stage-checkout = { name = "checkout", environment = "stage", labels = { tier = "stage" } }
    dev-checkout   = { name = "checkout", environment = "dev", labels = { tier = "dev" } }
    reporting      = { environment = "dev" }
  }
}`,
		created: &manifest.Workload{Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"}, DeploymentTargets: targets},
		// The keys are the configuration's own business.
		update: `resource "kalypso_workload" "test" {
  name = "shop"
  deployment_targets = {
    a = { name = "reporting", environment = "dev" }
    b = { name = "checkout", environment = "stage", labels = { tier = "stage" } }
    c = { name = "checkout", environment = "dev", labels = { tier = "dev" } }
  }
}`,
	}
	l.updated = l.created
	return l
}

// Nothing is dropped by an import: what no configuration could say is an error.
func TestWorkload_oneNameInOneEnvironment(t *testing.T) {
	t.Parallel()
	planDirectly(t, "").imports("kalypso_workload", strings.Replace(checkouts, "stage, labels", "dev, labels", 1)).
		fails(t, `deployment_targets["dev-checkout"] and deployment_targets["dev-checkout-2"] are both called "checkout"`)
}

func TestDeploymentTargetModels_keys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60)
	for name, test := range map[string]struct {
		// targets are environment/name, keys what they become.
		targets, keys []string
	}{
		"names of their own":             {[]string{"dev/a", "dev/b"}, []string{"a", "b"}},
		"one name in two environments":   {[]string{"stage/a", "dev/a", "dev/b"}, []string{"b", "dev-a", "stage-a"}},
		"a key that is another's name":   {[]string{"dev/a", "stage/a", "qa/dev-a"}, []string{"dev-a", "dev-a-2", "stage-a"}},
		"a key that is taken twice":      {[]string{"dev/a", "stage/a", "qa/dev-a", "qa/dev-a-2"}, []string{"dev-a", "dev-a-2", "dev-a-3", "stage-a"}},
		"one key for two":                {[]string{"x-y/a", "x/y-a", "z/a", "z/y-a"}, []string{"x-y-a", "x-y-a-2", "z-a", "z-y-a"}},
		"one name in one environment":    {[]string{"dev/a", "dev/a"}, []string{"dev-a", "dev-a-2"}},
		"keys longer than labels may be": {[]string{"stage/" + long, "dev/" + long}, []string{"dev-" + long[:59], "stage-" + long[:57]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var targets []manifest.DeploymentTarget
			for _, target := range test.targets {
				environment, name, _ := strings.Cut(target, "/")
				targets = append(targets, manifest.DeploymentTarget{Name: name, Environment: environment})
			}
			if got := slices.Sorted(maps.Keys(deploymentTargetModels(targets))); !slices.Equal(got, test.keys) {
				t.Errorf("keys are %q, want %q", got, test.keys)
			}
		})
	}
}

// Whatever targets a workload has, in whatever order: imported and written again it
// has the same ones, by keys that are the same and may stand in a configuration.
func TestDeploymentTargetModels_loseNothing(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "dev-a", "dev-a-2", "x-y", strings.Repeat("n", 63)}
	environments := []string{"dev", "stage", "dev-a", "x"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := &manifest.Workload{Meta: manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"}}
		for i := range r.IntN(12) {
			w.DeploymentTargets = append(w.DeploymentTargets, manifest.DeploymentTarget{
				Name: names[r.IntN(len(names))], Environment: environments[r.IntN(len(environments))],
				Labels: map[string]string{"number": fmt.Sprint(i)},
			})
		}
		model := workloadModelOf(w)
		ignore := cmpopts.SortSlices(func(a, b manifest.DeploymentTarget) bool { return a.Labels["number"] < b.Labels["number"] })
		if diff := cmp.Diff(w, model.object(), ignore, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		for key := range model.DeploymentTargets {
			if faults := validation.IsDNS1123Label(key); len(faults) > 0 {
				t.Fatalf("seed %d: the key %q: %s", seed, key, faults)
			}
		}
		keys := slices.Sorted(maps.Keys(model.DeploymentTargets))
		if again := slices.Sorted(maps.Keys(workloadModelOf(model.object()).DeploymentTargets)); !slices.Equal(again, keys) {
			t.Fatalf("seed %d: the keys are %q, and the second time %q", seed, keys, again)
		}
	}
}

// The order of the targets in a document shows nowhere.
func TestDeploymentTargetModels_order(t *testing.T) {
	t.Parallel()
	targets := []manifest.DeploymentTarget{
		{Name: "a", Environment: "dev"}, {Name: "a", Environment: "stage"},
		{Name: "b", Environment: "dev"}, {Name: "dev-a", Environment: "qa"},
	}
	want := deploymentTargetModels(targets)
	for seed := range uint64(20) {
		shuffled := slices.Clone(targets)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got := deploymentTargetModels(shuffled)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
		if diff := cmp.Diff(targets, deploymentTargets(got)); diff != "" {
			t.Errorf("seed %d: the manifest's order (-want +got):\n%s", seed, diff)
		}
	}
}

func TestOneTargetPerName(t *testing.T) {
	t.Parallel()
	targets := func(all map[string][2]types.String) types.Map {
		object := types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType, "environment": types.StringType}}
		elements := map[string]attr.Value{}
		for key, t := range all {
			elements[key] = types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{"name": t[0], "environment": t[1]})
		}
		return types.MapValueMust(object, elements)
	}
	null, unknown, str := types.StringNull(), types.StringUnknown(), types.StringValue
	for name, test := range map[string]struct {
		targets map[string][2]types.String
		errors  int
	}{
		"two environments":     {map[string][2]types.String{"x": {str("a"), str("dev")}, "y": {str("a"), str("stage")}}, 0},
		"one environment":      {map[string][2]types.String{"x": {str("a"), str("dev")}, "y": {str("a"), str("dev")}}, 1},
		"a key and a name":     {map[string][2]types.String{"a": {null, str("dev")}, "y": {str("a"), str("dev")}}, 1},
		"three":                {map[string][2]types.String{"a": {null, str("dev")}, "x": {str("a"), str("dev")}, "y": {str("a"), str("dev")}}, 2},
		"unknown names":        {map[string][2]types.String{"a": {unknown, str("dev")}, "b": {unknown, str("dev")}}, 0},
		"unknown environments": {map[string][2]types.String{"x": {str("a"), unknown}, "y": {str("a"), unknown}}, 0},
		"no environments":      {map[string][2]types.String{"x": {str("a"), null}, "y": {str("a"), null}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp validator.MapResponse
			oneTargetPerName{}.ValidateMap(t.Context(), validator.MapRequest{Path: path.Root("deployment_targets"), ConfigValue: targets(test.targets)}, &resp)
			if got := resp.Diagnostics.ErrorsCount(); got != test.errors {
				t.Errorf("want %d errors, got %v", test.errors, resp.Diagnostics)
			}
		})
	}
}

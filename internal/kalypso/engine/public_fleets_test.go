// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// publicFolder has samples of public fleets, which internal/testkit/publicfleets writes.
const publicFolder = "testdata/public/"

// publicFleet computes a sample.
func publicFleet(t *testing.T, name string) *engine.Result {
	t.Helper()
	result, err := engine.Compute(t.Context(), engine.Input{Environment: "dev",
		Manifests: []manifest.Text{{Name: name, Text: read(t, publicFolder+name+".yaml")}}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// expected reads what the repositories of a sample say about the result.
func expected[T any](t *testing.T, name string) (want T) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, publicFolder+name+".want.json")), &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// platformConfig returns the data of the ConfigMap in a package.
func platformConfig(t *testing.T, result *engine.Result, clusterType, target string) map[string]string {
	t.Helper()
	var config struct{ Data map[string]string }
	unmarshal(t, files(result)[clusterType+"/"+target+"/platform-config.yaml"], &config)
	return config.Data
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// The policies of OpenShift's fleet select, by In, NotIn and DoesNotExist over 61 keys with slashes, what
// Kubernetes' own library selects.
func TestPublicFleet_selectors(t *testing.T) {
	t.Parallel()
	result := publicFleet(t, "selectors")
	keys, operators := map[string]bool{}, map[metav1.LabelSelectorOperator]bool{}
	want := map[string][]string{}
	for _, policy := range result.Fleet.Policies {
		for key := range policy.ClusterTypes.MatchLabels {
			keys[key] = strings.Contains(key, "/")
		}
		for _, e := range policy.ClusterTypes.MatchExpressions {
			keys[e.Key], operators[e.Operator] = strings.Contains(e.Key, "/"), true
		}
		selector, err := metav1.LabelSelectorAsSelector(&policy.ClusterTypes)
		if err != nil {
			t.Fatal(err)
		}
		for _, ct := range result.Fleet.ClusterTypes {
			if selector.Matches(labels.Set(ct.Labels)) {
				want[ct.Name] = append(want[ct.Name], policy.Name)
			}
		}
	}
	maps.DeleteFunc(keys, func(_ string, hasSlash bool) bool { return !hasSlash })
	if len(keys) < 60 || !operators["In"] || !operators["NotIn"] || !operators["DoesNotExist"] {
		t.Errorf("the sample has %d keys with slashes, and the operators %v", len(keys), operators)
	}
	got := map[string][]string{}
	for _, a := range result.Placement.Assignments {
		got[a.ClusterType.Name] = a.Policies
	}
	for _, policies := range want {
		slices.Sort(policies)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 3 {
		t.Errorf("policies by cluster type (-want +got):\n%s", diff)
	}
}

// Each cluster has the bundles that its overlay includes, its own patches over the common base, and no
// patch of another cluster.
func TestPublicFleet_overlays(t *testing.T) {
	t.Parallel()
	result := publicFleet(t, "overlays")
	configs := map[string]map[string]string{}
	for _, c := range result.Fleet.ConfigMaps {
		configs[c.Name] = c.Data
	}
	got := map[string][]string{}
	checked := 0
	for name := range result.Folders {
		got[name] = []string{}
	}
	for _, a := range result.Placement.Assignments {
		ct := a.ClusterType.Name
		got[ct] = append(got[ct], a.Target.FullName)
		composed := platformConfig(t, result, ct, a.Target.FullName)
		overlay := configs["overlay-of-"+ct]
		if diff := cmp.Diff(slices.Sorted(maps.Keys(merged(configs["base"], overlay))), slices.Sorted(maps.Keys(composed))); diff != "" {
			t.Fatalf("keys of %s (-want +got):\n%s", ct, diff)
		}
		for key, text := range composed {
			var value, base, patch any
			unmarshal(t, text, &value)
			unmarshal(t, configs["base"][key], &base)
			unmarshal(t, overlay[key], &patch)
			if want := patched(base, patch); !cmp.Equal(want, value, cmpopts.EquateEmpty()) {
				t.Errorf("%s, %s:\n%s", ct, key, cmp.Diff(want, value))
			}
			if base != nil && patch != nil {
				checked++
			}
		}
	}
	if diff := cmp.Diff(expected[map[string][]string](t, "overlays"), got); diff != "" {
		t.Errorf("bundles by cluster (-want +got):\n%s", diff)
	}
	if checked < 20 {
		t.Errorf("the sample has only %d values that a patch changes", checked)
	}
}

// merged returns the entries of both maps.
func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// patched returns a value with another one over it, by the rules of platform configuration.
func patched(base, patch any) any {
	switch over := patch.(type) {
	case nil:
		return base
	case []any:
		if under, ok := base.([]any); ok {
			return extended(under, over)
		}
	case map[string]any:
		if under, ok := base.(map[string]any); ok {
			all := maps.Clone(under)
			for key, value := range over {
				all[key] = patched(under[key], value)
			}
			return all
		}
	}
	return patch
}

// extended returns a list with the elements of another one. Maps of one name merge.
func extended(under, over []any) []any {
	all := slices.Clone(under)
	for _, element := range over {
		named, _ := element.(map[string]any)
		isKnown := false
		for i := range all {
			if before, ok := all[i].(map[string]any); ok && named["name"] != nil && before["name"] == named["name"] {
				all[i], isKnown = patched(before, element), true
			}
		}
		if !isKnown {
			all = append(all, element)
		}
	}
	return all
}

// Kalypso's own control plane gives the packages and the configuration that Kalypso wrote.
func TestPublicFleet_kalypso(t *testing.T) {
	t.Parallel()
	result := publicFleet(t, "kalypso")
	got := map[string]map[string]map[string]string{}
	for name := range result.Folders {
		got[name] = map[string]map[string]string{}
	}
	for _, a := range result.Placement.Assignments {
		got[a.ClusterType.Name][a.Target.FullName] = platformConfig(t, result, a.ClusterType.Name, a.Target.FullName)
	}
	if diff := cmp.Diff(expected[map[string]map[string]map[string]string](t, "kalypso"), got); diff != "" {
		t.Errorf("configuration by package (-want +got):\n%s", diff)
	}
}

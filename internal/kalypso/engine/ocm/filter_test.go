// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// The cases about taints are those of Open Cluster Management's own tests.
func TestTaints(t *testing.T) {
	t.Parallel()
	taints := func(effect string) string {
		return "spec: {taints: [{key: key1, value: value1, effect: " + effect + "}]}"
	}
	both := "spec: {taints: [{key: key1, value: value1, effect: NoSelect}, {key: key2, value: value2, effect: NoSelect}]}"
	for name, test := range map[string]struct {
		cluster, tolerations string
		decided, tolerated   bool
	}{
		"no toleration":                           {taints("NoSelect"), "", false, false},
		"equal":                                   {taints("NoSelect"), "{key: key1, value: value1, operator: Equal}", false, true},
		"equal without value":                     {taints("NoSelect"), "{key: key1, operator: Equal}", false, false},
		"another value":                           {taints("NoSelect"), "{key: key1, value: value2}", false, false},
		"another key":                             {taints("NoSelect"), "{key: key2, value: value1}", false, false},
		"exists":                                  {taints("NoSelect"), "{key: key1, operator: Exists}", false, true},
		"exists of all keys":                      {taints("NoSelect"), "{operator: Exists}", false, true},
		"exists of another key":                   {taints("NoSelect"), "{key: key2, operator: Exists}", false, false},
		"if new, not decided":                     {taints("NoSelectIfNew"), "", false, false},
		"if new, decided":                         {taints("NoSelectIfNew"), "", true, true},
		"if new, tolerated, not decided":          {taints("NoSelectIfNew"), "{key: key1, value: value1}", false, true},
		"if new, tolerated, decided":              {taints("NoSelectIfNew"), "{key: key1, value: value1}", true, true},
		"if new, another toleration, not decided": {taints("NoSelectIfNew"), "{key: key1, value: value2}", false, false},
		"if new, another toleration, decided":     {taints("NoSelectIfNew"), "{key: key1, value: value2}", true, true},
		"decided and not selected":                {taints("NoSelect"), "", true, false},
		"rather not, no toleration":               {taints("PreferNoSelect"), "", false, true},
		"rather not, tolerated":                   {taints("PreferNoSelect"), "{key: key1, value: value1}", false, true},
		"rather not, another toleration":          {taints("PreferNoSelect"), "{key: key2, value: value1}", false, true},
		"two taints, one tolerated":               {both, "{key: key1, operator: Exists}", false, false},
		"two taints, both tolerated":              {both, "{key: key1, value: value1}, {key: key2, operator: Exists}", false, true},
		"the effect":                              {taints("NoSelect"), "{key: key1, value: value1, effect: NoSelect}", false, true},
		"another effect": {taints("NoSelect"), "{key: key1, value: value1, effect: PreferNoSelect}", false,
			false},
		"if new, the effect": {taints("NoSelectIfNew"), "{key: key1, value: value1, effect: NoSelectIfNew}", false,
			true},
		"if new, another effect": {taints("NoSelectIfNew"), "{key: key1, value: value1, effect: NoSelect}", false,
			false},
		"if new, another effect, decided for this cluster": {taints("NoSelectIfNew"), "{key: key1, value: value1, effect: NoSelect}", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := []string{clusterTypes(1), managed("cluster1", test.cluster), placement("a", "{tolerations: ["+test.tolerations+"]}"),
				policy("p", "a", false)}
			if test.decided {
				texts = append(texts, decision("d", "a", "cluster1"))
			}
			f := newFleet(t, texts...)
			if got := chosen(f, decide(t, f), 0) == "cluster1"; got != test.tolerated {
				t.Errorf("tolerated: %t, want %t", got, test.tolerated)
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	fleet := clusterType("cluster1", "cloud: Amazon, cluster.open-cluster-management.io/clusterset: west") +
		clusterType("cluster2", "cloud: Azure") + clusterType("cluster3", "") +
		managed("cluster1", `status: {clusterClaims: [{name: region, value: us-east-1}]}`) +
		managed("cluster2", `status: {clusterClaims: [{name: region, value: us-east-1}]}`)
	for name, test := range map[string]struct{ spec, want string }{
		"nothing selects all": {"{}", "cluster1 cluster2 cluster3"},
		"a label":             {"{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {cloud: Amazon}}}}]}", "cluster1"},
		"a claim": {"{predicates: [{requiredClusterSelector: {claimSelector: {matchExpressions: [{key: region, operator: In, " +
			"values: [us-east-1]}]}}}]}", "cluster1 cluster2"},
		"label and claim": {"{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {cloud: Azure}}, claimSelector: " +
			"{matchExpressions: [{key: region, operator: In, values: [us-east-1]}]}}}]}", "cluster2"},
		"one or the other": {"{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {cloud: Amazon}}}}, " +
			"{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: cloud, operator: DoesNotExist}]}}}]}", "cluster1 cluster3"},
		"an empty predicate": {"{predicates: [{}]}", "cluster1 cluster2 cluster3"},
		"a set":              {"{clusterSets: [east, west]}", "cluster1"},
		"the set of all":     {"{clusterSets: [global]}", "cluster1 cluster2 cluster3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, fleet, placement("a", test.spec), policy("p", "a", false))
			if got := chosen(f, decide(t, f), 0); got != test.want {
				t.Errorf("chosen: %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnknownPlacements(t *testing.T) {
	t.Parallel()
	disabled := strings.Replace(placement("c", "{}"), "namespace: fleet",
		"annotations: {cluster.open-cluster-management.io/experimental-scheduling-disable: 'true'}", 1)
	for name, test := range map[string]struct{ text, want string }{
		"misspelled": {placement("edge", "{}") + policy("p", "edges", false), "(the nearest is edge)"},
		"none": {policy("p", "a", false),
			`contain neither a Placement nor a PlacementDecision of this name. Add the object, or correct the name.`},
		"decided by nobody": {disabled + policy("p", "c", false), "leaves the decision to another scheduler"},
		"decisions of two hubs": {decision("d", "a", "c1") + strings.Replace(decision("d", "a", "c2"), "fleet", "other", 1) +
			policy("p", "a", false), "in two namespaces, fleet and other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, clusterTypes(1), test.text)
			_, err := ocm.Decide(f, uses(f))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want one with %q", err, test.want)
			}
		})
	}
}

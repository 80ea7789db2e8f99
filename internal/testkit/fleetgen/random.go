// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns the manifests of a small fleet in which labels, selectors and
// configuration are drawn so that they often, and not always, match. One object
// in each manifest.
func Random(r *rand.Rand) []string {
	manifests := strings.Split(Block.templates+"---\n"+platformConfig, "---\n")
	for i := range 1 + r.IntN(5) {
		manifests = append(manifests, fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: ct-%d, labels: %s}
spec: {reconciler: flux, namespaceService: namespace%s}
`, i, randomLabels(r), pick(r, ", configType: configmap", "")))
	}
	for i := range 1 + r.IntN(4) {
		manifests = append(manifests, randomWorkload(r, i))
	}
	for i := range 1 + r.IntN(5) {
		manifests = append(manifests, fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: policy-%d}
spec:
  deploymentTargetSelector: {%slabelSelector: %s}
  clusterTypeSelector: {labelSelector: %s}
`, i, pick(r, "workspace: w1, ", "workspace: w2, ", ""), randomSelector(r), randomSelector(r)))
	}
	for i := range r.IntN(5) {
		manifests = append(manifests, fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: config-%d, labels: %s}
data: {%s: "%d", shared: "%d", list: "[{name: %s, v: %d}]"}
`, i, pick(r, `{platform-config: "true"}`, `{platform-config: "true", a: "1"}`, `{platform-config: "true", cluster-type: ct-0}`),
			pick(r, "X", "Z"), r.IntN(9), r.IntN(9), pick(r, "p", "q"), r.IntN(9)))
	}
	return manifests
}

func randomWorkload(r *rand.Rand, number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: app%d, labels: {workspace: %s}}
spec:
  deploymentTargets:
`, number, pick(r, "w1", "w2"))
	for i := range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "    - {name: t%d, environment: %s, labels: %s, manifests: {repo: r, branch: b, path: p}}\n",
			i, pick(r, Environment, Environment, "dev"), randomLabels(r))
	}
	return b.String()
}

func randomLabels(r *rand.Rand) string {
	var labels []string
	for _, key := range []string{"a", "b", "c"} {
		if r.IntN(2) == 0 {
			labels = append(labels, fmt.Sprintf("%s: %q", key, pick(r, "1", "2")))
		}
	}
	return "{" + strings.Join(labels, ", ") + "}"
}

func randomSelector(r *rand.Rand) string {
	key, value := pick(r, "a", "b", "c"), pick(r, "1", "2")
	return pick(r,
		"{}",
		fmt.Sprintf("{matchLabels: {%s: %q}}", key, value),
		fmt.Sprintf("{matchExpressions: [{key: %s, operator: In, values: [%q, %q]}]}", key, value, pick(r, "1", "3")),
		fmt.Sprintf("{matchExpressions: [{key: %s, operator: NotIn, values: [%q]}]}", key, value),
		fmt.Sprintf("{matchExpressions: [{key: %s, operator: Exists}]}", key),
		fmt.Sprintf("{matchExpressions: [{key: %s, operator: DoesNotExist}]}", key),
		fmt.Sprintf("{matchLabels: {%s: %q}, matchExpressions: [{key: %s, operator: Exists}]}", key, value, pick(r, "a", "b")),
	)
}

func pick(r *rand.Rand, choices ...string) string { return choices[r.IntN(len(choices))] }

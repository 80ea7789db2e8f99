// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package fleetgen makes fleets for tests and benchmarks, as manifests.
package fleetgen

import (
	"fmt"
	"strings"
)

// Environment is the environment of every generated deployment target.
const Environment = "prod"

// targetsPerPolicy deployment targets go on clusterTypesPerPolicy cluster types
// by each policy of a large fleet: a hundred assignments.
const (
	targetsPerPolicy      = 10
	clusterTypesPerPolicy = 10
	assignmentsPerPolicy  = targetsPerPolicy * clusterTypesPerPolicy
)

// Large is LargeOf the shape Block.
func Large(assignments int) []string { return LargeOf(Block, assignments) }

// LargeOf returns the manifests of a fleet with the templates of a shape that comes
// out as that number of assignments, rounded up to hundreds, with three files each:
// regions of ten cluster types, workloads of ten targets, a policy for each hundred,
// platform configuration at every level.
func LargeOf(shape Shape, assignments int) []string {
	policies := (assignments + assignmentsPerPolicy - 1) / assignmentsPerPolicy
	regions := min(policies, 10)
	manifests := []string{shape.templates, platformConfig}
	for region := range regions {
		manifests = append(manifests, largeRegion(region))
	}
	for policy := range policies {
		manifests = append(manifests, largeWorkload(policy, policy%regions))
	}
	return manifests
}

func largeRegion(region int) string {
	var b strings.Builder
	for i := range clusterTypesPerPolicy {
		fmt.Fprintf(&b, `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata:
  name: region%d-type%d
  labels: {region: "r%d", size: "%d"}
spec:
  reconciler: flux
  namespaceService: namespace
  configType: configmap
`, region, i, region, i)
	}
	fmt.Fprintf(&b, `---
apiVersion: v1
kind: ConfigMap
metadata:
  name: region%d
  labels: {platform-config: "true", region: "r%d"}
data:
  REGION: "region %d"
  DATABASE_URL: mysql://db.region%d.example:3306/apps
  tags: region%d,platform
`, region, region, region, region, region)
	return b.String()
}

func largeWorkload(number, region int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata:
  name: app-%d
  labels: {workspace: team-%d, family: blue}
spec:
  deploymentTargets:
`, number, number%50)
	for i := range targetsPerPolicy {
		fmt.Fprintf(&b, `    - name: t%d
      environment: %s
      labels: {app: "a%d", slot: "%d"}
      manifests: {repo: "https://git.example/app-%d", branch: main, path: "./t%d"}
`, i, Environment, number, i, number, i)
	}
	fmt.Fprintf(&b, `---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: policy-%d}
spec:
  deploymentTargetSelector:
    workspace: team-%d
    labelSelector: {matchLabels: {app: "a%d"}}
  clusterTypeSelector:
    labelSelector: {matchLabels: {region: "r%d"}}
`, number, number%50, number, region)
	return b.String()
}

// platformConfig is the configuration that applies everywhere, or to some sizes.
const platformConfig = `apiVersion: v1
kind: ConfigMap
metadata:
  name: all
  labels: {platform-config: "true"}
data:
  ENVIRONMENT: Production
  LOG_LEVEL: info
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: small
  labels: {platform-config: "true", size: "0"}
data:
  LOG_LEVEL: debug
`

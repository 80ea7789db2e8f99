// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// hubSays is what kubectl get … -o yaml prints of a hub that has decided on the cluster
// type small, with everything that the server adds.
const hubSays = `apiVersion: v1
items:
- apiVersion: cluster.open-cluster-management.io/v1beta1
  kind: PlacementDecision
  metadata:
    creationTimestamp: "2026-01-02T03:04:05Z"
    generation: 1
    labels:
      cluster.open-cluster-management.io/decision-group-index: "0"
      cluster.open-cluster-management.io/decision-group-name: canary
      cluster.open-cluster-management.io/placement: elsewhere
    managedFields:
    - apiVersion: cluster.open-cluster-management.io/v1beta1
      fieldsType: FieldsV1
      fieldsV1: {f:metadata: {f:labels: {.: {}}}}
      manager: placement
      operation: Update
      time: "2026-01-02T03:04:05Z"
    name: elsewhere-decision-1
    namespace: default
    ownerReferences:
    - {apiVersion: cluster.open-cluster-management.io/v1beta1, blockOwnerDeletion: true, controller: true, kind: Placement, name: elsewhere, uid: a79a}
    resourceVersion: "4211"
    uid: 9c03
  status:
    decisions:
    - {clusterName: small, reason: ""}
- apiVersion: cluster.open-cluster-management.io/v1
  kind: ManagedCluster
  metadata:
    annotations: {agent.open-cluster-management.io/klusterlet-config: "{}"}
    finalizers: [cluster.open-cluster-management.io/api-resource-cleanup]
    labels: {cluster.open-cluster-management.io/clusterset: default}
    name: large
    uid: 1f2e
  spec:
    hubAcceptsClient: true
    leaseDurationSeconds: 60
    managedClusterClientConfigs: [{url: https://large.example.com, caBundle: Y2E=}]
    taints: [{effect: NoSelect, key: cluster.open-cluster-management.io/unreachable, timeAdded: "2026-01-02T03:04:05Z"}]
  status:
    allocatable: {cpu: "4", memory: 15Gi}
    capacity: {cpu: "4", memory: 16Gi}
    clusterClaims: [{name: platform.open-cluster-management.io, value: Other}]
    conditions: [{lastTransitionTime: "2026-01-02T03:04:05Z", message: Accepted by hub, reason: HubClusterAdminAccepted, status: "True", type: HubAccepted}]
    version: {kubernetes: v1.31.0}
- apiVersion: cluster.open-cluster-management.io/v1alpha1
  kind: AddOnPlacementScore
  metadata: {name: load, namespace: large, resourceVersion: "7"}
  status:
    conditions: []
    scores: [{name: free, value: 40}]
- apiVersion: cluster.open-cluster-management.io/v1beta1
  kind: Placement
  metadata: {name: here, namespace: default, generation: 3}
  spec: {numberOfClusters: 1, spreadPolicy: {}, tolerations: [{operator: Exists}], prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {type: AddOn, addOn: {resourceName: load, scoreName: free}}}]}}
  status: {conditions: [], decisionGroups: [], numberOfSelectedClusters: 1}
kind: List
metadata: {resourceVersion: ""}
`

// placedFleet is a fleet of two cluster types, whose policies name a placement of hubSays each.
var placedFleet = strings.Join([]string{
	templatesYAML, clusterTypeYAML("small"), clusterTypeYAML("large"), workloadYAML("web"), workloadYAML("api"),
	decidedPolicy("web", "elsewhere"), decidedPolicy("api", "here"),
}, "---\n")

// decidedPolicy leaves the decision about one workload to a placement.
func decidedPolicy(workload, placement string) string {
	return fmt.Sprintf(`apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata:
  name: %[1]s
  annotations: {kalypso-gitops.io/placement: %[2]s}
spec: {deploymentTargetSelector: {labelSelector: {matchLabels: {for: %[1]s}}}, clusterTypeSelector: {labelSelector: {}}}
`, workload, placement)
}

// A fleet can contain the unchanged output of kubectl and of the kubernetes provider.
func TestAccPlacement_ofAHub(t *testing.T) {
	t.Parallel()
	fleet := strings.NewReplacer("name: web\n  labels: {type: app", "name: web\n  labels: {for: web", "name: api\n  labels: {type: app",
		"name: api\n  labels: {for: api").Replace(placedFleet)
	want := exactly("large/api-live small/web-live")
	const keys = `join(" ", keys(provider::kalypso::assignments(%s, "dev")))`
	testFunctionOn(t, fleet+"---\n"+hubSays, fmt.Sprintf(keys, "local.fleet"), want)
	testFunctionOn(t, fleet+"---\n"+hubSays, `provider::kalypso::assignments(local.fleet, "dev")["small/web-live"].decision_group`,
		knownvalue.ObjectExact(map[string]knownvalue.Check{
			"placement": exactly("elsewhere"), "name": exactly("canary"), "index": exactly("0"),
		}))

	// A data source has every field of a schema, most of them null.
	objects := `[for o in yamldecode(local.hub).items : yamlencode(merge(o, { metadata = merge({ annotations = null, deletionTimestamp = null, finalizers = null }, o.metadata) }))]`
	hub := fmt.Sprintf("locals {\n  hub = <<-EOT\n%s\nEOT\n}\n", hubSays)
	expression := fmt.Sprintf(keys, "concat(local.fleet, "+objects+")")
	inSteps(t, []resource.TestStep{{
		Config:            hub + functionHCL(fleet, expression),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("result", want)},
	}}...)

	// In a control plane it is one file more.
	repo := servers["http"](t)
	repo.commit(t, "dev", map[string]string{"fleet.yaml": fleet, "hub.yaml": hubSays})
	expectDirectly(t, providerFor(repo)+controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"", repo.url)),
		checkAssignments("large/api-live:", "small/web-live:"))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen

import "strings"

// EveryKind returns a valid object of each kind, of this name, by its kind. The names of two kinds
// are others: the DeploymentTarget is one of the workload b, and belongs to the workspace team-a.
func EveryKind(name string) map[string]string {
	all := map[string]string{}
	for _, text := range strings.Split(everyKind, "---\n") {
		kind, _, _ := strings.Cut(text[strings.Index(text, "kind: ")+len("kind: "):], "\n")
		all[kind] = strings.ReplaceAll(text, "NAME", name)
	}
	return all
}

const everyKind = `apiVersion: scheduler.kalypso.io/v1alpha1
kind: Environment
metadata: {name: NAME}
spec: {controlPlane: {repo: r, branch: dev}}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: BaseRepo
metadata: {name: NAME}
spec: {repo: "https://git.example/evil", branch: main}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: WorkloadRegistration
metadata: {name: NAME}
spec: {workload: {repo: "https://git.example/evil", branch: main}, workspace: team-b}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: NAME}
spec: {deploymentTargets: [{name: live, environment: dev}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: DeploymentTarget
metadata: {name: b-live, labels: {workload: b, workspace: team-a}}
spec: {environment: dev}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: NAME}
spec: {reconciler: r, namespaceService: ns}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: NAME}
spec: {type: reconciler, manifests: ["a: b"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: NAME}
spec: {deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ConfigSchema
metadata: {name: NAME}
spec: {schema: "{}"}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: GitOpsRepo
metadata: {name: NAME}
spec: {repo: r, branch: b, path: .}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME, labels: {platform-config: "true"}}
data: {ROLE: cluster-admin}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: NAME}
spec: {}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: NAME, labels: {cluster.open-cluster-management.io/placement: NAME}}
status: {decisions: []}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: NAME}
spec: {hubAcceptsClient: true}
---
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: AddOnPlacementScore
metadata: {name: NAME, namespace: large}
status: {scores: []}
`

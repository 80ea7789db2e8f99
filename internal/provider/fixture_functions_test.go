// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// functionFleet is a fleet for functions: web-live goes on edge; batch-nightly
// misses it by a label.
const functionFleet = `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: edge, labels: {tier: edge, gpu: "false"}}
spec: {reconciler: reconciler, namespaceService: namespace}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: reconciler}
spec: {type: reconciler, manifests: ["{apiVersion: v1, kind: ConfigMap, metadata: {name: {{ .DeploymentTargetName }}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: namespace}
spec: {type: namespace, manifests: ["{apiVersion: v1, kind: Namespace, metadata: {name: {{ .Namespace }}}}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: web, labels: {workspace: web-team}}
spec: {deploymentTargets: [{name: live, environment: prod}, {name: test, environment: dev}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: batch, labels: {workspace: batch-team}}
spec: {deploymentTargets: [{name: nightly, environment: prod}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: web}
spec:
  deploymentTargetSelector: {workspace: web-team}
  clusterTypeSelector: {labelSelector: {matchLabels: {tier: edge}}}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: batch}
spec:
  deploymentTargetSelector: {workspace: batch-team}
  clusterTypeSelector: {labelSelector: {matchLabels: {gpu: "true"}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: all, labels: {platform-config: "true"}}
data: {REGION: Earth, servers.yaml: "[{name: a, port: 80}]"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: edge, labels: {platform-config: "true", tier: edge}}
data: {REGION: Edge}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gpu, labels: {platform-config: "true", gpu: "true"}}
data: {CUDA: "12"}
`

// testFunction evaluates a call of the function on functionFleet with further arguments.
func testFunction(t *testing.T, call string, want knownvalue.Check) {
	t.Helper()
	testFunctionOn(t, functionFleet, "provider::kalypso::"+call, want)
}

// testFunctionOn evaluates an expression in which local.fleet is the fleet.
func testFunctionOn(t *testing.T, fleet, expression string, want knownvalue.Check) {
	t.Helper()
	expectDirectly(t, functionHCL(fleet, expression), statecheck.ExpectKnownOutputValue("result", want))
}

// functionHCL puts the result of an expression, in which local.fleet is the fleet, into an output.
func functionHCL(fleet, expression string) string {
	return fmt.Sprintf("locals {\n  fleet = [<<-EOT\n%s\nEOT\n  ]\n}\noutput \"result\" { value = %s }\n", fleet, expression)
}

// exactly is a check of a string, exactList of a list of strings.
func exactly(text string) knownvalue.Check { return knownvalue.StringExact(text) }

func exactList(texts ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(texts))
	for i, text := range texts {
		checks[i] = exactly(text)
	}
	return knownvalue.ListExact(checks)
}

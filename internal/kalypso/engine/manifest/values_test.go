// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"
)

func TestMissingAndInvalidValues(t *testing.T) {
	t.Parallel()
	requirement := func(text string) string {
		return kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  clusterTypeSelector: {}",
			"  deploymentTargetSelector:", "    labelSelector:", "      matchExpressions:", "      - "+text)
	}
	problemTests{
		"metadata": {kalypso("GitOpsRepo", "spec: {repo: r}"), found{"Missing field", "GitOpsRepo", "1", "metadata is missing or empty."}},
		"name": {kalypso("GitOpsRepo", "metadata: {}", "spec: {repo: r}"),
			found{"Missing field", "GitOpsRepo", "3", "metadata.name is missing or empty."}},
		"name that is empty": {
			kalypso("GitOpsRepo", "metadata:", "  name: ''", "spec: {repo: r}"),
			found{"Missing field", "GitOpsRepo", "4", "metadata.name is missing or empty."},
		},
		"spec": {kalypso("ClusterType", "metadata: {name: x}"), found{"Missing field", "ClusterType/x", "1", "spec is missing or empty."}},
		"null spec": {kalypso("Workload", "metadata: {name: x}", "spec:"), found{"Missing field", "Workload/x", "4",
			"spec is missing or empty."}},
		"reconciler": {
			kalypso("ClusterType", "metadata: {name: x}", "spec: {namespaceService: ns}"),
			found{"Missing field", "ClusterType/x", "4",
				"spec.reconciler is missing or empty. Set"},
		},
		"namespaceService": {
			kalypso("ClusterType", "metadata: {name: x}", "spec: {reconciler: r, namespaceService: }"),
			found{"Missing field", "ClusterType/x", "4", "spec.namespaceService is missing"},
		},
		"repo": {kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {branch: b}"),
			found{"Missing field", "GitOpsRepo/x", "4", "spec.repo is missing"}},
		"base repo": {kalypso("BaseRepo", "metadata: {name: x}", "spec: {branch: b}"),
			found{"Missing field", "BaseRepo/x", "4", "spec.repo is missing"}},
		"controlPlane": {kalypso("Environment", "metadata: {name: x}", "spec: {}"),
			found{"Missing field", "Environment/x", "4", "spec.controlPlane is missing"}},
		"repo of controlPlane": {
			kalypso("Environment", "metadata: {name: x}", "spec: {controlPlane: {path: p}}"),
			found{"Missing field", "Environment/x", "4", "spec.controlPlane.repo is missing"},
		},
		"workload of a registration": {
			kalypso("WorkloadRegistration", "metadata: {name: x}", "spec: {workspace: w}"),
			found{"Missing field", "WorkloadRegistration/x", "4", "spec.workload is missing"},
		},
		"environment of a target": {
			kalypso("Workload", "metadata: {name: x}", "spec:", "  deploymentTargets:", "  - name: a", "    environment: The Moon"),
			found{"Invalid name", "Workload/x", "7", "spec.deploymentTargets[0].environment is \"The Moon\", which cannot be a name"},
		},
		"name of a target": {
			kalypso("Workload", "metadata: {name: x}", "spec: {deploymentTargets: [{environment: e}]}"),
			found{"Missing field", "Workload/x", "4", "spec.deploymentTargets[0].name is missing"},
		},
		"type of a template": {
			kalypso("Template", "metadata: {name: x}", "spec: {manifests: []}"),
			found{"Missing field", "Template/x", "4", "spec.type is missing or empty. Set it to one of reconciler, namespace, config."},
		},
		"manifests of a template": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: config}"),
			found{"Missing field", "Template/x", "4", "spec.manifests is missing"},
		},
		"environment of a DeploymentTarget": {
			kalypso("DeploymentTarget", "metadata: {name: x, labels: {workload: w}}", "spec: {}"),
			found{"Missing field", "DeploymentTarget/x", "4", "spec.environment is missing or empty."},
		},
		"schema": {kalypso("ConfigSchema", "metadata: {name: x}", "spec: {}"),
			found{"Missing field", "ConfigSchema/x", "4", "spec.schema is missing"}},
		"selector of targets": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec: {clusterTypeSelector: {}}"),
			found{"Missing field", "SchedulingPolicy/x", "4", "spec.deploymentTargetSelector is missing"},
		},
		"selector of cluster types": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec: {deploymentTargetSelector: {}}"),
			found{"Missing field", "SchedulingPolicy/x", "4", "spec.clusterTypeSelector is missing"},
		},

		"name of a cluster type in capitals": {
			kalypso("ClusterType", "metadata: {name: A.b}", "spec: {reconciler: r, namespaceService: ns}"),
			found{"Invalid name", "ClusterType/A.b", "3", `metadata.name is "A.b", which cannot be a name`},
		},
		"name of a workload that is long": {
			kalypso("Workload", "metadata: {name: "+strings.Repeat("a", 254)+"}", "spec: {}"),
			found{"Invalid name", "Workload/" + strings.Repeat("a", 80) + "…", "3", "be no more than 253"},
		},
		"name of a template in capitals": {
			kalypso("Template", "metadata: {name: Flux}", "spec: {type: config, manifests: []}"),
			found{"Invalid name", "Template/Flux", "3", `metadata.name is "Flux", which cannot be a name: a lowercase RFC 1123 subdomain`},
		},
		"environment of a target in capitals": {
			kalypso("Workload", "metadata: {name: x}", "spec: {deploymentTargets: [{name: t, environment: Dev}]}"),
			found{"Invalid name", "Workload/x", "4", `spec.deploymentTargets[0].environment is "Dev", which cannot be a name: a lowercase RFC`},
		},
		"name of a target of any environment in capitals": {
			kalypso("Workload", "metadata: {name: x}", "spec: {deploymentTargets: [{name: Live, environment: other}]}"),
			found{"Invalid name", "Workload/x", "4", `spec.deploymentTargets[0].name is "Live", which cannot be a name: a lowercase RFC`},
		},
		"environment of a DeploymentTarget that leads elsewhere": {
			kalypso("DeploymentTarget", "metadata: {name: x, labels: {workload: w}}", "spec: {environment: ../dev}"),
			found{"Invalid name", "DeploymentTarget/x", "4", `spec.environment is "../dev", which cannot be a name: a lowercase RFC 1123 subdomain`},
		},
		"key of a ConfigMap": {
			"kind: ConfigMap\nmetadata: {name: x, labels: {platform-config: 'true'}}\ndata: {a/b: c}\n",
			found{"Invalid name", "ConfigMap/x", "3", `The key "a/b" in data cannot be`},
		},
		"label key": {
			kalypso("ClusterType", "metadata: {name: x, labels: {a b: c}}", "spec: {reconciler: r, namespaceService: ns}"),
			found{"Invalid label", "ClusterType/x", "3", `The key "a b" in metadata.labels cannot be a label`},
		},
		"label value": {
			kalypso("ClusterType", "metadata: {name: x, labels: {a: b c}}", "spec: {reconciler: r, namespaceService: ns}"),
			found{"Invalid label", "ClusterType/x", "3", `metadata.labels.a is "b c", which cannot be a label's value`},
		},
		"label of a selector": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  deploymentTargetSelector: {}", "  clusterTypeSelector: {labelSelector: "+
				"{matchLabels: {a: b c}}}"),
			found{"Invalid label", "SchedulingPolicy/x", "6", `spec.clusterTypeSelector.labelSelector.matchLabels.a is "b c"`},
		},
		"operator": {
			requirement("{key: a, operator: notin, values: [b]}"),
			found{"Unknown value", "SchedulingPolicy/x", "9",
				`matchExpressions[0].operator is "notin". Did you mean "NotIn"? Known values: In, NotIn, Exists, DoesNotExist.`},
		},
		"operator missing": {requirement("{key: a}"), found{"Missing field", "SchedulingPolicy/x", "9", "operator is missing or empty. " +
			"Set it to one of In, NotIn, Exists, DoesNotExist."}},
		"key missing": {requirement("{operator: Exists}"), found{"Missing field", "SchedulingPolicy/x", "9",
			"matchExpressions[0].key is missing"}},
		"operator without value": {requirement("{key: a, operator: In}"), found{"Invalid selector", "SchedulingPolicy/x", "9",
			"has the operator In and cannot be used: "}},
		"operator with value": {requirement("{key: a, operator: Exists, values: [b]}"),
			found{"Invalid selector", "SchedulingPolicy/x", "9", "Exists and DoesNotExist take"}},
		"key of a selector": {requirement("{key: a b, operator: Exists}"),
			found{"Invalid selector", "SchedulingPolicy/x", "9", "matchExpressions[0] has the operator Exists and cannot be used"}},
		"type": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: reconciller, manifests: []}"),
			found{"Unknown value", "Template/x", "4",
				`spec.type is "reconciller". Did you mean "reconciler"? Known values: reconciler, namespace, config.`},
		},
	}.run(t)
}

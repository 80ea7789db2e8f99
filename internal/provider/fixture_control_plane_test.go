// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
)

// controlPlaneHCL reads a control plane, places its manifests, and shows the assignments.
func controlPlaneHCL(attributes string) string {
	return fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  %s
}

output "assignments" {
  value = join(" ", [for key, a in provider::kalypso::assignments(data.kalypso_control_plane.dev.manifests,
  data.kalypso_control_plane.dev.environment) : "${key}:${a.workspace}"])
}
`, attributes)
}

// The objects of the fixtures.

func kalypsoObject(kind, name, labels, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: %s\nmetadata:\n  name: %s\n  labels: {%s}\nspec: %s\n", kind, name,
		labels, spec)
}

func baseRepoYAML(name string, s served, branch, path, commit string) string {
	return kalypsoObject("BaseRepo", name, "", fmt.Sprintf("{repo: %q, branch: %q, path: %q, commit: %q}", s.url, branch, path, commit))
}

func registrationYAML(name string, url, branch, path, workspace string) string {
	return kalypsoObject("WorkloadRegistration", name, "", fmt.Sprintf("{workload: {repo: %q, branch: %q, path: %q}, workspace: %q}", url,
		branch, path, workspace))
}

func workloadYAML(name string) string {
	return kalypsoObject("Workload", name, "type: app", "{deploymentTargets: [{name: live, environment: dev}, {name: later, environment: "+
		"prod}]}")
}

func clusterTypeYAML(name string) string {
	return kalypsoObject("ClusterType", name, "size: "+name, "{reconciler: reconciler, namespaceService: namespace}")
}

// templatesYAML are the templates that clusterTypeYAML names.
var templatesYAML = kalypsoObject("Template", "reconciler", "",
	`{type: reconciler, manifests: ["{kind: ConfigMap, apiVersion: v1, metadata: {name: {{ .DeploymentTargetName }}}}"]}`) +
	"---\n" + kalypsoObject("Template", "namespace", "",
	`{type: namespace, manifests: ["{kind: Namespace, apiVersion: v1, metadata: {name: {{ .Namespace }}}}"]}`)

func policyYAML(name, workspace, size string) string {
	return kalypsoObject("SchedulingPolicy", name, "", fmt.Sprintf(
		"{deploymentTargetSelector: {workspace: %q, labelSelector: {}}, clusterTypeSelector: {labelSelector: {matchLabels: {size: %s}}}}",
		workspace, size))
}

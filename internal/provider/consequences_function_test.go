// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// Flux delivers these packages, and the fleet of a main branch has another name for a namespace, or more.
func TestConsequencesFunction(t *testing.T) {
	t.Parallel()
	flux := strings.Replace(functionFleet, "{apiVersion: v1, kind: ConfigMap, metadata: {name: {{ .DeploymentTargetName }}}}", "{apiVersion: "+
		"kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: x, namespace: {{ .Namespace }}}}", 1)
	for call, want := range map[string][]string{
		`[local.fleet[0]], [local.fleet[0]], "prod"`: {},
		`[replace(local.fleet[0], "{name: {{ .Namespace }}}", "{name: x-{{ .Namespace }}}")], local.fleet, "prod"`: {
			"CHANGE_DELETES Template/namespace DELETES DATA on cluster type edge: Namespace x-prod-edge-web-live, with everything in it (template " +
				"namespace). Nothing brings it back."},
		`local.fleet, [replace(local.fleet[0], "workspace: web-team}\n  cl", "workspace: no-team}\n  cl")], "prod"`: {
			"CHANGE_DELETES DeploymentTarget/web-live DELETES DATA on cluster type edge: Namespace prod-edge-web-live, with everything in it " +
				"(removed: web-live). Nothing brings it back."},
		`local.fleet, [replace(local.fleet[0], "name: edge", "name: other")], "prod"`: {
			"CHANGE_DELETES DeploymentTarget/web-live DELETES DATA on cluster type edge: Namespace prod-edge-web-live, with everything in it " +
				"(moved to other without data: web-live). Nothing brings it back."},
		`[replace(local.fleet[0], "prod", "stage")], local.fleet, "prod"`: {}, // the environment is new
	} {
		testFunctionOn(t, flux, `[for c in provider::kalypso::consequences(`+call+`) : "${c.code} ${c.subject} ${c.message}"]`,
			exactList(want...))
	}
}

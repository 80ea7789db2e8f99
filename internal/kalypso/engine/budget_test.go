// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// If the packages of one workspace take too much work together, all of them fail, in whatever
// order several processors render them. The packages of another workspace are there.
func TestBudgetOfAWorkspace(t *testing.T) {
	t.Parallel()
	const clusterTypes = 400
	// Some two million steps, which take no time, in each package of the workspace loud. One more
	// of these packages fails for another reason.
	const work = `"name: {{ if eq .Workspace \"loud\" }}{{ trimAll (repeat 100000 \"x\") (repeat 100000 \"y\") | trunc 0 }}` +
		`{{ if eq .ClusterType \"edge-7\" }}{{ fail \"no\" }}{{ end }}{{ end }}"`
	text := strings.Replace(smallFleet, `"name: {{ .DeploymentTargetName }}"`, work, 1)
	for i := range clusterTypes {
		text += fmt.Sprintf("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterType\nmetadata: {name: edge-%d, labels: "+
			"{tier: edge}}\nspec: {reconciler: t, namespaceService: ns}\n", i)
	}
	text += "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: bomb, labels: {workspace: loud}}\n" +
		"spec: {deploymentTargets: [{name: live, environment: prod}]}\n"
	first := ""
	for range 20 {
		result, err := engine.Compute(t.Context(), input([]string{text}))
		if err == nil || result == nil {
			t.Fatalf("a result: %t, error %v", result != nil, err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first || strings.Contains(first, "\n") || !strings.Contains(first,
			"more than 500000000 steps, or write more than 512 MiB, in all packages of the workspace \"loud\" together") {
			t.Errorf("the error is %v, and the first was %v", err, first)
		}
		if n := len(result.Failures); n != clusterTypes+1 {
			t.Errorf("%d assignments fail", n)
		}
		for name, folder := range result.Folders {
			_, bomb := folder.Find("bomb-live")
			_, app := folder.Find("app-live")
			if bomb || app != strings.HasPrefix(name, "edge") {
				t.Errorf("%s has bomb-live: %t, app-live: %t", name, bomb, app)
			}
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// large is a fleet of 45 cluster types and 45 deployment targets. Its template renders a
// ConfigMap, whose data has the given name, and something else in the last place.
func large(t *testing.T, data, inLastPlace string) *engine.Result {
	t.Helper()
	const size = 45
	var texts strings.Builder
	fmt.Fprintf(&texts, `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: rec}
spec:
  type: reconciler
  manifests:
    - |
      {{- if and (eq .ClusterType "c44") (eq .DeploymentTargetName "web-t44") }}
      %s
      {{- else }}
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: {{ .DeploymentTargetName }}
        labels: {type: {{ .ClusterType }}}
      %s: {}
      {{- end }}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: ns}
spec: {type: namespace, manifests: ["{apiVersion: v1, kind: Namespace, metadata: {name: {{ .Namespace }}}}"]}
`, strings.ReplaceAll(inLastPlace, "\n", "\n      "), data)
	for i := range size {
		fmt.Fprintf(&texts, "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterType\nmetadata: {name: c%02d, labels: {a: b}}\nspec: "+
			"{reconciler: rec, namespaceService: ns}\n", i)
	}
	texts.WriteString("---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: web, labels: {workspace: " +
		"team}}\nspec:\n  deploymentTargets:\n")
	for i := range size {
		fmt.Fprintf(&texts, "    - {name: t%02d, environment: prod, labels: {a: b}}\n", i)
	}
	in := engine.Input{Environment: "prod", Manifests: []manifest.Text{
		{Name: "test", Text: texts.String()},
		{Name: "policy", Text: policy("all", "workspace: team", "labelSelector: {}")},
	}}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestFindLarge has a fault in a single file, which is not among those that are read of a
// large fleet.
func TestFindLarge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inLastPlace     string
		some, everyFile []string
	}{
		"a Secret": {"kind: 'Secret' # a\napiVersion: v1\nmetadata: {name: a}\nstringData: {a: b}", []string{findings.Credential},
			[]string{findings.Credential}},
		"an invalid one": {"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndta: {}", nil, []string{findings.ObjectInvalid}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := large(t, "data", test.inLastPlace)
			for everyFile, want := range map[bool][]string{false: test.some, true: test.everyFile} {
				var got []string
				for _, f := range findingsOf(t, result, everyFile) {
					got = append(got, f.Code)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("every file: %v, findings (-want +got):\n%s", everyFile, diff)
				}
			}
		})
	}
}

// TestFindLargeTellsOfTheSample has a fault in all files: the finding says how many were read.
func TestFindLargeTellsOfTheSample(t *testing.T) {
	t.Parallel()
	result := large(t, "dta", "# nothing")
	const read = "The fleet is large, so the provider has read only 89 of the template's 2025 files: fail_on = " +
		"[\"OBJECT_INVALID\"] makes it read all."
	for everyFile, want := range map[bool]bool{false: true, true: false} {
		found := withCode(findingsOf(t, result, everyFile), findings.ObjectInvalid)
		if len(found) != 1 || strings.Contains(found[0].Message, read) != want {
			t.Errorf("every file: %v, got %+v", everyFile, found)
		}
	}
}

func withCode(found []findings.Finding, code string) (of []findings.Finding) {
	for _, f := range found {
		if f.Code == code {
			of = append(of, f)
		}
	}
	return of
}

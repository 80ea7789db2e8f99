// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// from puts the first line of a source before a text.
func from(source, text string) string { return "# Source: " + source + ", line 1\n" + text }

// kalypso is an object of Kalypso.
func kalypso(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: %s\n", kind, name, spec)
}

// Objects in HCL beside a promoted source are reported, and only those.
func TestNotPromoted(t *testing.T) {
	t.Parallel()
	const id = "0a23456789012345678901234567890123456789"
	pinned := kalypso("BaseRepo", "main", "{repo: https://git.example/main, branch: main, commit: "+id+"}")
	app := kalypso("Workload", "app", "{deploymentTargets: [{name: live, environment: prod}]}")
	ofProd := []string{kalypso("Environment", "prod", "{controlPlane: {repo: https://git.example/main, branch: prod}}"), gitOpsRepo("prod"),
		ocm("v1", "ManagedCluster", "{name: edge}", "spec: {}"), pinned}
	extra := func(names ...string) (texts []string) {
		for _, name := range names {
			texts = append(texts, config(name, "", "A: b"))
		}
		return texts
	}
	platform := from("https://git.example/main#main:fleet.yaml", sound)
	for name, test := range map[string]struct {
		promoted string
		texts    []string
		want     string
	}{
		"a ConfigMap in HCL": {"", append(extra("extra"), platform, pinned), "does not have 1 object: ConfigMap/extra. "},
		"a workload in HCL":  {"", []string{app, platform, pinned}, "does not have 1 object: Workload/app. "},
		"many": {"", append(extra("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"), platform, pinned),
			"12 objects: ConfigMap/a, ConfigMap/b, ConfigMap/c and 9 more"},
		"a release":                  {id, append(extra("extra"), platform), "ConfigMap/extra"},
		"everything from the source": {"", []string{platform, from("https://git.example/main#prod:base.yaml", pinned)}, ""},
		"objects of the environment": {"", append(ofProd, platform), ""},
		"cluster types in HCL": {"", []string{kalypso("ClusterType", "new", "{reconciler: rec, namespaceService: ns}"), platform, pinned},
			""},
		"no promoted commit":          {"", append(extra("extra"), platform), ""},
		"a fleet in HCL at a version": {"v1.4.0", []string{sound, from("https://git.example/app#main:app.yaml", app)}, ""},
		"HCL and files at a version":  {"v1.4.0", append(extra("extra"), from("fleet/all.yaml", sound)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := engine.Input{Environment: "prod", PromotedCommit: test.promoted}
			for _, text := range test.texts {
				in.Manifests = append(in.Manifests, manifest.Text{Name: "test", Text: text})
			}
			result, err := engine.Compute(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.DeleteFunc(findingsOf(t, result), func(f findings.Finding) bool { return f.Code != findings.NotPromoted })
			if len(found) > 1 || (len(found) == 1) != (test.want != "") {
				t.Fatalf("found %v", found)
			}
			if test.want != "" && (!strings.Contains(found[0].Message, test.want) || found[0].Subject != "Environment/prod") {
				t.Errorf("found %v", found)
			}
		})
	}
}

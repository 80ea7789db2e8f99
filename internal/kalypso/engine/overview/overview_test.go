// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package overview_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/overview"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fleet is an environment of cluster types with one workload on all of them, and one
// workload that no policy places.
func fleet(clusterTypes int) engine.Input {
	var b strings.Builder
	b.WriteString(`
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: t}
spec: {type: reconciler, manifests: ["name: {{ .DeploymentTargetName }}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: ns}
spec: {type: namespace, manifests: ["ns: {{ .Namespace }}"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: shop, labels: {workspace: shop-team}}
spec: {deploymentTargets: [{name: live, environment: prod}, {name: test, environment: prod, labels: {idle: "true"}}, {name: dev, environment: dev}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: live}
spec:
  deploymentTargetSelector: {labelSelector: {matchExpressions: [{key: idle, operator: DoesNotExist}]}}
  clusterTypeSelector: {labelSelector: {matchLabels: {tier: cloud}}}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: spare}
spec: {reconciler: t, namespaceService: ns}
`)
	for i := range clusterTypes {
		fmt.Fprintf(&b, "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterType\nmetadata: {name: cloud-%02d, labels: {tier: cloud, "+
			"region: \"west_%d\"}}\nspec: {reconciler: t, namespaceService: ns}\n", i, i)
	}
	return engine.Input{Manifests: []manifest.Text{{Name: "fleet", Text: b.String()}}, Environment: "prod", Overview: "FLEET.md"}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, clusterTypes := range map[string]int{"fleet": 3, "many": 13, "more": 51, "nothing": 0} {
		result, err := engine.Compute(t.Context(), fleet(clusterTypes))
		if err != nil {
			t.Fatal(err)
		}
		got := string(result.Files()["FLEET.md"])
		golden := filepath.Join("testdata", name+".md")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var page bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(got), &page); err != nil {
			t.Fatal(err)
		}
		if rows := strings.Count(page.String(), "<tr>"); rows != 1+1+clusterTypes+min(2, 2*clusterTypes) {
			t.Errorf("%s: %d rows are shown", name, rows)
		}
	}
}

// The order of documents does not matter.
func TestOrder(t *testing.T) {
	t.Parallel()
	in := fleet(4)
	first, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	documents := strings.Split(in.Manifests[0].Text, "---\n")
	in.Manifests = nil
	for i := range documents {
		in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprint(i), Text: documents[len(documents)-1-i]})
	}
	second, err := engine.Compute(t.Context(), in)
	if err != nil || first.Overview.ID != second.Overview.ID {
		t.Errorf("error %v, and another overview:\n%s", err, second.Overview.Content)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"FLEET.md": "", "README.md": "", "what runs.md": "", "fleet.md": "",
		".md": "not the name of a Markdown file", "FLEET": "not the name of a Markdown file", "FLEET.yaml": "not the name of a Markdown file",
		"a/FLEET.md": "separator", "..": "leave its folder",
		"a\n.md": "control character", strings.Repeat("x", 300) + ".md": "longer than 255 bytes",
	} {
		if err := overview.CheckName(name); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	in := fleet(1)
	in.Manifests = append(in.Manifests, manifest.Text{Name: "more", Text: "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: " +
		"ClusterType\nmetadata: {name: fleet.md}\nspec: {reconciler: t, namespaceService: ns}\n"})
	for overview, want := range map[string]string{"FLEET.md": "the folder of the cluster type fleet.md would have the same path",
		"nothing": "not the name of a Markdown file", "README.md": ""} {
		in.Overview = overview
		if _, err := engine.Compute(t.Context(), in); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", overview, err)
		}
	}
}

// A list that is cut says so.
func TestManyUnassigned(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{500: "", 501: "- and 1 more\n"} {
		var targets strings.Builder
		for i := range n {
			fmt.Fprintf(&targets, "{name: t%d, environment: prod, labels: {idle: \"true\"}}, ", i)
		}
		in := fleet(1)
		in.Manifests[0].Text = strings.Replace(in.Manifests[0].Text, `{name: test, environment: prod, labels: {idle: "true"}}, `,
			targets.String(), 1)
		result, err := engine.Compute(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		text := string(result.Files()["FLEET.md"])
		if strings.Contains(text, "- and") != (want != "") || !strings.Contains(text, want) || strings.Count(text, "\n- `shop-t") != 500 {
			t.Errorf("of %d: %s", n, text)
		}
	}
}

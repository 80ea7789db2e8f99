// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Documents that are not Kubernetes objects are left out, and a warning names them: an
// application team keeps its chart in the folder of its registration.
func TestLoadLeavesOutWhatIsNoObject(t *testing.T) {
	t.Parallel()
	repo, app := gittest.NewBare(t), gittest.NewBare(t)
	files := map[string]string{
		"workload.yaml":     workload("app"),
		"chart/values.yaml": "# of the chart\nimage: {tag: v1}\nimage: {tag: v2}\nresources: {}\n",
		"chart/kind.yaml":   "kind: DaemonSet\nreplicas: 2\n",
		"chart/list.yaml":   "- a\n---\njust words\n",
		"chart/Chart.yaml":  "apiVersion: v1\nname: app\nversion: 1.0.0\n",
		"chart/more.yaml":   "metadata: {labels: {a: b}}\nimage: x\n",
		"other/job.yaml":    "apiVersion: batch/v1\nkind: Job\n",
	}
	head := commitAll(t, app, "main", files)
	commitAll(t, repo, "dev", map[string]string{"r.yaml": registration("a", app.FileURL(), "main", "", "team"), "c.yaml": clusterType("c"),
		"tools.yaml": "lint: true\n"})
	result := load(t, at(repo.FileURL()))
	if len(result.Manifests) != 3 || len(result.Warnings) != 1 {
		t.Fatalf("%q\n%v", result.Manifests, result.Warnings)
	}
	text := result.Warnings[0].Error()
	name := func(path string, line int) string {
		return fmt.Sprintf("%s#main:%s, commit %s, line %d", app.FileURL(), path, head[:12], line)
	}
	for _, want := range []string{
		"No Kubernetes objects: ", repo.FileURL() + "#dev:tools.yaml", name("chart/Chart.yaml", 1), name("chart/kind.yaml", 1) + ", " +
			name("chart/list.yaml", 1) + ", " + name("chart/list.yaml", 3) + ", " + name("chart/more.yaml", 1) + ", " + name("chart/values.yaml", 2),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(text, "job.yaml") {
		t.Errorf("another Kubernetes object is told of: %s", text)
	}
	files[".sourceignore"] = "chart/\n"
	commitAll(t, app, "main", files)
	commitAll(t, repo, "dev", map[string]string{".sourceignore": "tools.yaml\n", "tools.yaml": "lint: true\n"})
	if result := load(t, at(repo.FileURL())); len(result.Warnings) != 0 {
		t.Errorf("what is excluded is told of: %v", result.Warnings)
	}
}

// A document that is meant to be an object, but is not a valid one, is still an error.
func TestLoadRefusesObjectsWithMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"apiVersion: scheduler.kalypso.io/v1alpha1\nknid: ClusterType\n":         "document has no kind",
		"apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ClusterTipe\n":         `Did you mean "ClusterType"?`,
		"kind: ClusterTipe\nspec: {}\n":                                          `Did you mean "ClusterType"?`,
		"kind: ClusterType\nspec: {}\n":                                          "apiVersion is missing or empty",
		"metadata: {name: large}\nspec: {reconciler: a}\n":                       "document has no kind",
		"apiVersion: v1\nkind: List\nitems: [{name: large, reconciler: flux}]\n": "document has no kind",
		"apiVersion: v1\nmetadata: {name: large}\nData: {}\n":                    "document has no kind",
		"Kind: ConfigMap\nmetadata: {name: large}\nData: {}\n":                   "document has no kind",
		"Kind: Workload\nmetadata: {name: app}\n":                                "document has no kind",
		"a: [\n": "Invalid YAML",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			repo := gittest.NewBare(t)
			commitAll(t, repo, "dev", map[string]string{"c.yaml": clusterType("c"), "x.yaml": text})
			loadWant(t, at(repo.FileURL()), "#dev:x.yaml", want)
		})
	}
}

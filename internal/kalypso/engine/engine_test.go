// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// input names the manifests by their position.
func input(texts []string) engine.Input {
	in := engine.Input{Environment: fleetgen.Environment}
	for i, text := range texts {
		in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprintf("manifests[%d]", i), Text: text})
	}
	return in
}

// files returns every file of a result by its path.
func files(r *engine.Result) map[string]string {
	all := map[string]string{}
	for path, content := range r.Files() {
		all[path] = string(content)
	}
	return all
}

// What is computed ends with the context, wherever it is, and says so.
func TestComputeEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const schema = "---\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: contract}\nspec: {schema: '{}'}\n"
	endless := strings.Replace(smallFleet, "{{ .DeploymentTargetName }}", "{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}", 1)
	for name, fleet := range map[string]string{"rendering": endless, "checking": endless + schema} {
		result, err := engine.Compute(ctx, input([]string{fleet}))
		if result != nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the environment prod was not computed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

//
//go:embed testdata/small.yaml
var smallFleet string

// README.md of a cluster type names the placement that decided.
func TestComputeByPlacement(t *testing.T) {
	t.Parallel()
	fleet := strings.Replace(smallFleet, "metadata: {name: everything-on-edge}", "metadata: {name: everything-on-edge, annotations: "+
		"{kalypso-gitops.io/placement: one}}", 1) +
		"---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: one}\nspec: {numberOfClusters: 1}\n"
	result, err := engine.Compute(t.Context(), input([]string{fleet}))
	if err != nil {
		t.Fatal(err)
	}
	const want = "| Deployment target | Workspace | Namespace | Scheduling policies | Decided by |\n|---|---|---|---|---|\n" +
		"| [app-live](app-live) | team | prod-edge-app-live | everything-on-edge | placement one |\n"
	if got := files(result)["edge/README.md"]; !strings.HasSuffix(got, want) {
		t.Errorf("README.md is\n%s\nwant it to end in\n%s", got, want)
	}
}

func TestCompute(t *testing.T) {
	t.Parallel()
	result, err := engine.Compute(t.Context(), input([]string{smallFleet}))
	if err != nil {
		t.Fatal(err)
	}
	got := files(result)
	want := map[string]string{
		"edge/README.md": "<!-- written by terraform-provider-kalypso -->\n# edge\n\n" +
			"What environment prod assigns to this cluster type. Change it where the fleet is modelled: edits in this folder are undone.\n\n" +
			"| Deployment target | Workspace | Namespace | Scheduling policies |\n|---|---|---|---|\n" +
			"| [app-live](app-live) | team | prod-edge-app-live | everything-on-edge |\n",
		"edge/app-live/reconciler.yaml": "name: app-live",
		"edge/app-live/namespace.yaml":  "ns: prod-edge-app-live",
		"edge/app-live/platform-config.yaml": "apiVersion: v1\ndata:\n  REGION: Europe\nkind: ConfigMap\nmetadata:\n" +
			"  name: platform-config\n  namespace: prod-edge-app-live\n",
		"idle/README.md": "<!-- written by terraform-provider-kalypso -->\n# idle\n\nEnvironment prod assigns nothing to this cluster " +
			"type.\n",
		engine.PromotedCommitFile: "5523a85f37d12c0c7c10ab6616644db089fcd6f7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, readme := range []string{"edge/README.md", "idle/README.md"} {
		if !engine.IsClusterTypeReadme([]byte(got[readme])) {
			t.Errorf("%s does not mark its folder as ours", readme)
		}
	}
	if engine.IsClusterTypeReadme([]byte("# Docs\n")) {
		t.Error("a foreign README.md marks its folder as ours")
	}
}

// Kalypso has one name for both of these pairs, and stops.
func TestPairsWhoseNamesRunTogether(t *testing.T) {
	t.Parallel()
	const fleet = `
- {kind: ClusterType, metadata: {name: a, labels: {is: a}}, spec: {reconciler: t, namespaceService: ns}}
- {kind: ClusterType, metadata: {name: a-b, labels: {is: a-b}}, spec: {reconciler: t, namespaceService: ns}}
- {kind: Workload, metadata: {name: b-c, labels: {on: a}}, spec: {deploymentTargets: [{name: d, environment: prod}]}}
- {kind: Workload, metadata: {name: c, labels: {on: a-b}}, spec: {deploymentTargets: [{name: d, environment: prod}]}}
- {kind: SchedulingPolicy, metadata: {name: a}, spec: {deploymentTargetSelector: {labelSelector: {matchLabels: {on: a}}}, clusterTypeSelector: {labelSelector: {matchLabels: {is: a}}}}}
- {kind: SchedulingPolicy, metadata: {name: a-b}, spec: {deploymentTargetSelector: {labelSelector: {matchLabels: {on: a-b}}}, clusterTypeSelector: {labelSelector: {matchLabels: {is: a-b}}}}}
- {kind: Template, metadata: {name: t}, spec: {type: reconciler, manifests: ["r"]}}
- {kind: Template, metadata: {name: ns}, spec: {type: namespace, manifests: ["{{ .Namespace }}"]}}`
	items := strings.ReplaceAll(fleet, "- {", "- {apiVersion: "+manifest.APIVersion+", ")
	result, err := engine.Compute(t.Context(), engine.Input{Environment: "prod",
		Manifests: []manifest.Text{{Text: "apiVersion: v1\nkind: List\nitems:" + items}}})
	if err != nil {
		t.Fatal(err)
	}
	got := files(result)
	for _, file := range []string{"a/b-c-d/namespace.yaml", "a-b/c-d/namespace.yaml"} {
		if got[file] != "prod-a-b-c-d" {
			t.Errorf("%s is %q, want prod-a-b-c-d", file, got[file])
		}
	}
}

func TestComputePlaceOnly(t *testing.T) {
	t.Parallel()
	in := input([]string{smallFleet})
	in.PlaceOnly = true
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Placement.Assignments) != 1 || result.Folders != nil {
		t.Errorf("want one assignment and no folders, got %d and %d", len(result.Placement.Assignments), len(result.Folders))
	}
}

// brokenNote stands for a broken file of another team.
var brokenNote = (&manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: "x.yaml"},
	Problems: problem.List{{Summary: "Invalid YAML", Where: "x.yaml, line 3", Detail: "Fix it."}}}).Text()

// A broken file of another team is an error for all who ask, and the rest has a result.
func TestComputeBesideABrokenFile(t *testing.T) {
	t.Parallel()
	for _, placeOnly := range []bool{false, true} {
		in := input([]string{smallFleet, brokenNote})
		in.PlaceOnly = placeOnly
		result, err := engine.Compute(t.Context(), in)
		if err == nil || err.Error() != "Invalid YAML (x.yaml, line 3): Fix it." {
			t.Errorf("place only %t: %v", placeOnly, err)
		}
		if result == nil || len(result.Placement.Assignments) != 1 || len(result.Folders) == 0 != placeOnly {
			t.Errorf("place only %t: %v", placeOnly, result)
		}
	}
	in := input([]string{smallFleet, brokenNote})
	_, err := engine.Explain(in.Manifests, in.Environment, "app-live", "edge")
	if err == nil || !strings.Contains(err.Error(), "x.yaml, line 3") {
		t.Errorf("Explain: %v", err)
	}
}

func TestComputeReportsEveryProblem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(string) string
		want   []string
	}{
		"fields": {
			func(s string) string { return strings.ReplaceAll(s, "{labelSelector", "{labelSelectors") },
			[]string{"labelSelectors", "labelSelectors"},
		},
		"references and templates": {
			func(s string) string {
				return strings.NewReplacer("reconciler: t", "reconciler: tt", "{{ .Namespace }}", "{{ .Namespace").Replace(s)
			},
			[]string{"Template/ns", "ClusterType/edge"},
		},
		"duplicates": {
			func(s string) string { return s + "---" + s },
			[]string{"BaseRepo/main", "ClusterType/edge", "ClusterType/idle", "ConfigMap/config", "SchedulingPolicy/everything-on-edge",
				"Template/ns", "Template/t", "Workload/app"},
		},
		"rendering": {
			func(s string) string { return strings.Replace(s, "{{ .Namespace }}", "{{ .ConfigData.MISSING }}", 1) },
			[]string{"edge/app-live"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Compute(t.Context(), input([]string{test.change(smallFleet)}))
			var problems problem.List
			if !errors.As(err, &problems) {
				t.Fatalf("want problems, got %v", err)
			}
			for i, want := range test.want {
				if i >= len(problems) || !strings.Contains(problems[i].Error(), want) {
					t.Errorf("problem %d does not mention %q:\n%v", i, want, problems)
				}
			}
		})
	}
}

// TestComputeIsDeterministic shuffles the documents of random fleets, and
// computes each 4 times at once.
func TestComputeIsDeterministic(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		texts := fleetgen.Random(r)
		first, err := engine.Compute(t.Context(), input(texts))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := files(first)
		var group sync.WaitGroup
		for range 4 {
			shuffled := make([]string, len(texts))
			for i, j := range r.Perm(len(texts)) {
				shuffled[i] = texts[j]
			}
			group.Go(func() {
				again, err := engine.Compute(t.Context(), input(shuffled))
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				if diff := cmp.Diff(want, files(again)); diff != "" {
					t.Errorf("seed %d: the files differ (-first +again):\n%s", seed, diff)
				}
			})
		}
		group.Wait()
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	before := engine.Digests{"large/a": "1", "large/b": "1", "large/README.md": "1", "small/a": "1"}
	for name, test := range map[string]struct {
		after  engine.Digests
		detail engine.Detail
		want   string
	}{
		"everything": {engine.Digests{"large/a": "2", "large/README.md": "2", "small/a": "1", "edge/c": "1"}, engine.DetailPackage,
			"+1 ~1 -1 packages in 2 cluster types"},
		"one": {engine.Digests{"large/a": "1", "large/b": "1", "large/README.md": "1", "small/a": "2"}, engine.DetailPackage,
			"+0 ~1 -0 packages in 1 cluster type"},
		"beside": {engine.Digests{"large/a": "1", "large/b": "1", "large/README.md": "2", "small/a": "1"}, engine.DetailPackage,
			"no package changes; +0 ~1 -0 other files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := before.Summary(test.after, test.detail); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	byClusterType := engine.Digests{"large": "1", "small": "1"}
	if got := (engine.Digests{}).Summary(engine.Digests{"large.md": "1"}, engine.DetailClusterType); got != "+1 ~0 -0 cluster types" {
		t.Errorf("a cluster type that is called as a file: %s", got)
	}
	if got := byClusterType.Summary(engine.Digests{"large": "2"}, engine.DetailClusterType); got != "+0 ~1 -1 cluster types" {
		t.Errorf("got %q", got)
	}
}

// A first line with the origin of a manifest changes only messages.
func TestComputeIgnoresOrigin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		texts := fleetgen.Random(rand.New(rand.NewPCG(seed, 2)))
		plain, err := engine.Compute(t.Context(), input(texts))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range texts {
			texts[i] = fmt.Sprintf("# Source: https://git.example/fleet#dev:%d.yaml\n%s", i, texts[i])
		}
		named, err := engine.Compute(t.Context(), input(texts))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(files(plain), files(named)); diff != "" {
			t.Errorf("seed %d: the files differ (-plain +named):\n%s", seed, diff)
		}
	}
	_, err := engine.Compute(t.Context(), input([]string{"# Source: https://git.example/fleet#dev:a.yaml\n\nkind: Elephant\n"}))
	if want := "(https://git.example/fleet#dev:a.yaml:2, manifests[0])"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error lacks %q: %v", want, err)
	}
}

// foundIn returns the findings about a result.
func foundIn(t testing.TB, result *engine.Result) []findings.Finding {
	t.Helper()
	found, err := result.Findings(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

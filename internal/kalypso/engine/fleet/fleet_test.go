// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
)

// object writes a document of Kalypso's, in flow style.
func object(kind manifest.Kind, metadata, spec string) string {
	return "{apiVersion: " + manifest.APIVersion + ", kind: " + string(kind) + ", metadata: {" + metadata + "}, spec: {" + spec + "}}\n"
}

func template(name string) string {
	return object(manifest.KindTemplate, "name: "+name, "type: reconciler, manifests: [a]")
}

func workload(name, labels, targets string) string {
	return object(manifest.KindWorkload, "name: "+name+", labels: {"+labels+"}", "deploymentTargets: ["+targets+"]")
}

func registration(name, workspace string) string {
	return object(manifest.KindWorkloadRegistration, "name: "+name, "workload: {repo: r}, workspace: "+workspace)
}

// build makes the fleet of environment dev from documents, each an input of its own.
func build(t *testing.T, documents ...string) (*fleet.Fleet, error) {
	t.Helper()
	var inputs []manifest.Text
	for i, d := range documents {
		inputs = append(inputs, manifest.Text{Name: "manifests[" + string(rune('0'+i)) + "]", Text: d})
	}
	objects, err := manifest.Decode(inputs)
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	f, err := fleet.New(objects, "dev")
	if err != nil {
		return nil, err
	}
	return f.Used(f.ClusterTypes)
}

func mustBuild(t *testing.T, documents ...string) *fleet.Fleet {
	t.Helper()
	f, err := build(t, documents...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return f
}

// The problems of each fleet of testdata/mistaken.yaml are in testdata/problems.txt. -update writes the latter. A line
// in a fleet begins the next of its manifests.
func TestProblems(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/mistaken.yaml", "testdata/problems.txt", func(text string) string {
		_, err := build(t, strings.Split(text, "--- next manifest\n")...)
		if err == nil {
			return ""
		}
		return err.Error() + "\n"
	})
}

func TestEveryKindIsCheckedForDuplicates(t *testing.T) {
	t.Parallel()
	documents := map[manifest.Kind]string{
		manifest.KindEnvironment:          object(manifest.KindEnvironment, "name: x", "controlPlane: {repo: r}"),
		manifest.KindBaseRepo:             object(manifest.KindBaseRepo, "name: x", "repo: r"),
		manifest.KindWorkloadRegistration: registration("x", "w"),
		manifest.KindWorkload:             workload("x", "", ""),
		manifest.KindDeploymentTarget:     deploymentTarget("x", "workload: w", "environment: x"),
		manifest.KindClusterType:          object(manifest.KindClusterType, "name: x", "reconciler: x, namespaceService: x"),
		manifest.KindTemplate:             template("x"),
		manifest.KindSchedulingPolicy: object(manifest.KindSchedulingPolicy, "name: x", "deploymentTargetSelector: {}, clusterTypeSelector: "+
			"{}"),
		manifest.KindConfigSchema: object(manifest.KindConfigSchema, "name: x", "schema: '{}'"),
		manifest.KindGitOpsRepo:   object(manifest.KindGitOpsRepo, "name: x", "repo: r"),
		manifest.KindConfigMap:    "{kind: ConfigMap, metadata: {name: x, labels: {platform-config: 'true'}}}",
	}
	for kind, document := range documents {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			_, err := build(t, document, document)
			if err == nil || !strings.Contains(err.Error(), "Duplicate object in "+string(kind)+"/x") ||
				!strings.Contains(err.Error(), "/x (manifests[1], line 1)") {
				t.Errorf("New gave %v", err)
			}
		})
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	f := mustBuild(t,
		object(manifest.KindWorkload, "name: web, labels: {workspace: web-team, purpose: all, workload: pretended}", `
			configSchemas: [all],
			deploymentTargets: [
				{name: test, environment: dev, labels: {purpose: test, edge: 'true', workspace: pretended}, manifests: {repo: r}, configSchemas: [own]},
				{name: live, environment: prod},
				{name: bare, environment: dev},
				{name: other, environment: dev-2}]`),
		workload("api", "", "{name: x}"),
	)
	want := []*fleet.Target{
		{
			FullName: "api-x", Name: "x", Workload: "api",
			Labels: map[string]string{"workload": "api", "workspace": ""},
			Owner:  "Workload/api",
			Source: manifest.Origin{Name: "manifests[1]", Line: 1},
		},
		{
			FullName: "web-bare", Name: "bare", Workload: "web", Workspace: "web-team",
			Labels:        map[string]string{"purpose": "all", "workload": "web", "workspace": "web-team"},
			ConfigSchemas: []string{"all"},
			Owner:         "Workload/web",
			Source:        manifest.Origin{Name: "manifests[0]", Line: 6},
		},
		{
			FullName: "web-test", Name: "test", Workload: "web", Workspace: "web-team",
			Labels:        map[string]string{"purpose": "all", "edge": "true", "workload": "web", "workspace": "web-team"},
			Manifests:     map[string]string{"repo": "r"},
			ConfigSchemas: []string{"own", "all"},
			Owner:         "Workload/web",
			Source:        manifest.Origin{Name: "manifests[0]", Line: 4},
		},
	}
	if diff := cmp.Diff(want, f.Targets, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	elsewhere := map[string][]string{"web-live": {"prod"}, "web-other": {"dev-2"}}
	if diff := cmp.Diff(elsewhere, f.Elsewhere); diff != "" {
		t.Errorf("targets elsewhere (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"dev", "dev-2", "prod"}, f.Environments); diff != "" {
		t.Errorf("environments (-want +got):\n%s", diff)
	}
	if got, found := f.Target("web-test"); !found || got != f.Targets[2] {
		t.Errorf("web-test is %v", got)
	}
	if got, found := f.Target("web-live"); found {
		t.Errorf("web-live of another environment is found: %v", got)
	}
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	const delivered = "kustomize.toolkit.fluxcd.io/name: reg"
	tests := map[string]struct{ labels, want string }{
		"of the workload's label":                    {"workspace: own", "own"},
		"of the registration that delivered it":      {delivered, "team"},
		"of the registration as Kalypso names it":    {"kustomize.toolkit.fluxcd.io/name: dev-reg", "team"},
		"of the registration rather than the label":  {delivered + ", workspace: own", "team"},
		"of the registration, after its workspace":   {"kustomize.toolkit.fluxcd.io/name: dev-my-team-my-reg", "my-team"},
		"of the registration of that full name":      {"kustomize.toolkit.fluxcd.io/name: dev-team-reg", "exact"},
		"not of one of another workspace":            {"kustomize.toolkit.fluxcd.io/name: dev-other-reg, workspace: own", "own"},
		"nor of one of another environment":          {"kustomize.toolkit.fluxcd.io/name: prod-my-team-my-reg, workspace: own", "own"},
		"of the label where no registration is left": {"kustomize.toolkit.fluxcd.io/name: gone, workspace: own", "own"},
		"of nobody": {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustBuild(t, registration("reg", "team"), registration("team-reg", "exact"), registration("my-reg", "my-team"),
				registration("web", "of-the-same-name"), workload("web", test.labels, "{name: x, environment: dev}"))
			if got := f.Targets[0].Workspace; got != test.want {
				t.Errorf("the workspace is %q, want %q", got, test.want)
			}
			if got := f.Targets[0].Labels[manifest.LabelWorkspace]; got != test.want {
				t.Errorf("the label workspace is %q, want %q", got, test.want)
			}
		})
	}
}

func TestPromotedCommit(t *testing.T) {
	t.Parallel()
	base := func(name, commit string) string {
		return object(manifest.KindBaseRepo, "name: "+name, "repo: r, commit: "+commit)
	}
	for name, test := range map[string]struct {
		documents []string
		want      string
	}{
		"of main":   {[]string{base("global", "aaaaaaa"), base("main", "bbbbbbb"), base("zone", "ccccccc")}, "bbbbbbb"},
		"not known": {[]string{base("main", "''")}, ""},
		"no main":   {[]string{base("global", "aaaaaaa")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := mustBuild(t, test.documents...).PromotedCommit; got != test.want {
				t.Errorf("the commit is %q, want %q", got, test.want)
			}
		})
	}
}

func TestOrderOfDocumentsDoesNotMatter(t *testing.T) {
	t.Parallel()
	documents := []string{
		template("b"), template("a"), template("missing-nothing"),
		registration("two", "team"), registration("one", "other"),
		workload("web", "workspace: w", "{name: x, environment: dev}, {name: a, environment: dev}"),
		workload("web-x", "kustomize.toolkit.fluxcd.io/name: two", "{name: b, environment: dev}, {name: c, environment: prod}"),
		object(manifest.KindClusterType, "name: small", "reconciler: a, namespaceService: b"),
		object(manifest.KindClusterType, "name: large", "reconciler: b, namespaceService: a, configType: a"),
		object(manifest.KindSchedulingPolicy, "name: q", "deploymentTargetSelector: {}, clusterTypeSelector: {}"),
		object(manifest.KindSchedulingPolicy, "name: p", "deploymentTargetSelector: {}, clusterTypeSelector: {}"),
		object(manifest.KindConfigSchema, "name: s", "schema: '{}'"),
		object(manifest.KindBaseRepo, "name: main", "repo: r, commit: abcdef0"),
		object(manifest.KindGitOpsRepo, "name: dev", "repo: r"),
		"{kind: ConfigMap, metadata: {name: c, labels: {platform-config: 'true'}}}\n",
		"{kind: ConfigMap, metadata: {name: azure-app-config}}\n",
	}
	text := func(documents []string) string { return strings.Join(documents, "---\n") }
	want := mustBuild(t, text(documents))
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		if diff := cmp.Diff(want, mustBuild(t, text(documents)), cmpopts.IgnoreTypes(manifest.Origin{}),
			cmpopts.IgnoreUnexported(fleet.Fleet{})); diff != "" {
			t.Fatalf("fleets (-in order +shuffled):\n%s", diff)
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
)

// kalypso starts a document of the kind.
func kalypso(kind string, rest ...string) string {
	return "apiVersion: " + manifest.APIVersion + "\nkind: " + kind + "\n" + strings.Join(rest, "\n") + "\n"
}

// inputs names texts as the provider does.
func inputs(texts ...string) []manifest.Text {
	all := make([]manifest.Text, len(texts))
	for i, text := range texts {
		all[i] = manifest.Text{Name: "manifests[" + string(rune('0'+i)) + "]", Text: text}
	}
	return all
}

// decode decodes texts that have to be right.
func decode(t *testing.T, texts ...string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Decode(inputs(texts...))
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return objects
}

// meta is the metadata of an object at the start of the first input.
func meta(kind manifest.Kind, name string, labels map[string]string) manifest.Meta {
	return manifest.Meta{Kind: kind, Name: name, Labels: labels, Source: manifest.Origin{Name: "manifests[0]", Line: 1}}
}

// Each object of testdata/spelled.yaml, as people may write it, is that of testdata/plain.yaml. Every kind occurs.
func TestDecodeEveryKind(t *testing.T) {
	t.Parallel()
	decoded := map[manifest.Kind]bool{}
	golden.Documents(t, "testdata/spelled.yaml", "testdata/plain.yaml", func(text string) string {
		objects := decode(t, text)
		if len(objects) != 1 {
			t.Fatalf("%d objects in\n%s", len(objects), text)
		}
		decoded[objects[0].Metadata().Kind] = true
		return manifest.Encode(objects[0])
	})
	for _, kind := range manifest.Kinds {
		if !decoded[kind] {
			t.Errorf("no %s is decoded", kind)
		}
	}
}

func TestDecodeIgnores(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":         "",
		"comments":        "# only\n# words\n",
		"empty documents": "---\n---\n# a comment\n---\n...\n---\nnull\n",
		"byte order mark": "\ufeff",
		"Namespace":       "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n",
		"Deployment":      "apiVersion: apps/v1\nkind: Deployment\nspec: {a: 1, a: 2}\n",
		"CustomResourceDefinition": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {names: {kind: " +
			"ClusterType}}\n",
		"another ConfigMap":           "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: UPPER_case}\ndata: {a: 1}\nbinaryData: {b: c}\n",
		"another project's Placement": "apiVersion: example.com/v1\nkind: Placement\nspec: {strange: 1}\n",
		"Azure's ManagedCluster":      "apiVersion: containerservice.azure.com/v1api20231001\nkind: ManagedCluster\nspec: {dnsPrefix: x}\n",
		"ManagedClusterSet":           "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSet\nspec: {strange: 1}\n",
		"a ConfigMap that says no":    "kind: ConfigMap\nmetadata: {name: x, labels: {platform-config: 'false'}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]manifest.Object(nil), decode(t, text)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// Kalypso's validator reads one JSON object and stops, and an editor may write a mark before it.
func TestDecodeTakesTextBehindASchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{"{} }", `\ufeff{}`, `\ufeff{} }`, `\ufefftype: object`} {
		decode(t, "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: s}\nspec: {schema: \""+schema+"\"}\n")
	}
}

func TestDecodeKeepsOrderAndPlace(t *testing.T) {
	t.Parallel()
	repo := func(name string) string {
		return kalypso("GitOpsRepo", "metadata: {name: "+name+"}", "spec: {repo: r}")
	}
	got := decode(t,
		"# the first\n\n"+repo("c")+"---\n\n"+repo("a"),
		"%YAML 1.1\n# a directive\n---\n"+repo("d")+"...\n# between\n---\r\n"+repo("b")+"--- # done\n...\n",
	)
	type place struct{ Name, Source string }
	var places []place
	for _, r := range manifest.Of[*manifest.GitOpsRepo](got) {
		places = append(places, place{r.Name, r.Source.String()})
	}
	want := []place{
		{"c", "manifests[0], line 3"}, {"a", "manifests[0], line 9"},
		{"d", "manifests[1], line 4"}, {"b", "manifests[1], line 11"},
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestTemplateObjectsAreSelfContained(t *testing.T) {
	t.Parallel()
	got := decode(t, kalypso("Template", "metadata: {name: x}", "spec:", "  type: config", "  manifests:",
		"  - a: &a {one: 1, \"off\": 'no'}",
		"    b: {<<: *a, one: 2}",
		"    # a comment",
		"    c: [*a, {}, []]",
		"    d: >-",
		"      5",
		"    e: \"two\\nlines\"",
		"    f: !!binary aGk=",
		"    g: 0x1F",
		"    h: 0755",
		"    i: 2020-01-02",
		"    j: 1_000"))
	want := `a:
    one: 1
    "off": 'no'
b:
    one: 2
    "off": 'no'
c:
    - one: 1
      "off": 'no'
    - {}
    - []
d: "5"
e: |-
    two
    lines
f: !!binary aGk=
g: 0x1F
h: 0755
i: 2020-01-02
j: 1_000
`
	if diff := cmp.Diff(want, manifest.Of[*manifest.Template](got)[0].Manifests[0]); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
}

// ignoreSources compares objects without their positions.
var ignoreSources = cmp.Options{cmpopts.IgnoreTypes(manifest.Origin{}), cmpopts.IgnoreFields(manifest.Template{}, "Starts"),
	cmpopts.IgnoreFields(problem.Problem{}, "Where")}

func TestDecodeEndsTheLastLine(t *testing.T) {
	t.Parallel()
	const text = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Template\nmetadata: {name: t}\nspec:\n  type: config\n  manifests:\n    " +
		"- |\n      a: b"
	for _, end := range []string{"", "\n"} {
		if got := manifest.Of[*manifest.Template](decode(t, text+end))[0].Manifests[0]; got != "a: b\n" {
			t.Errorf("a text that ends in %q gives the manifest %q", end, got)
		}
	}
}

// Lists hold objects as documents do, and each is an excerpt of its own.
func TestList(t *testing.T) {
	t.Parallel()
	item := "\n- apiVersion: scheduler.kalypso.io/v1alpha1\n  kind: GitOpsRepo\n  metadata: {name: %s}\n  spec: &spec {repo: r, branch: b}"
	text := "# all\napiVersion: v1\nkind: List\nitems:" + strings.Replace(item, "%s", "one", 1) + `
- kind: List
  items:
  - kind: List
    items:
    - metadata: {name: azure-app-config}
      kind: ConfigMap
      data: {A: "0777"}
    - kind: Secret
      apiVersion: v1
- kind: Deployment
  apiVersion: apps/v1
- {kind: GitOpsRepo, apiVersion: scheduler.kalypso.io/v1alpha1, metadata: {name: two}, spec: *spec}
---
kind: List
items: []
`
	ref := manifest.RepoRef{Repo: "r", Branch: "b"}
	at := func(kind manifest.Kind, name string, line int) manifest.Meta {
		return manifest.Meta{Kind: kind, Name: name, Source: manifest.Origin{Name: "manifests[0]", Line: line}}
	}
	want := []manifest.Object{
		&manifest.GitOpsRepo{Meta: at(manifest.KindGitOpsRepo, "one", 5), RepoRef: ref},
		&manifest.ConfigMap{Meta: at(manifest.KindConfigMap, "azure-app-config", 13), Data: map[string]string{"A": "0777"}},
		&manifest.GitOpsRepo{Meta: at(manifest.KindGitOpsRepo, "two", 20), RepoRef: ref},
	}
	if diff := cmp.Diff(want, decode(t, text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	for i, o := range objectsOf(t, text) {
		objects, err := manifest.Decode(inputs(manifest.Excerpt(o, "f.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[i:i+1], objects, cmpopts.IgnoreFields(manifest.Origin{}, "Name", "File")); diff != "" {
			t.Errorf("excerpt (-want +got)\n%s", diff)
		}
	}
}

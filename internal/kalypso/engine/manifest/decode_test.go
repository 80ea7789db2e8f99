// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
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

// decodeTest is a document and the object that it holds.
type decodeTest struct {
	text string
	want manifest.Object
}

func TestDecodeEveryKind(t *testing.T) {
	t.Parallel()
	tests := map[string]decodeTest{
		"Environment": {
			kalypso("Environment", "metadata: {name: dev}", "spec: {controlPlane: {repo: r, branch: b, path: p}}"),
			&manifest.Environment{
				Meta:         meta(manifest.KindEnvironment, "dev", nil),
				ControlPlane: manifest.RepoRef{Repo: "r", Branch: "b", Path: "p"},
			},
		},
		"BaseRepo": {
			kalypso("BaseRepo", "metadata: {name: main}", "spec: {repo: r, branch: b, path: ., commit: 5523a85f37d12c0c7c10ab6616644db089fcd6f7}"),
			&manifest.BaseRepo{
				Meta:    meta(manifest.KindBaseRepo, "main", nil),
				RepoRef: manifest.RepoRef{Repo: "r", Branch: "b", Path: "."},
				Commit:  "5523a85f37d12c0c7c10ab6616644db089fcd6f7",
			},
		},
		"WorkloadRegistration": {
			kalypso("WorkloadRegistration", "metadata: {name: hello, labels: {type: app}}", "spec: {workload: {repo: r}, workspace: team}"),
			&manifest.WorkloadRegistration{
				Meta:      meta(manifest.KindWorkloadRegistration, "hello", map[string]string{"type": "app"}),
				Workload:  manifest.RepoRef{Repo: "r"},
				Workspace: "team",
			},
		},
		"Workload": {
			kalypso("Workload", "metadata: {name: hello}", "spec:",
				"  deploymentTargets:",
				"  - {name: one, environment: dev, labels: {a: b}, manifests: {repo: r, any.thing: else}, configSchemas: ['{}']}",
				"  - {name: two, environment: prod}",
				"  configSchemas:",
				"  - |",
				"    type: object"),
			&manifest.Workload{
				Meta: meta(manifest.KindWorkload, "hello", nil),
				DeploymentTargets: []manifest.DeploymentTarget{
					{
						Name: "one", Environment: "dev", Labels: map[string]string{"a": "b"},
						Manifests: map[string]string{"repo": "r", "any.thing": "else"}, ConfigSchemas: []string{"{}"},
						Source: manifest.Origin{Name: "manifests[0]", Line: 6},
					},
					{Name: "two", Environment: "prod", Source: manifest.Origin{Name: "manifests[0]", Line: 7}},
				},
				ConfigSchemas: []string{"type: object\n"},
			},
		},
		"DeploymentTarget": {
			kalypso("DeploymentTarget",
				"metadata: {name: hello-one, namespace: ns, labels: {workload: hello, workspace: team}, ownerReferences: []}",
				"spec: {environment: dev, manifests: {repo: r}, configSchemas: ['{}']}", "status: {}"),
			&manifest.DeploymentTargetObject{
				Meta: manifest.Meta{
					Kind: manifest.KindDeploymentTarget, Namespace: "dev", Name: "hello-one",
					Labels: map[string]string{"workload": "hello", "workspace": "team"},
					Source: manifest.Origin{Name: "manifests[0]", Line: 1},
				},
				Environment: "dev", Manifests: map[string]string{"repo": "r"}, ConfigSchemas: []string{"{}"},
			},
		},
		"Workload without targets": {
			kalypso("Workload", "metadata: {name: hello}", "spec: {}"),
			&manifest.Workload{Meta: meta(manifest.KindWorkload, "hello", nil)},
		},
		"ClusterType": {
			kalypso("ClusterType", "metadata: {name: large, labels: {edge: 'true'}}", "spec: {reconciler: flux, namespaceService: ns, configType: "+
				"cm}"),
			&manifest.ClusterType{
				Meta:       meta(manifest.KindClusterType, "large", map[string]string{"edge": "true"}),
				Reconciler: "flux", NamespaceService: "ns", ConfigType: "cm",
			},
		},
		"Template of strings and objects": {
			kalypso("Template", "metadata: {name: ns}", "spec:",
				"  type: namespace",
				"  contentType: yaml",
				"  manifests:",
				"  - |",
				"    kind: {{ .Namespace }}",
				"  - kind: Namespace # of the assignment",
				"    apiVersion: v1",
				"    metadata: {name: \"{{ .Namespace }}\", labels: {\"on\": \"yes\"}}"),
			&manifest.Template{
				Meta:        meta(manifest.KindTemplate, "ns", nil),
				Type:        manifest.TemplateNamespace,
				ContentType: "yaml",
				Manifests: []string{
					"kind: {{ .Namespace }}\n",
					"kind: Namespace\napiVersion: v1\nmetadata:\n    name: \"{{ .Namespace }}\"\n    labels:\n        \"on\": \"yes\"\n",
				},
				Starts: []manifest.Origin{{Name: "manifests[0]", Line: 9}, {Name: "manifests[0]"}},
			},
		},
		"SchedulingPolicy": {
			kalypso("SchedulingPolicy", "metadata: {name: p}", "spec:",
				"  deploymentTargetSelector:",
				"    workspace: team",
				"    labelSelector:",
				"      matchLabels: {a: b}",
				"      matchExpressions:",
				"      - {key: tier, operator: NotIn, values: [one, two]}",
				"      - {key: edge, operator: Exists}",
				"  clusterTypeSelector: {}"),
			&manifest.SchedulingPolicy{
				Meta:      meta(manifest.KindSchedulingPolicy, "p", nil),
				Workspace: "team",
				DeploymentTargets: metav1.LabelSelector{
					MatchLabels: map[string]string{"a": "b"},
					MatchExpressions: []metav1.LabelSelectorRequirement{
						{Key: "tier", Operator: "NotIn", Values: []string{"one", "two"}},
						{Key: "edge", Operator: "Exists"},
					},
				},
			},
		},
		"ConfigSchema": {
			kalypso("ConfigSchema", "metadata: {name: s}", "spec:", "  schema: |", "    {", "    \"type\": \"object\"", "    }\t"),
			&manifest.ConfigSchema{
				Meta: meta(manifest.KindConfigSchema, "s", nil), Schema: "{\n\"type\": \"object\"\n}\t\n",
			},
		},
		"GitOpsRepo": {
			kalypso("GitOpsRepo", "metadata: {name: dev}", "spec: {repo: r, branch: dev, path: .}", "status: {any: [thing]}"),
			&manifest.GitOpsRepo{
				Meta: meta(manifest.KindGitOpsRepo, "dev", nil), RepoRef: manifest.RepoRef{Repo: "r", Branch: "dev", Path: "."},
			},
		},
		"ConfigMap by label": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {platform-config: 'true'}}\nimmutable: true\ndata: {A: '1', B: 'x: y', " +
				"8080: web, EMPTY: ''}\n",
			&manifest.ConfigMap{
				Meta: meta(manifest.KindConfigMap, "c", map[string]string{"platform-config": "true"}),
				Data: map[string]string{"A": "1", "B": "x: y", "8080": "web", "EMPTY": ""},
			},
		},
		"what Kubernetes makes of nothing, and of words": {
			"kind: ConfigMap\nmetadata: {name: c, labels: {platform-config: 'true'}}\ndata: {A: , B: ~, yes: norway, OFF: sweden}\n",
			&manifest.ConfigMap{
				Meta: meta(manifest.KindConfigMap, "c", map[string]string{"platform-config": "true"}),
				Data: map[string]string{"A": "", "B": "", "true": "norway", "false": "sweden"},
			},
		},
		"a content type and a commit that are not valid": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: config, contentType: .sh, manifests: [{yes: a}]}"),
			&manifest.Template{
				Meta: meta(manifest.KindTemplate, "x", nil), Type: manifest.TemplateConfig, ContentType: ".sh", Manifests: []string{"\"true\": a\n"},
				Starts: []manifest.Origin{{Name: "manifests[0]"}},
			},
		},
		"ConfigMap by name, without apiVersion and data": {
			"kind: ConfigMap\nmetadata: {name: azure-app-config-1}\n",
			&manifest.ConfigMap{Meta: meta(manifest.KindConfigMap, "azure-app-config-1", nil)},
		},
		"JSON": {
			"{\n\t\"apiVersion\": \"scheduler.kalypso.io/v1alpha1\", \"kind\": \"GitOpsRepo\",\n" +
				"\t\"metadata\": {\"name\": \"dev\", \"labels\": {}},\n" +
				"\t\"spec\": {\"repo\": \"https://git\", \"branch\": \"😀\", \"path\": \"\\\\ud83d\\u003c\"}\n}",
			&manifest.GitOpsRepo{
				Meta:    meta(manifest.KindGitOpsRepo, "dev", nil),
				RepoRef: manifest.RepoRef{Repo: "https://git", Branch: "😀", Path: `\ud83d<`},
			},
		},
		"anchors, aliases and merge keys": {
			kalypso("Workload", "metadata: {name: hello, labels: &l {a: b, c: d}}", "spec:", "  deploymentTargets:",
				"  - &one {name: one, environment: dev, labels: *l}",
				"  - {<<: *one, name: two}",
				"  - {<<: [{name: three}, *one], labels: {<<: *l, a: own}}"),
			&manifest.Workload{
				Meta: meta(manifest.KindWorkload, "hello", map[string]string{"a": "b", "c": "d"}),
				DeploymentTargets: []manifest.DeploymentTarget{
					{Name: "one", Environment: "dev", Labels: map[string]string{"a": "b", "c": "d"},
						Source: manifest.Origin{Name: "manifests[0]", Line: 6}},
					{Name: "two", Environment: "dev", Labels: map[string]string{"a": "b", "c": "d"},
						Source: manifest.Origin{Name: "manifests[0]", Line: 7}},
					{Name: "three", Environment: "dev", Labels: map[string]string{"a": "own", "c": "d"},
						Source: manifest.Origin{Name: "manifests[0]", Line: 8}},
				},
			},
		},
		"metadata of a cluster": {
			kalypso("GitOpsRepo", "metadata:", "  name: dev", "  namespace: x", "  labels:", "  annotations: {a: b}", "  creationTimestamp: null",
				"  generation: 3", "  finalizers: [f]", "  managedFields: [{a: b}]", "  ownerReferences: []", "  uid: u", "  resourceVersion: '1'",
				"  selfLink: s", "  generateName: g", "  deletionTimestamp: null", "  deletionGracePeriodSeconds: 1", "spec: {repo: r}"),
			&manifest.GitOpsRepo{
				Meta: inNamespace("x", meta(manifest.KindGitOpsRepo, "dev", nil)), RepoRef: manifest.RepoRef{Repo: "r"},
			},
		},
		"strings that look otherwise": {
			kalypso("GitOpsRepo", "metadata: {name: dev, labels: {day: 2024-01-01, quoted: 'no', tagged: !!str on, folded: yEs}}",
				"spec:", "  repo: r", "  branch: null", "  path:"),
			&manifest.GitOpsRepo{
				Meta: meta(manifest.KindGitOpsRepo, "dev", map[string]string{"day": "2024-01-01", "quoted": "no", "tagged": "on", "folded": "yEs"}),

				RepoRef: manifest.RepoRef{Repo: "r"},
			},
		},
	}
	maps.Copy(tests, ocmTests)
	tested := map[manifest.Kind]bool{}
	for _, test := range tests {
		tested[test.want.Metadata().Kind] = true
	}
	for _, kind := range manifest.Kinds {
		if !tested[kind] {
			t.Errorf("no %s is decoded", kind)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decode(t, test.text)
			if diff := cmp.Diff([]manifest.Object{test.want}, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
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

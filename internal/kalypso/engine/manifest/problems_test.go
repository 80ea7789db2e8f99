// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// found is a problem, with the part of its detail that a test is about.
type found struct{ Summary, Subject, Where, Detail string }

// checkProblems decodes texts and compares the problems with the wanted ones. A wanted
// detail is a part of the actual one.
func checkProblems(t *testing.T, texts []string, want []found) {
	t.Helper()
	_, err := manifest.Decode(inputs(texts...))
	var problems problem.List
	if !errors.As(err, &problems) {
		t.Fatalf("Decode gave %T (%v), want a problem.List", err, err)
	}
	got := make([]found, len(problems))
	for i, p := range problems {
		got[i] = found{p.Summary, p.Subject, p.Where, p.Detail}
		if i < len(want) && strings.Contains(p.Detail, want[i].Detail) {
			got[i].Detail = want[i].Detail
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// problemTests are texts, each with one mistake.
type problemTests map[string]struct {
	text string
	want found
}

func (tests problemTests) run(t *testing.T) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.Where = "manifests[0], line " + test.want.Where
			checkProblems(t, []string{test.text}, []found{test.want})
		})
	}
}

// A kind that is near is offered without the list of all of them.
func TestNearKindAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{kalypso("ClusterTipe"), "kind: Workloads\n", "kind: GitOpsRepo\nmetadata: {name: x}\nspec: {repo: r}\n"} {
		if _, err := manifest.Decode(inputs(text)); err == nil || strings.Contains(err.Error(), "Known kinds") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestUnknownKinds(t *testing.T) {
	t.Parallel()
	const known = "Known kinds: Environment, BaseRepo, WorkloadRegistration, Workload, DeploymentTarget, ClusterType, Template, " +
		"SchedulingPolicy, ConfigSchema, GitOpsRepo, ConfigMap, Placement, PlacementDecision, ManagedCluster, AddOnPlacementScore."
	problemTests{
		"misspelled kind": {
			kalypso("ClusterTipe"),
			found{"Unknown kind", "ClusterTipe", "2", `There is no kind "ClusterTipe". Did you mean "ClusterType"?`},
		},
		"no near kind": {
			kalypso("Elephant"),
			found{"Unknown kind", "Elephant", "2", `There is no kind "Elephant". ` + known},
		},
		"another version": {
			"apiVersion: scheduler.kalypso.io/v1\nkind: GitOpsRepo\nmetadata: {name: x}\nspec: {repo: r}\n",
			found{"Unknown apiVersion", "GitOpsRepo/x", "1", `is "scheduler.kalypso.io/v1", but that of a GitOpsRepo must be`},
		},
		"a misspelled group": {
			"apiVersion: shedular.Kalypso.io/v1alpha1\nkind: Elephant\n",
			found{"Unknown kind", "Elephant", "2", known},
		},
		"somebody else's kind of the same name": {
			"apiVersion: example.com/v1\nkind: Environment\nspec: {strange: 1}\n",
			found{"Unknown apiVersion", "Environment", "1", `is "example.com/v1"`},
		},
		"no apiVersion": {
			"kind: GitOpsRepo\nmetadata: {name: x}\nspec: {repo: r}\n",
			found{"Missing field", "GitOpsRepo/x", "1", `apiVersion is missing or empty. Set it to "scheduler.kalypso.io/v1alpha1".`},
		},
		"no apiVersion and an unknown kind": {
			"kind: Workloads\n",
			found{"Unknown kind", "Workloads", "1", `There is no kind "Workloads". Did you mean "Workload"?`},
		},
		"ConfigMap of another version": {
			"apiVersion: v2\nkind: ConfigMap\n",
			found{"Unknown apiVersion", "ConfigMap", "1", `must be "v1"`},
		},
		"no kind": {
			"apiVersion: v1\nmetadata: {name: x}\n",
			found{"Missing field", "x", "1", "The document has no kind. " + known},
		},
		"text":  {"# words\nhello\n", found{"Unknown kind", "", "2", `The document is the string "hello"`}},
		"list":  {"- kind: ClusterType\n", found{"Unknown kind", "", "1", "The document is a list"}},
		"empty": {"{}", found{"Missing field", "", "1", "no kind"}},
		"List": {
			"apiVersion: v1\nkind: List\n",
			found{"Unknown kind", "List", "2", "A List is not an object"},
		},
		"ConfigMapList": {
			"apiVersion: v1\nkind: ConfigMapList\n",
			found{"Unknown kind", "ConfigMapList", "2", "A ConfigMapList is not an object"},
		},
		"an item of a List": {
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: scheduler.kalypso.io/v1alpha1\n  kind: ClusterTipe\n",
			found{"Unknown kind", "ClusterTipe", "5", "Did you mean"},
		},
		"an item that is not an object": {"kind: List\nitems: [text]\n", found{"Unknown kind", "", "2", `The document is the string "text"`}},
		"a List in itself": {
			"kind: List\nitems: &x [{kind: List, items: *x}]\n",
			found{"Invalid YAML", "", "2", "its aliases stand for"},
		},
	}.run(t)
}

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	problemTests{
		"top level": {
			kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repo: r}", "stats: {}"),
			found{"Unknown field", "GitOpsRepo/x", "5",
				`There is no field "stats" in the object. Did you mean "status"? Known fields: apiVersion, kind, metadata, spec, status.`},
		},
		"spec": {
			kalypso("GitOpsRepo", "metadata: {name: x}", "spec:", "  repo: r", "  brnch: b"),
			found{"Unknown field", "GitOpsRepo/x", "6",
				`There is no field "brnch" in spec. Did you mean "branch"? Known fields: branch, path, repo.`},
		},
		"commit of something else": {
			kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repo: r, commit: abcdef0}"),
			found{"Unknown field", "GitOpsRepo/x", "4", `There is no field "commit" in spec. Known`},
		},
		"metadata": {
			kalypso("GitOpsRepo", "metadata: {name: x, lables: {a: b}}", "spec: {repo: r}"),
			found{"Unknown field", "GitOpsRepo/x", "3", `There is no field "lables" in metadata. Did you mean "labels"?`},
		},
		"nested": {
			kalypso("Environment", "metadata: {name: x}", "spec: {controlPlane: {repo: r, Path: p}}"),
			found{"Unknown field", "Environment/x", "4", `There is no field "Path" in spec.controlPlane. Did you mean "path"?`},
		},
		"in a list": {
			kalypso("Workload", "metadata: {name: x}", "spec:", "  deploymentTargets:", "  - {name: a, environment: e}", "  - name: b",
				"    environment: e", "    manifest: {}"),
			found{"Unknown field", "Workload/x", "9", `There is no field "manifest" in spec.deploymentTargets[1]. Did you mean "manifests"?`},
		},
		"selector": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  deploymentTargetSelector: {labelSelector: {matchLables: {a: b}}}",
				"  clusterTypeSelector: {}"),
			found{"Unknown field", "SchedulingPolicy/x", "5",
				`There is no field "matchLables" in spec.deploymentTargetSelector.labelSelector. Did you mean "matchLabels"?`},
		},
		"workspace of cluster types": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  deploymentTargetSelector: {}", "  clusterTypeSelector: {workspace: w}"),
			found{"Unknown field", "SchedulingPolicy/x", "6",
				`There is no field "workspace" in spec.clusterTypeSelector. Known fields: labelSelector.`},
		},
		"spec of a ConfigMap": {
			"kind: ConfigMap\nmetadata: {name: x, labels: {platform-config: 'true'}}\nspec: {}\n",
			found{"Unknown field", "ConfigMap/x", "3", `There is no field "spec" in the object.`},
		},
		"far too long": {
			kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repo: r, "+strings.Repeat("é", 400)+": 1}"),
			found{"Unknown field", "GitOpsRepo/x", "4", strings.Repeat("é", 40) + `…" in spec. Known fields`},
		},
	}.run(t)
}

// A misspelled field is one mistake, also where the field has to be there.
func TestMisspelledRequiredFields(t *testing.T) {
	t.Parallel()
	policy := func(spec ...string) string {
		return kalypso("SchedulingPolicy", append([]string{"metadata: {name: x}", "spec:"}, spec...)...)
	}
	placement := func(spec string) string {
		return "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: x}\nspec: " + spec + "\n"
	}
	problemTests{
		"text": {kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repoo: r}"),
			found{"Unknown field", "GitOpsRepo/x", "4", `no field "repoo" in spec. Did you mean "repo"?`}},
		"name": {kalypso("GitOpsRepo", "metadata: {nam: x}", "spec: {repo: r}"),
			found{"Unknown field", "GitOpsRepo", "3", `Did you mean "name"?`}},
		"mapping": {kalypso("GitOpsRepo", "metadata: {name: x}", "sepc: {repo: r}"),
			found{"Unknown field", "GitOpsRepo/x", "4", `Did you mean "spec"?`}},
		"list": {kalypso("Template", "metadata: {name: x}", "spec: {type: config, manifest: [a]}"),
			found{"Unknown field", "Template/x", "4", `Did you mean "manifests"?`}},
		"word": {kalypso("Template", "metadata: {name: x}", "spec: {typ: config, manifests: [a]}"),
			found{"Unknown field", "Template/x", "4", `Did you mean "type"?`}},
		"selector": {policy("  deploymentTargetSelector: {}", "  clusterTypeSelectors: {}"),
			found{"Unknown field", "SchedulingPolicy/x", "6", `Did you mean "clusterTypeSelector"?`}},
		"operator": {
			policy("  deploymentTargetSelector: {labelSelector: {matchExpressions: [{key: a, opertor: Exists}]}}", "  clusterTypeSelector: {}"),
			found{"Unknown field", "SchedulingPolicy/x", "5", `Did you mean "operator"?`},
		},
		"of another project": {placement("{tolerations: [{keys: a, operator: Exists}]}"),
			found{"Unknown field", "Placement/x", "4", `Did you mean "key"?`}},
		"apiVersion": {"apiVerison: " + manifest.APIVersion + "\nkind: GitOpsRepo\nmetadata: {name: x}\nspec: {repo: r}\n",
			found{"Unknown field", "GitOpsRepo/x", "1", `Did you mean "apiVersion"?`}},
	}.run(t)
	checkProblems(t, []string{kalypso("ClusterType", "metadata: {name: x}", "spec: {reconcilr: r, nothing: ns}")}, []found{
		{"Missing field", "ClusterType/x", "manifests[0], line 4", "spec.namespaceService"},
		{"Unknown field", "ClusterType/x", "manifests[0], line 4", `"nothing"`},
		{"Unknown field", "ClusterType/x", "manifests[0], line 4", `Did you mean "reconciler"?`},
	})
}

func TestWrongTypes(t *testing.T) {
	t.Parallel()
	clusterType := func(labels string) string {
		return kalypso("ClusterType", "metadata:", "  name: x", "  labels: "+labels, "spec: {reconciler: r, namespaceService: ns}")
	}
	config := func(data string) string {
		return "kind: ConfigMap\nmetadata: {name: x, labels: {platform-config: 'true'}}\ndata: " + data + "\n"
	}
	problemTests{
		"boolean label": {
			clusterType("{edge: true}"),
			found{"Wrong type", "ClusterType/x", "5", "metadata.labels.edge is the boolean true"},
		},
		"number of a credential": {config("{DB_PASSWORD: 42}"), found{"Wrong type", "ConfigMap/x", "3",
			"data.DB_PASSWORD is a number or boolean"}},
		"number": {config("{A: 42}"), found{"Wrong type", "ConfigMap/x", "3",
			"data.A is the number 42, but"}},
		"float": {config("{A: 1e3}"), found{"Wrong type", "ConfigMap/x", "3", `data.A is the number 1e3`}},
		"null": {
			clusterType("{edge: }"),
			found{"Wrong type", "ClusterType/x", "5",
				"metadata.labels.edge is nothing (null), but"},
		},
		"YAML 1.1 boolean": {
			config("{A: no}"),
			found{"Wrong type", "ConfigMap/x", "3",
				"data.A is the word no, which"},
		},
		"mapping for a string": {config("{A: {b: c}}"), found{"Wrong type", "ConfigMap/x", "3", "data.A is a mapping, but"}},
		"list for a string":    {config("{A: [b]}"), found{"Wrong type", "ConfigMap/x", "3", "data.A is a list"}},
		"strange tag":          {config("{A: !secret b}"), found{"Wrong type", "ConfigMap/x", "3", "data.A is a value with the"}},
		"binary": {config("{A: !!binary aGk=}"), found{"Wrong type", "ConfigMap/x", "3",
			"data.A is a value with the"}},
		"label that makes a ConfigMap count, as a boolean": {
			"kind: ConfigMap\nmetadata: {name: x, labels: {platform-config: yes}}\n",
			found{"Wrong type", "ConfigMap/x", "2", "metadata.labels.platform-config is the word yes"},
		},
		"data that is a list": {config("[a]"), found{"Wrong type", "ConfigMap/x", "3", "data is a list, but a mapping"}},
		"labels that are a word": {clusterType("edge"), found{"Wrong type", "ClusterType/x", "5",
			`metadata.labels is the string "edge", but`}},
		"number for a name": {
			kalypso("GitOpsRepo", "metadata: {name: 7}", "spec: {repo: r}"),
			found{"Wrong type", "GitOpsRepo/7", "3", "metadata.name is the number 7"},
		},
		"number for a commit": {
			kalypso("BaseRepo", "metadata: {name: x}", "spec: {repo: r, commit: 12345678}"),
			found{"Wrong type", "BaseRepo/x", "4", `Put it in quotes: "12345678".`},
		},
		"metadata that is a list": {
			kalypso("GitOpsRepo", "metadata: []", "spec: {repo: r}"),
			found{"Wrong type", "GitOpsRepo", "3", "metadata is a list, but a mapping"},
		},
		"spec that is a word": {
			kalypso("ClusterType", "metadata: {name: x}", "spec: later"),
			found{"Wrong type", "ClusterType/x", "4", `spec is the string "later"`},
		},
		"mapping for a list": {
			kalypso("Workload", "metadata: {name: x}", "spec:", "  deploymentTargets:", "    one: {environment: e}"),
			found{"Wrong type", "Workload/x", "6", "spec.deploymentTargets is a mapping, but"},
		},
		"word for a list of required values": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  clusterTypeSelector: {}",
				"  deploymentTargetSelector: {labelSelector: {matchExpressions: [{key: a, operator: In, values: word}]}}"),
			found{"Wrong type", "SchedulingPolicy/x", "6", `matchExpressions[0].values is the string "word"`},
		},
		"word for a list of templates": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: config, manifests: word}"),
			found{"Wrong type", "Template/x", "4", `spec.manifests is the string "word", but`},
		},
		"list for a required text": {
			kalypso("ClusterType", "metadata: {name: x}", "spec: {reconciler: [r], namespaceService: ns}"),
			found{"Wrong type", "ClusterType/x", "4", "spec.reconciler is a list, but a"},
		},
		"number for a known word": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: 5, manifests: [a]}"),
			found{"Wrong type", "Template/x", "4", "spec.type is the number 5"},
		},
		"word in a list of mappings": {
			kalypso("Workload", "metadata: {name: x}", "spec:", "  deploymentTargets: [one]"),
			found{"Wrong type", "Workload/x", "5", `spec.deploymentTargets[0] is the string "one"`},
		},
		"manifests that are a list": {
			kalypso("Workload", "metadata: {name: x}", "spec:", "  deploymentTargets: [{name: a, environment: e, manifests: {path: [1]}}]"),
			found{"Wrong type", "Workload/x", "5", "spec.deploymentTargets[0].manifests.path is a list"},
		},
		"number in a template": {
			kalypso("Template", "metadata: {name: x}", "spec: {type: config, manifests: [a, 5]}"),
			found{"Wrong type", "Template/x", "4", "spec.manifests[1] is the number 5"},
		},
		"selector values": {
			kalypso("SchedulingPolicy", "metadata: {name: x}", "spec:", "  clusterTypeSelector: {}",
				"  deploymentTargetSelector: {labelSelector: {matchExpressions: [{key: a, operator: In, values: [b, false]}]}}"),
			found{"Wrong type", "SchedulingPolicy/x", "6", "labelSelector.matchExpressions[0].values[1] is the boolean false"},
		},
		"key that is a list": {config("{[a]: b}"), found{"Wrong type", "ConfigMap/x", "3",
			"A key in data is a list"}},
		"key that is null":        {config("{~: b}"), found{"Wrong type", "ConfigMap/x", "3", "A key in data is nothing (null)"}},
		"key that is there twice": {config("{NO: norway, 'false': a}"), found{"Duplicate key", "ConfigMap/x", "3", "data.false is there twice"}},
		"key that is an octal": {config("{010: b}"), found{"Wrong type", "ConfigMap/x", "3",
			"key in data is the number 010"}},
		"key of the object": {"1.5: b\n" + kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repo: r}"),
			found{"Wrong type", "", "1", "A key in the object is the number 1.5"}},
		"merge of a word": {config("{<<: b}"), found{"Wrong type", "ConfigMap/x", "3",
			`data.<< is the string "b", but a`}},
	}.run(t)
}

func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	problemTests{
		"label": {
			kalypso("ClusterType", "metadata:", "  name: x", "  labels:", "    a: b", "    c: d", "    a: e", "spec: {reconciler: r, "+
				"namespaceService: ns}"),
			found{"Duplicate key", "ClusterType/x", "8", "metadata.labels.a is there twice, first"},
		},
		"field": {
			kalypso("GitOpsRepo", "metadata: {name: x}", "spec: {repo: r}", "spec: {}"),
			found{"Duplicate key", "", "5", "spec is there twice, first"},
		},
		"template object": {
			kalypso("Template", "metadata: {name: x}", "spec:", "  type: config", "  manifests: [{a: [{b: 1, b: 2}]}]"),
			found{"Duplicate key", "Template/x", "6", "spec.manifests[0].a.b is there twice"},
		},
	}.run(t)
}

func TestUnreadableYAML(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 20; i++ {
		n, p := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 1 {
			p = "a0"
		}
		bomb.WriteString(n + ": &" + n + " [" + strings.Repeat("*"+p+", ", 9) + "]\n")
	}
	problemTests{
		"syntax":          {"a: [b\n", found{"Invalid YAML", "", "2", "The document cannot be"}},
		"tab":             {"a:\n\tb: c\n", found{"Invalid YAML", "", "2", "tabs cannot indent"}},
		"template braces": {"kind: {{ .Kind }}\n", found{"Wrong type", "", "1", "kind is a mapping"}},
		"text after text": {"kind: 'a' b\n", found{"Invalid YAML", "", "1", "did not find expected key"}},
		"unknown alias":   {"a: *b\n", found{"Invalid YAML", "", "1", "unknown anchor 'b' referenced"}},
		"control":         {"a: \x01\n", found{"Invalid YAML", "", "1", "control characters are not allowed"}},
		"not UTF-8":       {"a: \xff\n", found{"Invalid YAML", "", "1", "invalid"}},
		"endless alias":   {"a: 1\nb: &b {c: [*b]}\n", found{"Invalid YAML", "", "2", "its aliases stand for"}},
		"alias bomb":      {bomb.String(), found{"Invalid YAML", "", "7", "aliases stand for too"}},
		"large aliases": {"a: &a " + strings.Repeat("x", 1<<20) + "\nb: [*a, *a, *a]\n",
			found{"Invalid YAML", "", "2", "aliases stand for too"}},
		"deep":      {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), found{"Invalid YAML", "", "1", "nests too deeply"}},
		"too large": {"---\n---\n" + strings.Repeat("# A comment\n", 200_000), found{"Document too large", "", "2", "larger than 2 MiB"}},
		"too deep":  {strings.Repeat("[", 50000), found{"Invalid YAML", "", "1", "exceeded max depth"}},
		"deep by aliases": {
			"a: &a " + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "\nb: " + strings.Repeat("[", 600) + "*a" + strings.Repeat("]", 600),
			found{"Invalid YAML", "", "2", "nests too deeply"},
		},
	}.run(t)
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()
	checkProblems(t,
		[]string{
			"a: [\n---\n" + kalypso("ClusterType", "metadata: {name: x, labels: {a: 1, b: 2}}", "spec: {other: 1}") + "---\nb: ]\n",
			"kind: Foo\napiVersion: kalypso/v2\n",
		},
		[]found{
			{"Invalid YAML", "", "manifests[0], line 2", "did not find expected node content"},
			{"Invalid YAML", "", "manifests[0], line 8", "did not find expected node content"},
			{"Missing field", "ClusterType/x", "manifests[0], line 6", "spec.namespaceService"},
			{"Missing field", "ClusterType/x", "manifests[0], line 6", "spec.reconciler"},
			{"Unknown field", "ClusterType/x", "manifests[0], line 6", `There is no field "other" in spec`},
			{"Unknown kind", "Foo", "manifests[1], line 1", `no kind "Foo"`},
			{"Wrong type", "ClusterType/x", "manifests[0], line 5", "metadata.labels.a"},
			{"Wrong type", "ClusterType/x", "manifests[0], line 5", "metadata.labels.b"},
		})
}

func TestWhatIsReadableIsGiven(t *testing.T) {
	t.Parallel()
	got, err := manifest.Decode(inputs(
		kalypso("Template", "metadata: {name: flux}", "spec: {type: reconciler, manifests: [a], more: 1}"),
		kalypso("Template", "metadata: {}", "spec: {type: reconciler, manifests: [a]}"),
		"a: [",
	))
	if err == nil {
		t.Error("Decode gave no error")
	}
	want := []manifest.Object{&manifest.Template{
		Meta: meta(manifest.KindTemplate, "flux", nil), Type: manifest.TemplateReconciler, Manifests: []string{"a"},
		Starts: []manifest.Origin{{Name: "manifests[0]", Line: 4}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

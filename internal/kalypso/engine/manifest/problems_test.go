// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
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

// A kind that is near is offered without the list of all of them.
func TestNearKindAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{kalypso("ClusterTipe"), "kind: Workloads\n", "kind: GitOpsRepo\nmetadata: {name: x}\nspec: {repo: r}\n"} {
		if _, err := manifest.Decode(inputs(text)); err == nil || strings.Contains(err.Error(), "Known kinds") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// The problems of each document of testdata/mistaken.yaml are in testdata/problems.txt. -update writes the latter.
func TestProblems(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/mistaken.yaml", "testdata/problems.txt", func(text string) string {
		_, err := manifest.Decode(inputs(text))
		var problems problem.List
		if !errors.As(err, &problems) {
			t.Fatalf("Decode gave %T (%v), want a problem.List of\n%s", err, err, text)
		}
		var all strings.Builder
		for _, p := range problems {
			fmt.Fprintf(&all, "%s: %s (%s)\n    %s\n", p.Summary, p.Subject, p.Where, p.Detail)
		}
		return all.String()
	})
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
	for name, test := range map[string]struct {
		text string
		want found
	}{
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.Where = "manifests[0], line " + test.want.Where
			checkProblems(t, []string{test.text}, []found{test.want})
		})
	}
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
		Meta: meta(manifest.KindTemplate, "flux", nil), Type: "reconciler", Manifests: []string{"a"},
		Starts: []manifest.Origin{{Name: "manifests[0]", Line: 4}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

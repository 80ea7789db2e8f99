// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

func workload(metadata string) string {
	return "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\n" + metadata + "spec: {deploymentTargets: [{name: t, environment: " +
		"dev}]}\n"
}

func documentsOf(t testing.TB, text string) []manifest.Document {
	t.Helper()
	all, _, err := manifest.Documents(manifest.Text{Name: "f.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// excerpts returns the documents of a file as manifests.
func excerpts(where string, documents []manifest.Document) []manifest.Text {
	var all []manifest.Text
	for _, d := range documents {
		all = append(all, manifest.Text{Name: "manifests", Text: d.Excerpt(where)})
	}
	return all
}

// A ConfigMap that lacks the label platform-config stays, if it has labels, without its data.
func TestExcerptOfUnmarkedConfigMap(t *testing.T) {
	t.Parallel()
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n%sdata:\n  A: hidden\n"
	text := fmt.Sprintf(config, "a", "  labels:\n    region: west\n") + "---\n" + fmt.Sprintf(config, "b", "")
	all := excerpts("f.yaml", documentsOf(t, text))
	want := "# Source: f.yaml, line 1\n" +
		strings.TrimSuffix(fmt.Sprintf(config, "a", "  labels:\n    region: west\n"), "data:\n  A: hidden\n")
	if len(all) != 1 || all[0].Text != want {
		t.Errorf("want %q, got %v", want, all)
	}
	if _, unmarked, err := manifest.DecodeAll(all); err != nil || len(unmarked) != 1 || unmarked[0].Labels["region"] != "west" {
		t.Errorf("the engine gets %v: %v", unmarked, err)
	}
}

// Excerpts contain the objects that have a part in a fleet, and nothing else: no secret
// beside them. Messages name the lines of the file.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	kept := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {platform-config: 'true'}}\ndata:\n  A: |+\n    text\n\n"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hidden}\n"
	text := "\ufeff# Comment\n" + secret + "---\n" + kept + "---\n" + secret + "---\n# Mine\n" + workload("metadata: {name: w}\n") + "---\n" +
		secret
	all := excerpts("https://git.example/repo#dev:f.yaml", documentsOf(t, text))
	if len(all) != 2 {
		t.Fatalf("%d excerpts: %v", len(all), all)
	}
	if want := "# Source: https://git.example/repo#dev:f.yaml, line 19\n---\n# Mine\n" +
		workload("metadata: {name: w}\n"); all[1].Text != want {
		t.Errorf("want %q, got %q", want, all[1].Text)
	}
	objects, err := manifest.Decode(all)
	if err != nil {
		t.Fatal(err)
	}
	want, err := manifest.Decode([]manifest.Text{{Name: "manifests", Text: manifest.OfFile("https://git.example/repo#dev:f.yaml", text)}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, objects); diff != "" {
		t.Errorf("objects with their places (-file +excerpts):\n%s", diff)
	}
	if line := manifest.Of[*manifest.Workload](objects)[0].Source.String(); !strings.HasSuffix(line, "f.yaml:21, manifests") {
		t.Errorf("the workload is in %s", line)
	}
}

// The name of an input says nothing about its origin, and a line that anybody can write
// does not hide the input.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		input, first string
		want         manifest.Origin
		says         string
	}{
		"none": {"manifests[1]", "", manifest.Origin{Name: "manifests[1]", Line: 1}, "manifests[1], line 1"},
		"a file": {"manifests[1]", "# Source: f/a.yaml, line 7\n", manifest.Origin{Name: "manifests[1]", Origin: "f/a.yaml", Line: 7},
			"f/a.yaml:7, manifests[1]"},
		"without a line": {"manifests[1]", "# Source: f/a.yaml\r\n", manifest.Origin{Name: "manifests[1]", Origin: "f/a.yaml", Line: 1},
			"f/a.yaml:1, manifests[1]"},
		"a misleading input": {"team#main:x, from git@git.example:platform#main:a.yaml", "",
			manifest.Origin{Name: "team#main:x, from git@git.example:platform#main:a.yaml", Line: 1},
			"team#main:x, from git@git.example:platform#main:a.yaml, line 1"},
		"a large number": {"m", "# Source: a.yaml, line 10000001\n", manifest.Origin{Name: "m", Origin: "a.yaml, line 10000001", Line: 1},
			"a.yaml, line 10000001:1, m"},
		"a larger number": {"m", "# Source: a.yaml, line 99999999999999999999\n",
			manifest.Origin{Name: "m", Origin: "a.yaml, line 99999999999999999999", Line: 1},
			"a.yaml, line 99999999999999999999:1, m"},
		"zero": {"m", "# Source: a.yaml, line 0\n", manifest.Origin{Name: "m", Origin: "a.yaml, line 0", Line: 1},
			"a.yaml, line 0:1, m"},
		"an escape sequence": {"m", "# Source: \u009b31m, line 9\n", manifest.Origin{Name: "m", Line: 2}, "m, line 2"},
		"a line separator":   {"m", "# Source: a\u2028---\u2028x: y #.yaml, line 9\n", manifest.Origin{Name: "m", Line: 2}, "m, line 2"},
		"another direction":  {"m", "# Source: a\u202e.yaml, line 9\n", manifest.Origin{Name: "m", Line: 2}, "m, line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, err := manifest.Decode([]manifest.Text{{Name: test.input, Text: test.first + workload("metadata: {name: w}\n")}})
			if err != nil {
				t.Fatal(err)
			}
			got := objects[0].Metadata().Source
			if got != test.want || got.String() != test.says {
				t.Errorf("got %#v, %s", got, got)
			}
		})
	}
}

func TestDocumentsReportsProblems(t *testing.T) {
	t.Parallel()
	_, _, err := manifest.Documents(manifest.Text{Name: "f.yaml", Text: workload("metadata: {name: w}\n") + "---\nkind: [\n---\n" +
		workload("metadata: {nam: w}\n")})
	for _, want := range []string{"f.yaml, line 7", "Invalid YAML", "f.yaml, line 10", `"nam"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

func TestWithLabel(t *testing.T) {
	t.Parallel()
	const line = `"kustomize.toolkit.fluxcd.io/name": "dev-app"`
	for name, test := range map[string]struct{ text, want string }{
		"labels": {
			workload("metadata:\n  name: w # the name\n  labels: # all of them\n      type: app\n"),
			workload("metadata:\n  name: w # the name\n  labels: # all of them\n      " + line + "\n      type: app\n"),
		},
		"invalid name": {
			strings.Replace(workload("metadata:\n  labels:\n    a: b\n  name: w\n"), "name: t,", "name: 0A0,", 1),
			strings.Replace(workload("metadata:\n  labels:\n    "+line+"\n    a: b\n  name: w\n"), "name: t,", "name: 0A0,", 1),
		},
		"annotations": {
			workload("metadata:\n  annotations: # ours\n    a: b\n  name: w\n"),
			workload("metadata:\n  \"labels\": {" + line + "}\n  annotations: # ours\n    a: b\n  name: w\n"),
		},
		"no labels": {
			"# Ours\n" + workload("metadata:\n    name: w\n"),
			"# Ours\n" + workload("metadata:\n    \"labels\": {"+line+"}\n    name: w\n"),
		},
		"windows": {
			workload("metadata:\r\n  labels:\r\n    a: b\r\n  name: w\r\n"),
			workload("metadata:\n  labels:\n    " + line + "\n    a: b\n  name: w\n"),
		},
		"merged labels": {
			workload("metadata:\n  annotations: &a {x: 'y'}\n  labels:\n    <<: *a\n  name: w\n"),
			workload("metadata:\n  annotations: &a {x: 'y'}\n  labels:\n    " + line + "\n    <<: *a\n  name: w\n"),
		},
		"flow style": {workload("metadata: {name: w}\n"),
			workload("metadata: {\"labels\": {" + line + "}, name: w}\n")},
		"flow labels": {workload("metadata:\n  labels: {a: b}\n  name: w\n"),
			workload("metadata:\n  labels: {" + line + ", a: b}\n  name: w\n")},
		"empty labels":  {workload("metadata:\n  labels: { }\n  name: w\n"), ""},
		"null labels":   {workload("metadata:\n  labels:\n  name: w\n"), ""},
		"label of ours": {workload("metadata:\n  labels:\n    kustomize.toolkit.fluxcd.io/name: dev-other\n  name: w\n"), ""},
		"merged too":    {workload("metadata:\n  annotations: &a {x: 'y'}\n  labels: *a\n  name: w\n"), ""},
		"other letters": {workload("metadata: {annotations: {ä: 'ö'}, labels: {a: b}, name: w}\n"), ""},
		"json": {`{"apiVersion": "scheduler.kalypso.io/v1alpha1", "kind": "Workload", "metadata": {"name": "w", ` +
			`"annotations": {"a": "/"}}, "spec": {"deploymentTargets": []}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := documentsOf(t, test.text)
			got := all[0].WithLabel(manifest.LabelFluxOwner, "dev-app").Excerpt("x")
			if diff := cmp.Diff("# Source: x, line 1\n"+test.want, got); test.want != "" && diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			checkLabelled(t, all[0].Object, got)
		})
	}
}

// checkLabelled wants the text to hold the workload with the label.
func checkLabelled(t testing.TB, object manifest.Object, text string) {
	t.Helper()
	w, ok := object.(*manifest.Workload)
	if !ok {
		return
	}
	want := *w
	want.Labels = map[string]string{}
	for key, value := range w.Labels {
		want.Labels[key] = value
	}
	want.Labels[manifest.LabelFluxOwner] = "dev-app"
	objects, err := manifest.Decode(inputs(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff([]manifest.Object{&want}, objects, ignoreSources); diff != "" {
		t.Errorf("objects (-want +got):\n%s\n%s", diff, text)
	}
}

// An excerpt decodes to the same objects as the file, and a label changes nothing else.
func FuzzExcerpt(f *testing.F) {
	for _, seed := range []string{
		workload("metadata: {name: w}\n"), workload("metadata:\n  name: w\n  labels:\n    a: b\n"), workload("metadata:\n  name: w\n...\n"),
		workload("metadata:\n  name: w\n") + "---\nkind: Secret\napiVersion: v1\n---\n" + workload("metadata: {name: v}\n"), "%YAML 1.1\n---\n",
		workload("metadata: {name: w}\n") + "...\nkind: Secret\napiVersion: v1\n...\n%YAML 1.1\n---\n" + workload("metadata: {name: v}\n"),
		"# Source: x\n" + workload("metadata:\n  labels: &a\n    x: y\n  name: w\n"),
		strings.Replace(workload("metadata:\n  name: w\n"), "name: t,", "name: 0A0,", 1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		documents, _, err := manifest.Documents(manifest.Text{Name: "f", Text: text})
		if err != nil {
			return
		}
		for _, d := range documents {
			again, err := manifest.Decode([]manifest.Text{{Text: d.Excerpt("f")}})
			if err != nil {
				t.Fatalf("the excerpt cannot be decoded: %v\n%s", err, d.Excerpt("f"))
			}
			if diff := cmp.Diff([]manifest.Object{d.Object}, again, ignoreSources); diff != "" {
				t.Fatalf("objects (-file +excerpt):\n%s", diff)
			}
			checkLabelled(t, d.Object, d.WithLabel(manifest.LabelFluxOwner, "dev-app").Excerpt("f"))
		}
	})
}

// YAML ends a line in several ways. Each document still has an excerpt of its own.
func TestExcerptsOfOtherLineBreaks(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: a}\nspec: {schema: '{}'}\n"
	for _, lineBreak := range []string{"\r", "\u0085", "\u2028"} {
		text := strings.ReplaceAll(one+"---\n"+strings.Replace(one, "name: a", "name: b", 1), "\n", lineBreak)
		documents, _, err := manifest.Documents(manifest.Text{Name: "x", Text: text})
		if err != nil || len(documents) != 2 {
			t.Fatalf("%q: %d documents, %v", lineBreak, len(documents), err)
		}
		for _, d := range documents {
			objects, err := manifest.Decode([]manifest.Text{{Text: d.Excerpt("x")}})
			if err != nil || len(objects) != 1 || objects[0].Metadata().Name != d.Object.Metadata().Name {
				t.Errorf("%q: %v, %v", lineBreak, objects, err)
			}
		}
	}
}

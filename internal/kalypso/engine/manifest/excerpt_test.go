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

func objectsOf(t testing.TB, text string) []manifest.Object {
	t.Helper()
	all, _, err := manifest.Objects(manifest.Text{Name: "f.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A ConfigMap that lacks the label platform-config stays, if it has labels, without its data.
func TestExcerptOfUnmarkedConfigMap(t *testing.T) {
	t.Parallel()
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n%sdata:\n  A: hidden\n"
	text := fmt.Sprintf(config, "a", "  labels:\n    region: west\n") + "---\n" + fmt.Sprintf(config, "b", "")
	all := objectsOf(t, text)
	if len(all) != 1 {
		t.Fatalf("%d objects: %v", len(all), all)
	}
	want := "# Source: f.yaml, line 1\n" +
		strings.TrimSuffix(fmt.Sprintf(config, "a", "  labels:\n    region: west\n"), "data:\n  A: hidden\n")
	if diff := cmp.Diff(want, manifest.Excerpt(all[0], "f.yaml")); diff != "" {
		t.Errorf("the excerpt (-want +got):\n%s", diff)
	}
}

// Excerpts contain the objects that have a part in a fleet, and nothing else: no secret
// beside them, and no comment. Messages name the line of the object in the file.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	kept := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {platform-config: 'true'}}\ndata:\n  A: |+\n    text\n\n" +
		"immutable: true\n"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hidden}\n"
	text := "\ufeff# Comment\n" + secret + "---\n" + kept + "---\n" + secret + "---\n# Mine\n" + workload("metadata: {name: w}\n") + "---\n" +
		secret
	all := objectsOf(t, text)
	if len(all) != 2 {
		t.Fatalf("%d objects: %v", len(all), all)
	}
	want := "# Source: https://git.example/repo#dev:f.yaml, line 22\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata:\n" +
		"  name: w\nspec:\n  deploymentTargets:\n    - name: t\n      environment: dev\n"
	got := manifest.Excerpt(all[1], "https://git.example/repo#dev:f.yaml")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the excerpt (-want +got):\n%s", diff)
	}
	for _, text := range []string{got, strings.Replace(got, "name: w", "nam: w", 1)} {
		objects, err := manifest.Decode([]manifest.Text{{Name: "manifests", Text: text}})
		const place = "https://git.example/repo#dev:f.yaml:22, manifests"
		if err == nil && objects[0].Metadata().Source.String() != place || err != nil && !strings.Contains(err.Error(), place) {
			t.Errorf("%v, %v", objects, err)
		}
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
		"a line": {"manifests[1]", "# Source: f/a.yaml, line 7\n", manifest.Origin{Name: "manifests[1]", File: "f/a.yaml", Line: 7},
			"f/a.yaml:7, manifests[1]"},
		"a file": {"manifests[1]", "# Source: f/a.yaml\r\n", manifest.Origin{Name: "manifests[1]", File: "f/a.yaml", Line: 1},
			"f/a.yaml:1, manifests[1]"},
		"a misleading input": {"team#main:x, from git@git.example:platform#main:a.yaml", "",
			manifest.Origin{Name: "team#main:x, from git@git.example:platform#main:a.yaml", Line: 1},
			"team#main:x, from git@git.example:platform#main:a.yaml, line 1"},
		"a large number": {"m", "# Source: a.yaml, line 10000001\n", manifest.Origin{Name: "m", File: "a.yaml, line 10000001", Line: 1},
			"a.yaml, line 10000001:1, m"},
		"a larger number": {"m", "# Source: a.yaml, line 99999999999999999999\n",
			manifest.Origin{Name: "m", File: "a.yaml, line 99999999999999999999", Line: 1},
			"a.yaml, line 99999999999999999999:1, m"},
		"zero": {"m", "# Source: a.yaml, line 0\n", manifest.Origin{Name: "m", File: "a.yaml, line 0", Line: 1},
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
	_, _, err := manifest.Objects(manifest.Text{Name: "f.yaml", Text: workload("metadata: {name: w}\n") + "---\nkind: [\n---\n" +
		workload("metadata: {nam: w}\n")})
	for _, want := range []string{"f.yaml, line 7", "Invalid YAML", "f.yaml, line 10", `"nam"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

// An excerpt decodes to the same object as the file.
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
		objects, _, err := manifest.Objects(manifest.Text{Name: "f", Text: text})
		if err != nil {
			return
		}
		for _, o := range objects {
			again, err := manifest.Decode([]manifest.Text{{Text: manifest.Excerpt(o, "f")}})
			if err != nil {
				t.Fatalf("the excerpt cannot be decoded: %v\n%s", err, manifest.Excerpt(o, "f"))
			}
			if diff := cmp.Diff([]manifest.Object{o}, again, ignoreSources); diff != "" {
				t.Fatalf("objects (-file +excerpt):\n%s", diff)
			}
		}
	})
}

// YAML ends a line in several ways. Each document still has an excerpt of its own.
func TestExcerptsOfOtherLineBreaks(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: ConfigSchema\nmetadata: {name: a}\nspec: {schema: '{}'}\n"
	for _, lineBreak := range []string{"\r", "\u0085", "\u2028"} {
		text := strings.ReplaceAll(one+"---\n"+strings.Replace(one, "name: a", "name: b", 1), "\n", lineBreak)
		if all := objectsOf(t, text); len(all) != 2 || all[1].Metadata().Name != "b" {
			t.Errorf("%q: %v", lineBreak, all)
		}
	}
}

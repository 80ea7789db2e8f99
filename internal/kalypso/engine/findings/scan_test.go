// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScan has what most templates render: the scanner has to take it.
func TestScan(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: "web"   # quoted
  namespace: 'prod'
  labels:
    name: other
    empty: {}
spec:
  containers:
  - name: web
    args: ["a"]
`
	plain := strings.Replace(text, `["a"]`, "\n    - --verbose\n    - |\n      #!/bin/sh\n       key: value\n\n      echo\n    # end\n    -\n      - 80", 1)
	other := "# only a comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  script.sh: |-\n    a: [\n\n      {{\n"
	objects, ok := (&scanner{}).scan([]byte(plain + "---\n" + other))
	want := []object{{apiVersion: "apps/v1", kind: "Deployment", namespace: "prod", name: "web"}, {apiVersion: "v1", kind: "ConfigMap", name: "config"}}
	if diff := cmp.Diff(want, objects, cmp.AllowUnexported(object{})); diff != "" || !ok {
		t.Errorf("plain is %v, objects (-want +got):\n%s", ok, diff)
	}
	if _, ok := (&scanner{}).scan([]byte(text)); ok {
		t.Error("flow style is not for the scanner")
	}
}

func TestObjectsOf(t *testing.T) {
	t.Parallel()
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for name, test := range map[string]struct {
		text string
		want []object
		err  string
	}{
		"nothing":          {"# nothing\n---\n", nil, ""},
		"no mapping":       {"- a\n", []object{{}}, ""},
		"a number":         {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n", []object{{apiVersion: "v1", kind: "ConfigMap"}}, ""},
		"a truth":          {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: true\n", []object{{apiVersion: "v1", kind: "ConfigMap"}}, ""},
		"list":             {"{apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}", []object{{kind: "A"}, {kind: "B"}}, ""},
		"secret":           {secret + "data: {a: b}\n", []object{{apiVersion: "v1", kind: "Secret", name: "s", plainSecret: true}}, ""},
		"empty secret":     {secret + "data: {}\n", []object{{apiVersion: "v1", kind: "Secret", name: "s"}}, ""},
		"encrypted secret": {secret + "stringData: {a: b}\nsops: {version: 3}\n", []object{{apiVersion: "v1", kind: "Secret", name: "s"}}, ""},
		"duplicate key":    {"kind: A\nkind: B\n", nil, "already defined"},
		"no YAML":          {"kind: A\n  name: B\n", nil, "mapping values are not allowed"},
		"tab":              {"kind:\n\tname: B\n", nil, "cannot start any token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := (&scanner{}).objectsOf([]byte(test.text))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error is %v, want %q", err, test.err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(object{})); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// agree checks that what the scanner takes, the parser takes for the same.
func agree(t *testing.T, text string) (plain bool) {
	t.Helper()
	scanned, ok := (&scanner{}).scan([]byte(text))
	if !ok {
		return false
	}
	parsed, err := parseObjects([]byte(text))
	if err != nil {
		t.Fatalf("the scanner takes what is not valid: %v\n%s", err, text)
	}
	if len(scanned) == 0 && len(parsed) == 0 {
		return true
	}
	if diff := cmp.Diff(parsed, scanned, cmp.AllowUnexported(object{})); diff != "" {
		t.Fatalf("objects (-parsed +scanned):\n%s\n%s", diff, text)
	}
	return true
}

// TestScanAgreesWithParser writes random lines that often, and not always, make
// a manifest.
func TestScanAgreesWithParser(t *testing.T) {
	t.Parallel()
	starts := []string{"", "", "", "", "- ", "- - ", "-", "-   "}
	keys := []string{"apiVersion", "kind", "metadata", "metadata", "name", "name", "namespace", "spec", "a", "b/c.d", "-x", "1", `"q"`, "<<", "?"}
	values := []string{
		"", "", "", "", " v1", " x", " 'a b'  # c", ` "q"`, ` "a\n"`, " 'it''s'", " |", " >-", " |2", " {}", " []", " [a]", " # note", " a#b", " a #b",
		" a: b", " a:", " true", " 12", " ~", " -1", " - a", " &a", " *a", " !t x", " @", "x", " \"open", " http://x:80/y", " List", " Secret", " 2001-12-14",
		" é", " 'é'", " # é", "\t x", " a\tb", " \x01", " \"\x01\"", "\r",
	}
	plain, rejected := 0, 0
	for seed := range uint64(200_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range 1 + r.IntN(7) {
			switch r.IntN(12) {
			case 0:
				b.WriteString([]string{"---\n", "\n", "   \n", "# c\n", "  # c\n", "...\n", "--- a\n"}[r.IntN(7)])
				continue
			case 1:
				b.WriteString(strings.Repeat(" ", r.IntN(5)) + []string{"text", "- text", "more: text", "#text", "- - a", "\x01", "é"}[r.IntN(7)] + "\n")
				continue
			}
			b.WriteString(strings.Repeat(" ", []int{0, 0, 0, 2, 2, 4, 1}[r.IntN(7)]) + starts[r.IntN(len(starts))] + keys[r.IntN(len(keys))] + ":" + values[r.IntN(len(values))] + "\n")
		}
		if agree(t, b.String()) {
			plain++
		} else {
			rejected++
		}
	}
	if plain < 10_000 || rejected < 10_000 {
		t.Errorf("the texts prove little: %d plain, %d not", plain, rejected)
	}
}

func FuzzScan(f *testing.F) {
	f.Add("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |\n    b\n")
	f.Add("- a\n- - b: 'c'\n  - |-\n   d\n---\nkind: x #y\n")
	f.Add("a:\n- b\n-\n  c:\n  - d\n")
	f.Fuzz(func(t *testing.T, text string) { agree(t, text) })
}

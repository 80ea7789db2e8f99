// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package yamlnode_test

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{b: 1, a: 2}":                            "b=1 a=2",
		"[a]":                                     "",
		"x":                                       "",
		"{<<: {a: 1}, a: 2, b: 3}":                "a=2 b=3 a=1",
		"{<<: [{a: 1}, {a: 2, <<: {c: 3}}]}":      "a=1 a=2 c=3",
		"{<<: [[{a: 1}]], '<<': 2}":               "<<=2 a=1",
		"{x: &x {a: 1}, <<: *x, y: {<<: *x}}":     "x= y= a=1",
		"{x: &x {a: 1}, <<: [*x, *x], <<: *x}":    "x= a=1",
		"{<<: &x {a: 1, <<: *x}}":                 "a=1",
		"{<<: &x [{a: 1}, *x]}":                   "a=1",
		"{a: &k key, *k : 1, <<: text, <<: null}": "a=key key=1",
	} {
		documents, err := yamlnode.Documents([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := said(documents[0]); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// said writes the entries of a mapping as text.
func said(mapping *yaml.Node) string {
	var all []string
	for key, value := range yamlnode.Entries(mapping) {
		all = append(all, key.Value+"="+value.Value)
	}
	return strings.Join(all, " ")
}

func TestAt(t *testing.T) {
	t.Parallel()
	const text = "{m: &m {name: web, n: 1}, metadata: {<<: *m, name: shop}, nothing: null, binary: !!binary YQ==}"
	documents, err := yamlnode.Documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"metadata.name": "shop", "m.name": "web", "metadata.n": "", "metadata": "", "metadata.name.x": "", "nothing": "", "nothing.x": "",
		"binary": "a", "none": "",
	} {
		if got := yamlnode.Text(documents[0], strings.Split(path, ".")...); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if n := yamlnode.At(documents[0], "metadata", "n"); n == nil || n.Value != "1" || n.Line != 1 {
		t.Errorf("metadata.n: got %+v", n)
	}
	if len(yamlnode.Fields(yamlnode.At(documents[0], "metadata"))) != 2 {
		t.Error("metadata has two fields")
	}
}

// Aliases of aliases that expand to billions of entries are each read once.
func TestBomb(t *testing.T) {
	t.Parallel()
	text := "a0: &a0 {k: v}\n"
	for i := range 100 {
		text += fmt.Sprintf("a%d: &a%d {<<: [*a%d, *a%d, {<<: *a%d}]}\n", i+1, i+1, i, i, i)
	}
	documents, err := yamlnode.Documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := said(yamlnode.At(documents[0], "a100")); got != "k=v" {
		t.Errorf("got %q", got)
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	documents, err := yamlnode.Documents([]byte("a: 1\n---\na: {\n"))
	if len(documents) != 1 || err == nil {
		t.Errorf("got %d documents, %v", len(documents), err)
	}
	for _, text := range []string{"{a: 1, a: 2}", "a: &a [*a]", "{<<: text}"} {
		documents, err := yamlnode.Documents([]byte(text))
		if err != nil || yamlnode.Check(documents[0]) == nil {
			t.Errorf("%s: got %v, and no error of the check", text, err)
		}
	}
}

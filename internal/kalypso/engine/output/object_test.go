// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

func TestObjects(t *testing.T) {
	t.Parallel()
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for name, test := range map[string]struct {
		text string
		want []output.Identity
		err  string
	}{
		"nothing":    {"# nothing\n---\n", nil, ""},
		"no mapping": {"- a\n", []output.Identity{{}}, ""},
		"a number": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n",
			[]output.Identity{{APIVersion: "v1", Kind: "ConfigMap", Resource: "ConfigMap"}}, ""},
		"a truth": {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: true\n",
			[]output.Identity{{APIVersion: "v1", Kind: "ConfigMap", Resource: "ConfigMap"}}, ""},
		"list": {"{apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}",
			[]output.Identity{{Kind: "A", Resource: "A"}, {Kind: "B", Resource: "B"}}, ""},
		"secret": {secret + "data: {a: b}\n", []output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s",
			PlainSecret: true}}, ""},
		"empty secret": {secret + "data: {}\n", []output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s"}}, ""},
		"encrypted secret": {secret + "stringData: {a: b}\nsops: {version: 3}\n",
			[]output.Identity{{APIVersion: "v1", Kind: "Secret", Resource: "Secret", Name: "s"}}, ""},
		"duplicate key":    {"kind: A\nkind: B\n", nil, "already defined"},
		"no YAML":          {"kind: A\n  name: B\n", nil, "mapping values are not allowed"},
		"tab":              {"kind:\n\tname: B\n", nil, "cannot start any token"},
		"the line":         {"kind: A\n---\nkind: B\n---\nkind: C\n  name: D\n", nil, "line 6"},
		"UTF-16":           {"\xfe\xff\xa8\n---\nkind: A", nil, "UTF-16"},
		"many values":      {"[" + strings.Repeat("a,", 600_000) + "]", nil, "more than 500000 values"},
		"a mark between":   {"kind: A\n---\n\ufeffkind: B\n", []output.Identity{{Kind: "A", Resource: "A"}, {}}, ""},
		"an anchor before": {"kind: &a A\n---\nkind: *a\n", []output.Identity{{Kind: "A", Resource: "A"}, {Kind: "A", Resource: "A"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := output.Read([]byte(test.text), nil)
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error is %v, want %q", err, test.err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzRead reads any text: a text that is not YAML is an error, and nothing panics.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"kind: A\nmetadata: {name: a}\n", "{apiVersion: v1, kind: List, items: [{kind: A}]}", "a: &x\n  <<: *x\n", "? {a: b}\n: c\n",
		"%TAG !e! #foo\n---\nkind: A\n",
		"kind: A\r\nb: 'a\r\n  b'\r\n", "kind: A\na: |3\n    \n   x\n", "!!binary c29wcw==: a\n", "kind: A\n---\n\xfe\xff\x00k\x00:",
	} {
		f.Add(text)
	}
	schemas := apischema.New()
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := output.Read([]byte(text), schemas)
		if err != nil && objects != nil {
			t.Errorf("%d objects and an error: %s", len(objects), err)
		}
	})
}

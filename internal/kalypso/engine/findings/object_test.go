// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadObjects(t *testing.T) {
	t.Parallel()
	const (
		secret    = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
		withoutID = " without apiVersion and metadata.name"
	)
	for name, test := range map[string]struct{ text, want, err string }{
		"nothing":          {"# nothing\n---\n", "", ""},
		"no mapping":       {"- a\n", "  without apiVersion and kind and metadata.name", ""},
		"a number":         {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n", "ConfigMap  without metadata.name", ""},
		"a truth":          {"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: true\n", "ConfigMap  without metadata.name", ""},
		"list":             {"{apiVersion: v1, kind: List, items: [{kind: A}, {kind: B}]}", "A " + withoutID + ", B " + withoutID, ""},
		"a group":          {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: b}}", "Deployment.apps b/a", ""},
		"no object":        {"{apiVersion: kustomize.config.k8s.io/v1, kind: Kustomization}", "Kustomization.kustomize.config.k8s.io ", ""},
		"secret":           {secret + "data: {a: b}\n", "Secret s in plain text", ""},
		"texts":            {secret + "stringData: {a: b}\n", "Secret s in plain text", ""},
		"empty secret":     {secret + "data: {}\n", "Secret s", ""},
		"encrypted secret": {secret + "stringData: {a: b}\nsops: {version: 3}\n", "Secret s", ""},
		"duplicate key":    {"kind: A\nkind: B\n", "", "already defined"},
		"no YAML":          {"kind: A\n  name: B\n", "", "mapping values are not allowed"},
		"tab":              {"kind:\n\tname: B\n", "", "cannot start any token"},
		"the line":         {"kind: A\n---\nkind: B\n---\nkind: C\n  name: D\n", "", "line 6"},
		"UTF-16":           {"\xfe\xff\xa8\n---\nkind: A", "", "UTF-16"},
		"an anchor before": {"kind: &a A\n---\nkind: *a\n", "A " + withoutID + ", A " + withoutID, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, err := readObjects([]byte(test.text))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error is %v, want %q", err, test.err)
			}
			var got []string
			for _, o := range objects {
				text := o.String()
				if o.missing != "" {
					text += " without " + o.missing
				}
				if o.isPlainSecret {
					text += " in plain text"
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzReadObjects reads any text: a text that is not YAML is an error, and nothing panics.
func FuzzReadObjects(f *testing.F) {
	for _, text := range []string{
		"kind: A\nmetadata: {name: a}\n", "{apiVersion: v1, kind: List, items: [{kind: A}]}", "a: &x\n  <<: *x\n", "? {a: b}\n: c\n",
		"%TAG !e! #foo\n---\nkind: A\n",
		"kind: A\r\nb: 'a\r\n  b'\r\n", "kind: A\na: |3\n    \n   x\n", "!!binary c29wcw==: a\n", "kind: A\n---\n\xfe\xff\x00k\x00:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := readObjects([]byte(text))
		if err != nil && objects != nil {
			t.Errorf("%d objects and an error: %s", len(objects), err)
		}
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// FuzzDecode looks for texts that make Decode panic, and for objects that do
// not come back from their encoding.
func FuzzDecode(f *testing.F) {
	for i := range 20 {
		f.Add(manifest.Encode(generator{newRand(uint64(i))}.object(i)))
	}
	for _, seed := range []string{
		"", "---", "...", "%YAML 1.1\n---\n", "\ufeff", "\xff\xfe", "{", "[[[", "a: &a [*a]", "? a\n: b", "<<: {a: b}", "- !!binary x",
		"# c\n\t- a",
		"kind: List\napiVersion: v1",
		"kind: ClusterTypeList\napiVersion: scheduler.kalypso.io/v1alpha1\nitems: [&x {metadata: {name: a}, spec: " +
			"{}}, {kind: List, items: [*x, {kind: ConfigMap, metadata: {name: azure-app-config}, data: {yes: , A: b}}]}]",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: azure-app-config, labels: {? [a] : b}}\ndata: {<<: [{a: b}, c]}",
		kalypso("Template", "metadata: {name: x}", "spec: {type: config, manifests: [{a: &a {b: !t c, ? d : >-", " e", "}, f: *a}]}"),
		kalypso("Template", "metadata: {name: x}", "spec:", "  type: config", "  manifests:", "  - a: |2", "       b", "    # c",
			"    d: \"\\n e\"", "    'on': [*b, &b ~]"),
		`{"apiVersion": "scheduler.kalypso.io/v1alpha1", "kind": "GitOpsRepo", "metadata": {"name": "x"}, "spec": {"repo": "\ud83d\ude00"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := manifest.Decode(inputs(text))
		if err != nil {
			return
		}
		var texts []string
		for _, o := range want {
			texts = append(texts, manifest.Encode(o))
		}
		again, err := manifest.Decode(inputs(strings.Join(texts, "---\n")))
		if err != nil {
			t.Fatalf("the encoding cannot be decoded: %v\n%s", err, strings.Join(texts, "---\n"))
		}
		if diff := cmp.Diff(want, again, ignoreSources); diff != "" {
			t.Fatalf("objects (-first +second):\n%s", diff)
		}
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package output_test

import (
	"context"
	"fmt"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []output.Identity
		ok   bool
	}{
		"block": {
			"---\n# a\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    name: other\n  namespace: \"shop\"\nspec:\n  " +
				"name: no\nlist:\n- name: no\n",
			[]output.Identity{{APIVersion: "apps/v1", Kind: "Deployment", Resource: "Deployment.apps", Name: "web", Namespace: "shop"}}, true,
		},
		"braces": {"kind: A\nmetadata: {name: web, labels: {name: other}}\n---\nkind: B\n",
			[]output.Identity{{Kind: "A", Resource: "A", Name: "web"}, {Kind: "B", Resource: "B"}}, true},
		"nothing": {"# a\n\n---\n", nil, true},
		"a script": {"kind: A\nmetadata:\n  name: web\ndata:\n  run: |\n    kind: B\n\n    name: c\n",
			[]output.Identity{{Kind: "A", Resource: "A", Name: "web"}}, true},
		"a Secret":    {"apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n", nil, false},
		"open quote":  {"kind: 'A\n", nil, false},
		"end quote":   {"kind: A\nmetadata:\n  name: web\"\n", nil, false},
		"two quotes":  {"kind: 'A\"\n", nil, false},
		"a List":      {"apiVersion: v1\nkind: List\nitems: []\n", nil, false},
		"quotes":      {"\"kind\": 'A' # a\nmetadata: # b\n  name: web # c\n", []output.Identity{{Kind: "A", Resource: "A", Name: "web"}}, true},
		"JSON":        {"{\"kind\":\"A\",\"metadata\":{\"name\":\"web\"}}\n", []output.Identity{{Kind: "A", Resource: "A", Name: "web"}}, true},
		"all of it":   {"{kind: A, metadata: {name: web}}\n", nil, false},
		"a list":      {"- kind: A\n", nil, false},
		"an alias":    {"kind: *a\n", nil, false},
		"an anchor":   {"kind: &a A\n", nil, false},
		"a tag":       {"kind: !!str A\n", nil, false},
		"a merge":     {"kind: A\nmetadata:\n  <<: {name: web}\n", nil, false},
		"a long name": {"kind: A\nmetadata:\n  name: >-\n    web\n", nil, false},
		"an error":    {"kind: A\nmetadata: {name: web\n", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := output.Names([]byte(test.text))
			if ok != test.ok || !cmp.Equal(test.want, got, cmpopts.EquateEmpty()) {
				t.Errorf("ok: %v, objects (-want +got):\n%s", ok, cmp.Diff(test.want, got))
			}
		})
	}
}

// TestNamesAgree compares Names with Read, for the output of templates of all shapes.
func TestNamesAgree(t *testing.T) {
	t.Parallel()
	known := 0
	for _, shape := range fleetgen.Shapes {
		in := engine.Input{Environment: fleetgen.Environment}
		for i, text := range fleetgen.LargeOf(shape, 100) {
			in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprintf("manifests[%d]", i), Text: text})
		}
		result, err := engine.Compute(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range result.Files() {
			if path.Ext(file) != ".yaml" {
				continue
			}
			want, err := output.Read(text, nil)
			got, ok := output.Names(text)
			if !ok {
				continue
			}
			if known++; err != nil || !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
				t.Errorf("%s: %s %v (-read +names):\n%s", shape.Name, file, err, cmp.Diff(want, got))
			}
		}
	}
	if known < 1_000 {
		t.Errorf("only %d files have such names, so the test proves little", known)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
  labels: {whatever: "no label at all!"}
  managedFields: [{any: thing}]
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  unknown: here
  versions:
    - name: v1alpha1
      served: false
    - name: v1
      served: true
      schema:
        openAPIV3Schema:
          description: |
            What things are.
          type: object
          properties:
            description: {type: string, description: prose}
            title: {type: string, title: prose}
            list: {type: array, items: {description: prose, type: string, enum: [a, "1", 1]}}
            either: {anyOf: [{description: prose, minimum: 1.5}]}
status: {conditions: []}
`

const withoutProse = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names:
    kind: Thing
  versions:
    - name: v1alpha1
      served: false
    - name: v1
      served: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            description:
              type: string
            title:
              type: string
            list:
              type: array
              items:
                type: string
                enum:
                  - a
                  - "1"
                  - 1
            either:
              anyOf:
                - minimum: 1.5
`

// TestDefinition takes a vendor's definition as it is, and hands it on without its prose.
func TestDefinition(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a document": definition,
		"a list":     "apiVersion: v1\nkind: List\nitems:\n  - " + strings.ReplaceAll(strings.TrimSpace(definition), "\n", "\n    ") + "\n",
		"as JSON":    `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "names": {"kind": "Thing"}, "versions": [{"name": "v1alpha1", "served": false}, {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"description": {"type": "string"}, "title": {"type": "string"}, "list": {"type": "array", "items": {"type": "string", "enum": ["a", "1", 1]}}, "either": {"anyOf": [{"minimum": 1.5}]}}}}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents, _, err := manifest.Documents(manifest.Text{Name: "f.yaml", Text: text})
			if err != nil || len(documents) != 1 {
				t.Fatalf("%d documents, %v", len(documents), err)
			}
			want, got := withoutProse, manifest.Encode(documents[0].Object)
			if name == "as JSON" { // which quotes more
				want, got = strings.ReplaceAll(want, `"`, ""), strings.ReplaceAll(got, `"`, "")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("encoded (-want +got):\n%s", diff)
			}
			excerpt := documents[0].Excerpt("repo: f.yaml")
			again, err := manifest.Decode([]manifest.Text{{Name: "manifests[0]", Text: excerpt}})
			if err != nil || len(again) != 1 || manifest.Encode(again[0]) != manifest.Encode(documents[0].Object) {
				t.Errorf("the excerpt is not the same: %v\n%s", err, excerpt)
			}
			if strings.Contains(excerpt, "prose") {
				t.Errorf("the excerpt holds prose:\n%s", excerpt)
			}
		})
	}
}

// TestDefinitionOld has no versions, for any content, because no cluster takes it.
func TestDefinitionOld(t *testing.T) {
	t.Parallel()
	objects, err := manifest.Decode([]manifest.Text{{Name: "f.yaml", Text: strings.Replace(definition, "k8s.io/v1", "k8s.io/v1beta1", 1)}})
	definitions := manifest.Of[*manifest.CustomResourceDefinition](objects)
	if err != nil || len(definitions) != 1 || len(definitions[0].Versions) > 0 || definitions[0].Of != "Thing" {
		t.Errorf("%d definitions, %v", len(definitions), err)
	}
}

// TestDefinitionNone passes over documents that are not usable definitions, without a
// word.
func TestDefinitionNone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no name":           strings.Replace(definition, "name: things.example.com", "nme: x", 1),
		"a key twice in it": strings.Replace(definition, "type: object\n", "type: object\n          type: object\n", 1),
		"no spec":           "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: [a]}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if objects, err := manifest.Decode([]manifest.Text{{Name: "f.yaml", Text: text}}); err != nil || len(objects) > 0 {
				t.Errorf("%d objects, %v", len(objects), err)
			}
		})
	}
}

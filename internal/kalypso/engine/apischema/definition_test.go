// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// definitionOf returns a CustomResourceDefinition of Things with a schema of their spec, as
// YAML in one line.
func definitionOf(spec string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, description: A thing, properties: {spec: %s}}}}]}
`, spec)
}

// definition has a property for each thing that a schema can say.
var definition = definitionOf(`{type: object, properties: {
  text: {type: string, description: what it is}, number: {type: number}, integer: {type: integer, minimum: 1, maximum: 10},
  exclusive: {type: integer, minimum: 1, exclusiveMinimum: true}, enum: {type: string, enum: [a, b]}, pattern: {type: string, pattern: '^[a-c]+$'},
  nullable: {type: string, nullable: true}, either: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]},
  eitherOrNull: {type: object, properties: {a: {type: string, nullable: true}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]},
  eachOrNull: {type: array, items: {type: object, additionalProperties: {type: string, nullable: true}}, not: {items: {maxProperties: 0}}},
  port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '^[a-z0-9]+$'},
  open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}}}, closed: {type: object},
  any: {x-kubernetes-preserve-unknown-fields: true}, list: {type: array, minItems: 1, maxItems: 2, items: {type: integer}},
  counted: {type: object, minProperties: 2, additionalProperties: {type: string}}, free: {type: object, additionalProperties: true},
  filled: {type: object, required: [a], properties: {a: {type: string, default: x}}},
  filledIn: {type: object, properties: {a: {type: string, default: x}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]},
  filledWithin: {type: object, not: {properties: {in: {maxProperties: 0}}}, properties: {in: {type: object, default: {}, properties: {a: {type: string, default: x}}}}},
  pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},
  nested: {type: array, items: {type: object, properties: {description: {type: string}, title: {type: string}}, required: [description]}},
  format: {type: string, format: ipv4}, bytes: {type: string, format: byte}, cel: {type: string, x-kubernetes-validations: [{rule: 'false'}]}, truth: {type: boolean}
}}`)

func thing(spec string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: " + spec + "\n"
}

func TestCheckDefinition(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t, definition)
	for spec, want := range map[string]string{
		"{}":                        "",
		"{text: a}":                 "",
		"{text: 1}":                 "an integer at spec.text, instead of text",
		"{text: [a]}":               "a list at spec.text, instead of text",
		"{text: null}":              "",
		"{texts: a}":                "the unknown field spec.texts (the nearest is text)",
		"{number: 1}":               "",
		"{number: 1.5}":             "",
		"{number: '1'}":             "text at spec.number, instead of a number",
		"{integer: 10}":             "",
		"{integer: 0}":              "an integer at spec.integer, instead of at least 1",
		"{integer: 11}":             "an integer at spec.integer, instead of at most 10",
		"{integer: 1.5}":            "a number at spec.integer, instead of an integer",
		"{exclusive: 1}":            "an integer at spec.exclusive, instead of more than 1",
		"{exclusive: 2}":            "",
		"{enum: b}":                 "",
		"{enum: c}":                 "text at spec.enum, instead of one of a, b",
		"{pattern: abc}":            "",
		"{pattern: abd}":            "text at spec.pattern, instead of text that matches ^[a-c]+$",
		"{nullable: null}":          "",
		"{nullable: 1}":             "an integer at spec.nullable, instead of text",
		"{either: {a: x}}":          "",
		"{either: {a: x, b: x}}":    "a mapping at spec.either, instead of a value that matches exactly one alternative in its schema",
		"{either: {}}":              "a mapping at spec.either, instead of a value that matches exactly one alternative in its schema",
		"{either: {a: 1}}":          "an integer at spec.either.a, instead of text",
		"{either: {a: x, b: null}}": "",
		"{eitherOrNull: {a: null}}": "",
		"{eitherOrNull: {b: null}}": "a mapping at spec.eitherOrNull, instead of a value that matches exactly one " +
			"alternative in its schema",
		"{eachOrNull: [{a: null}]}":  "",
		"{eachOrNull: [{}]}":         "a list at spec.eachOrNull, instead of a value that its schema allows",
		"{port: 80}":                 "",
		"{port: http}":               "",
		"{port: HTTP}":               "text at spec.port, instead of text that matches ^[a-z0-9]+$",
		"{port: 1.5}":                "a number at spec.port, instead of an integer or text",
		"{open: {a: [b], known: c}}": "",
		"{open: {known: 1}}":         "an integer at spec.open.known, instead of text",
		"{closed: {}}":               "",
		"{closed: {a: b}}":           "the unknown field spec.closed.a",
		"{any: 1}":                   "",
		"{any: {a: [b]}}":            "",
		"{list: [1, 2]}":             "",
		"{list: []}":                 "a list at spec.list, instead of at least 1 element",
		"{list: [1, 2, 3]}":          "a list at spec.list, instead of at most 2 elements",
		"{list: [1, a]}":             "text at spec.list[1], instead of an integer",
		"{list: [1, null]}":          "null at spec.list[1], instead of an integer",
		"{counted: {a: b, c: d}}":    "",
		"{counted: {a: b, c: null}}": "a mapping at spec.counted, instead of at least 2 fields",
		"{free: {a: 1, b: [c]}}":     "",
		"{filled: {}}":               "",
		"{filled: {a: null}}":        "",
		"{filledIn: {}}":             "",
		"{filledWithin: {}}":         "",
		"{pod: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}}}": "",
		"{pod: {kind: Pod, metadata: {nme: p}}}": "the unknown field spec.pod.metadata.nme (the nearest is name); no " +
			"spec.pod.apiVersion, which is required",
		"{nested: [{description: a, title: b}]}": "",
		"{nested: [{title: b}]}":                 "no spec.nested[0].description, which is required",
		"{format: none}":                         "",
		"{bytes: '%'}":                           "text at spec.bytes, instead of text in base64",
		"{cel: a}":                               "",
		"{truth: no}":                            "",
		"{truth: 'no'}":                          "text at spec.truth, instead of true or false",
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			got, isKnown := check(t, schemas, thing(spec))
			if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" || !isKnown {
				t.Errorf("known: %t, faults (-want +got):\n%s", isKnown, diff)
			}
		})
	}
}

// TestUnusable expects that definitions which no cluster accepts are named, and check
// nothing.
func TestUnusable(t *testing.T) {
	t.Parallel()
	nested := func(open, innermost, end string, depth int) string {
		return strings.Repeat(open, depth) + innermost + strings.Repeat(end, depth)
	}
	for name, test := range map[string]struct {
		spec     string
		isUsable bool
	}{
		"right":                     {"{type: object}", true},
		"no schema":                 {"text", false},
		"a reference":               {"{$ref: '#/definitions/a'}", false},
		"a reference to Kubernetes": {"{$ref: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta}", false},
		"a reference elsewhere":     {"{anyOf: [{$ref: 'https://example.com/schema'}]}", true},
		"no pattern":                {"{type: string, pattern: '('}", false},
		"a pattern that doubles": {
			"{type: string, pattern: '^(a+)+$'}", true, // a linear-time matcher reads it fast
		},
		"a pattern that repeats":          {"{type: string, pattern: '((a{100}){100}){100}'}", false},
		"a property that is not a schema": {"{type: object, properties: {a: 1}}", false},
		"items that are not a schema":     {"{type: array, items: [{type: string}]}", false},
		"deep":                            {nested("{type: object, properties: {a: ", "{type: string}", "}}", 400), true},
		"deep alternatives":               {nested("{anyOf: [", "{enum: [a]}", "]}", 300), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schemas := schemasOf(t, definitionOf(test.spec))
			_, isKnown := check(t, schemas, thing("{a: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!}"))
			doubts := schemas.Doubts()
			if isKnown != test.isUsable || (len(doubts) == 0) != test.isUsable {
				t.Errorf("known: %t, doubts: %v", isKnown, doubts)
			}
		})
	}
}

// TestDefinitionVersions refuses versions that a definition does not serve.
func TestDefinitionVersions(t *testing.T) {
	t.Parallel()
	const reason = "the version example.com/v2, which its CustomResourceDefinition "
	right := definitionOf("{type: object}")
	for name, test := range map[string]struct{ definitions, want string }{
		"missing": {right, reason + "does not have (it serves v1)"},
		"not served": {strings.Replace(right, "versions: [", "versions: [{name: v2, served: false}, ", 1), reason +
			"does not serve (it serves v1)"},
		"served no more": {strings.NewReplacer("{name: v1, served: true", "{name: v2, served: false").Replace(right), reason +
			"does not serve"},
		"nothing is said": {strings.Replace(right, "versions: [", "versions: [{name: v2, schema: {openAPIV3Schema: {type: object}}}, ", 1),
			"the unknown field spec"},
		"an old one beside it": {strings.Replace(right, "k8s.io/v1", "k8s.io/v1beta1", 1) + "---\n" + right, reason +
			"does not have (it serves v1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := check(t, schemasOf(t, test.definitions), strings.Replace(thing("{}"), "/v1", "/v2", 1))
			if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckManyUnknown expects the nearest name only for faults that a message shows.
func TestCheckManyUnknown(t *testing.T) {
	t.Parallel()
	var alike, unknown strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&alike, "property%d: {type: string}, ", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&unknown, "propertie%d: a, ", i)
	}
	schemas := schemasOf(t, definitionOf("{type: object, properties: {"+alike.String()+"}}"))
	if faults, isKnown := check(t, schemas, thing("{"+unknown.String()+"}")); !isKnown || len(faults) != 20 {
		t.Errorf("known: %t, %d faults, want 20", isKnown, len(faults))
	}
}

// FuzzCheck reads any definition and any object.
func FuzzCheck(f *testing.F) {
	f.Add(definition, thing("{either: {a: x}, list: [1], port: 80}"))
	f.Add(definitionOf("{type: object, x-kubernetes-embedded-resource: true, default: {a: [b]}, not: {required: [a]}}"),
		thing("{a: &x {b: *x}}"))
	f.Add("", deployment)
	f.Fuzz(func(_ *testing.T, definition, object string) {
		objects, _ := manifest.Decode([]manifest.Text{{Name: "definitions", Text: definition}}) // the readable definitions count
		schemas := apischema.New(manifest.Of[*manifest.CustomResourceDefinition](objects))
		var document yaml.Node
		var content any
		if yaml.Unmarshal([]byte(object), &document) != nil || len(document.Content) == 0 || document.Decode(&content) != nil {
			return
		}
		for _, o := range apischema.Objects(&document) {
			for _, schema := range []*apischema.Schema{schemas.Of("example.com/v1", "Thing"), schemas.Of("apps/v1", "Deployment")} {
				if schema != nil {
					schema.Check(o)
				}
			}
		}
	})
}

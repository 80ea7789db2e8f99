// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// The messages of Kalypso's validator about a configuration.
const (
	holds    = "holds"
	violated = "is violated"
	refused  = "is refused"
)

// TestSchemasAsKalypso has schemas with configurations, the messages of Kalypso's validator
// about them, and the keywords that it ignores.
func TestSchemasAsKalypso(t *testing.T) {
	t.Parallel()
	cases := []struct {
		schema, config, want string
		ignored              []string
	}{
		{`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"A": {"prefixItems": [{"type": "string"}]}}}`, `{"A": [1]}`,
			holds, []string{"/properties/A/prefixItems"}},
		{`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"A": {"items": [{"type": "string"}]}}}`, `{"A": [1]}`,
			violated, nil},
		{`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"A": {"items": [{"type": "string"}], "additionalItems": false}}}`, `{"A": ["x", 1]}`, violated, nil},
		{`{"requird": ["B"], "$ref": "#/Definitions/t", "Definitions": {"t": {"properties": {"itmes": true}}}}`, `{"A": 1}`, holds,
			[]string{"/Definitions", "/requird"}},
		{`{"defintions": {"a": {"minimum": 1, "exclusiveMinimum": true}}, "properties": {"A": {"$ref": "#/defintions/a"}, "length": {"ref": "#/definitions/a"}}}`, `{"A": 1}`, violated, []string{"/defintions", "/properties/length/ref"}},
		{`{"dependentRequired": {"A": ["B"]}}`, `{"A": 1}`, holds, []string{"/dependentRequired"}},
		{`{"dependentSchemas": {"A": {"required": ["B"]}}}`, `{"A": 1}`, holds, []string{"/dependentSchemas"}},
		{`{"dependencies": {"A": ["B"]}}`, `{"A": 1}`, violated, nil},
		{`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"A": true}, "unevaluatedProperties": false}`, `{"B": 1}`,
			holds, []string{"/unevaluatedProperties"}},
		{`{"properties": {"A": {"contains": {"type": "string"}, "minContains": 2}}}`, `{"A": ["x"]}`, holds,
			[]string{"/properties/A/minContains"}},
		{`{"definitions": {"t": {"type": "string"}}, "properties": {"A": {"$ref": "#/definitions/t", "minLength": 3, "description": "d"}}}`,
			`{"A": "x"}`, holds, []string{"/properties/A/minLength"}},
		{`{"$defs": {"t": {"type": "string", "prefixItems": []}}, "properties": {"A": {"$ref": "#/$defs/t"}}}`, `{"A": 1}`, violated,
			[]string{"/$defs/t/prefixItems"}},
		{`{"$ref": "#/definitions/t", "required": ["B"], "definitions": {"t": {"required": ["A"]}}}`, `{"A": 1}`, holds, []string{"/required"}},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"A": {"const": 1}}}`, `{"A": 2}`, holds,
			[]string{"/properties/A/const"}},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "propertyNames": {"pattern": "^b"}, "if": {"required": ["A"]}, "then": {"required": ["B"]}}`, `{"A": 2}`, holds, []string{"/if", "/propertyNames", "/then"}},
		{`{"$schema": "http://json-schema.org/draft-06/schema#", "if": {"required": ["A"]}, "then": {"required": ["B"]}}`, `{"A": 2}`, holds,
			[]string{"/if", "/then"}},
		{`{"if": {"required": ["A"]}, "then": {"required": ["B"]}}`, `{"A": 2}`, violated, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "required": [], "enum": [], "allOf": [], "oneOf": [], "anyOf": [], "properties": {"A": {"type": []}}}`, `{"A": 2}`, holds, nil},
		{`{"required": [], "enum": [], "allOf": [], "properties": {"A": {"type": [], "items": [], "additionalItems": false}}}`, `{"A": [2]}`,
			holds, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"A": {"minimum": 2, "exclusiveMinimum": true}}}`, `{"A": 2}`,
			violated, nil},
		{`{"properties": {"A": {"minimum": 2, "exclusiveMinimum": true}}}`, `{"A": 2}`, violated, nil},
		{`{"properties": {"A": {"maximum": 2, "exclusiveMaximum": false}}}`, `{"A": 2}`, holds, nil},
		{`{"properties": {"A": {"exclusiveMinimum": 2}}}`, `{"A": 2}`, violated, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"A": {"exclusiveMinimum": 2}}}`, `{"A": 2}`, refused, nil},
		{`{"$schema": "http://json-schema.org/draft-06/schema#", "properties": {"A": {"minimum": 1, "exclusiveMinimum": true}}}`, `{"A": 2}`,
			refused, nil},
		{`{"properties": {"A": {"exclusiveMinimum": true}}}`, `{"A": 2}`, refused, nil},
		{`{"properties": {"A": {"exclusiveMaximum": false}}}`, `{"A": 2}`, refused, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"A": true}}`, `{"A": 2}`, refused, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "additionalProperties": false}`, `{"A": 2}`, violated, nil},
		{`{"$schema": "http://json-schema.org/draft-06/schema#", "properties": {"A": true, "B": false}}`, `{"B": 2}`, violated, nil},
		{`{"examples": 5, "$comment": [], "readOnly": "x", "contentEncoding": 1, "type": "object"}`, `{"A": 2}`, holds, nil},
		{`{"title": 5}`, `{"A": 2}`, refused, nil},
		{`{"description": []}`, `{"A": 2}`, refused, nil},
		{`{"$schema": 7}`, `{}`, refused, nil},
		{`{"$schema": "https://json-schema.org/draft-07/schema#", "properties": {"A": {"minimum": 2, "exclusiveMinimum": true}}}`, `{"A": 2}`,
			violated, nil},
		{`{"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://example.com/root", "definitions": {"t": {"type": "string"}}, "properties": {"A": {"$ref": "https://example.com/root#/definitions/t"}}}`, `{"A": 2}`, violated, nil},
		{`{"properties": {"A": {"id": "a", "type": "string"}, "B": {"id": "a", "type": "integer"}}}`, `{"A": "x", "B": 1}`, holds, nil},
		{`{"parts": {"t": {"type": [], "enum": [1, 2]}}, "properties": {"A": {"$ref": "#/parts/t"}}}`, `{"A": 3}`, violated, nil},
		{`{"properties": {"type": {"type": "string"}, "const": {"enum": ["x"]}, "$ref": {"type": "string"}}}`,
			`{"type": "x", "const": "y", "$ref": "z"}`, violated, nil},
		{`{"properties": {"A": {"format": "date"}}}`, `{"A": 42}`, violated, nil},
		{`{"properties": {"A": {"format": "regex"}}}`, `{"A": 42}`, violated, nil},
		{`{"properties": {"A": {"format": "regex"}}}`, `{"A": "("}`, violated, nil},
		{`{"properties": {"A": {"format": "date"}}}`, `{"A": [true, null]}`, holds, nil},
		{`{"properties": {"A": {"format": "duration"}}}`, `{"A": 42}`, holds, nil},
		{`{"allOf": [{"unevaluatedItems": false}, {"not": {"minContains": 2}}]}`, `{}`, violated,
			[]string{"/allOf/0/unevaluatedItems", "/allOf/1/not/minContains"}},
	}
	for _, c := range cases {
		t.Run(c.schema, func(t *testing.T) {
			t.Parallel()
			var config map[string]any
			if err := json.Unmarshal([]byte(c.config), &config); err != nil {
				t.Fatal(err)
			}
			compiled, err := compileSchema(c.schema)
			got := holds
			switch {
			case err != nil:
				got = refused
			case len(violationsOf(compiled.schema, config, newPrinter())) > 0:
				got = violated
			}
			if got != c.want {
				t.Errorf("the schema %s for %s, want %s: %v", got, c.config, c.want, err)
			}
			var paths []string
			for _, keyword := range compiled.ignored {
				paths = append(paths, keyword.path)
			}
			if diff := cmp.Diff(c.ignored, paths); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestSchemasKalypsoRefuses has schemas that we can read, and Kalypso cannot.
func TestSchemasKalypsoRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"YAML":              "required: [A] # a comment",
		"a byte order mark": "\ufeff{\"required\": [\"A\"], \"pattern\": \"a\\/b\"}",
		"bounds that cannot hold, where nothing meets them": `{"required": ["A"], "minLength": 2, "maxLength": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if validate(t, text, nil) == "" || validate(t, text, map[string]string{"A": "x"}) != "" {
				t.Error("the schema is not read")
			}
		})
	}
}

func TestIgnoredKeywords(t *testing.T) {
	t.Parallel()
	const newer = `{"dependentRequired": {"A": ["B"]}, "unevaluatedProperties": false}`
	c := New(newFleet(t,
		configSchema("new", nil, newer), configSchema("old", nil, `{"required": ["A"]}`), configSchema("broken", nil, `{`),
		configSchema("cut", nil, "{\"required\": [\"A\"]}\n}\n"), configSchema("two", nil, "{}\n---\n{}"),
		configSchema("yaml", nil, "{} # of nothing"),
		configSchema("typo", nil, `{"requird": ["A"]}`),
		&manifest.Workload{
			Meta:          manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"},
			ConfigSchemas: []string{newer},
			DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "live", Environment: "dev", ConfigSchemas: []string{`{"properties": {"a/b": {"minContains": 1}}}`}},
				{Name: "test", Environment: "dev"},
			},
		},
	))
	expect(t, c.IgnoredKeywords(), []Ignored{
		{"ConfigSchema/cut", "the text behind the end of the JSON object", ""}, {"ConfigSchema/new", "/dependentRequired", ""},
		{"ConfigSchema/new", "/unevaluatedProperties", ""},
		{"ConfigSchema/two", "the text behind the end of the JSON object", ""}, {"ConfigSchema/typo", "/requird", "required"},
		{"Workload/shop", "/dependentRequired", ""}, {"Workload/shop", "/properties/a~1b/minContains", ""},
		{"Workload/shop", "/unevaluatedProperties", ""},
	})
}

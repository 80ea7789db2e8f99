// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

func configSchema(name string, l labels, text string) *manifest.ConfigSchema {
	return &manifest.ConfigSchema{
		Meta:   manifest.Meta{Kind: manifest.KindConfigSchema, Name: name, Labels: l, Source: manifest.Origin{Name: "manifests[1]", Line: 3}},
		Schema: text,
	}
}

// validate returns the text of all problems that one schema finds in the data.
func validate(t *testing.T, schema string, data map[string]string) string {
	t.Helper()
	f := newFleet(t, platform("settings", nil, data), configSchema("contract", nil, schema))
	if err := told(New(f).Validate(t.Context(), everywhere(f))); err != nil {
		return err.Error()
	}
	return ""
}

// told returns the different problems of all assignments, or the error of all.
func told(found []problem.List, err error) error {
	if err != nil {
		return err
	}
	return slices.Concat(found...).Err()
}

func TestValidate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		schema string
		data   map[string]string
		want   []string // parts of the message; empty if the data is valid
	}{
		"valid":                        {`{"required": ["A"]}`, map[string]string{"A": "x"}, nil},
		"a text that reads as integer": {`{"properties": {"A": {"type": "integer", "maximum": 5}}}`, map[string]string{"A": "3"}, nil},
		"a text that reads as float":   {`{"properties": {"A": {"type": "number"}}}`, map[string]string{"A": "1e3"}, nil},
		"an integer is not a text": {`{"properties": {"A": {"type": "string"}}}`, map[string]string{"A": "3"},
			[]string{"A, set by ConfigMap/settings (config.yaml),", "got number, want string"}},
		"a boolean stays text": {`{"properties": {"A": {"type": "boolean"}}}`, map[string]string{"A": "true"},
			[]string{"got string, want boolean"}},
		"numbers that JSON lacks are texts": {`{"properties": {"A": {"pattern": "^N"}, "B": {"type": "number"}, "C": {"type": "string"}}}`,
			map[string]string{"A": "nan", "B": "-Inf", "C": "1e999"},
			[]string{`"nan" does not match the`, "The value B"}},
		"as inside": {`{"properties": {"A": {"properties": {"l": {"items": {"type": "number"}}}}}}`, map[string]string{"A": "{l: [1, .nan]}"},
			[]string{"The value A.l[1]"}},
		"formats are about texts": {`{"properties": {"A": {"format": "date"}, "B": {"format": "regex"}, "C": {"format": "colour"}}}`,
			map[string]string{"A": "42", "B": "4.2", "C": "42"}, nil},
		"numbers below the top keep a type": {`{"properties": {"A": {"items": {"type": "string"}}}}`, map[string]string{"A": "['3']"}, nil},
		"missing property": {`{"required": ["B", "A"]}`, map[string]string{},
			[]string{"ConfigSchema/contract (manifests[1], line 3)", "The configuration is not valid: missing properties"}},
		"below a list": {`{"properties": {"A": {"items": {"properties": {"v": {"type": "string"}}}}}}`,
			map[string]string{"A": "[{v: a}, {v: 2}]"}, []string{"The value A[1].v, set by ConfigMap/settings (config.yaml),"}},
		"additional properties": {`{"additionalProperties": false}`, map[string]string{"B": "1", "A": "2"},
			[]string{"additional properties 'A', 'B' not allowed"}},
		"enum": {`{"properties": {"A": {"enum": ["x", "y"]}}}`, map[string]string{"A": "z"}, []string{"'x', 'y'"}},
		"pattern": {`{"properties": {"A": {"pattern": "^a"}}}`, map[string]string{"A": "b"},
			[]string{`not match the pattern "^a"`}},
		"formats are checked": {`{"properties": {"A": {"format": "ipv4"}}}`, map[string]string{"A": "b"},
			[]string{`not in the format "ipv4"`}},
		"also by later drafts": {`{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"A": {"format": "uuid"}}}`,
			map[string]string{"A": "b"}, []string{`"uuid"`}},
		"formats nobody knows hold": {`{"properties": {"A": {"format": "colour"}}}`, map[string]string{"A": "b"}, nil},
		"a date is not a date-time": {`{"properties": {"A": {"format": "date-time"}}}`, map[string]string{"A": "2026-01-02"},
			[]string{`not in the format "date-time"`}},
		"alternatives stay together": {`{"properties": {"A": {"anyOf": [{"type": "number"}, {"type": "object"}]}}}`,
			map[string]string{"A": "x"}, []string{"'anyOf' failed (got string, want number; or got string, want object)"}},
		"property names": {`{"propertyNames": {"pattern": "^[a-z]+$"}}`, map[string]string{"UPPER": "x"},
			[]string{`"UPPER" is not a valid`}},
		"keys that are not text": {`{"properties": {"A": {"required": ["1"]}}}`, map[string]string{"A": "{1: one}"}, nil},
		"draft 7 without $schema": {`{"properties": {"A": {"items": [{"type": "string"}], "additionalItems": false}}}`,
			map[string]string{"A": "[x, z]"}, []string{"additionalItem"}},
		"draft 7 has no keywords of later drafts": {`{"dependentRequired": {"A": ["B"]}}`, map[string]string{"A": "x"}, nil},
		"draft 2020-12": {`{"$schema": "https://json-schema.org/draft/2020-12/schema", "dependentRequired": {"A": ["B"]}}`,
			map[string]string{"A": "x"}, []string{"B"}},
		"draft 4": {`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"A": {"minimum": 2, "exclusiveMinimum": true}}}`,
			map[string]string{"A": "2"}, []string{"exclusiveMinimum"}},
		"nothing counts beside a reference": {`{"definitions": {"t": {}}, "properties": {"A": {"$ref": "#/definitions/t", "minLength": 3}}}`,
			map[string]string{"A": "x"}, nil},
		"schema in YAML": {"required: [A]", map[string]string{}, []string{"missing property 'A'"}},
		"references within the schema": {`{"definitions": {"n": {"type": "number"}}, "properties": {"A": {"$ref": "#/definitions/n"}}}`,
			map[string]string{"A": "x"}, []string{"got string, want number"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := validate(t, c.schema, c.data)
			if (got == "") != (len(c.want) == 0) {
				t.Fatalf("got %q, want parts %q", got, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q is not in %q", part, got)
				}
			}
		})
	}
}

func TestLongValuesAreNotShown(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s3cret-", 20)
	for _, schema := range []string{`{"pattern": "^a"}`, `{"format": "ipv4"}`, `{"type": "number"}`, `{"enum": ["a"]}`, `{"const": "a"}`,
		`{"maxLength": 3}`} {
		got := validate(t, `{"properties": {"A": `+schema+`}}`, map[string]string{"A": secret})
		if got == "" || strings.Contains(got, secret) {
			t.Errorf("%s: %q", schema, got)
		}
	}
}

// Messages never show a text that looks like a credential, however short it is.
func TestCredentialsAreNotShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value, schema, want string }{
		{"DB_PASSWORD", "hunter2", `{"pattern": "^a"}`, `redacted f52f…)" does not match the`},
		{"DB_PASSWORD", "hunter2", `{"format": "ipv4"}`, `redacted f52f…)" is not in the`},
		{"DB_PASSWORD", "hunter2", `{"anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}`,
			`redacted f52f…)" does not match the`},
		{"DB_PASSWORD", "7353", `{"minimum": 8000}`, "minimum refuses the value. The message hides"},
		{"DB_PASSWORD", "7353", `{"multipleOf": 2}`, "multipleOf refuses the value"},
		{"URL", "db://root:hunter2@x", `{"pattern": "^a"}`, `"db://root:(redacted f52f…)@x" does not match`},
		{"db", "password: hunter2", `{"properties": {"password": {"pattern": "^a"}}}`, `"(redacted f52f…)" does not match`},
		{"env", "[{name: DB_PASSWORD, value: hunter2}]", `{"items": {"properties": {"value": {"pattern": "^a"}}}}`,
			`"(redacted f52f…)" does not match`},
	} {
		got := validate(t, `{"properties": {"`+test.key+`": `+test.schema+`}}`, map[string]string{test.key: test.value})
		if !strings.Contains(got, test.want) || strings.Contains(got, "hunter2") || strings.Contains(got, "7353") ||
			strings.Contains(got, "7,353") {
			t.Errorf("%s: want %q, got %q", test.schema, test.want, got)
		}
	}
}

func TestSchemasOfTargetsAndLabels(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		configSchema("west", labels{"region": "west"}, `{"required": ["WEST"]}`),
		configSchema("east", labels{"region": "east"}, `{"required": ["EAST"]}`),
		&manifest.Workload{
			Meta:          manifest.Meta{Kind: manifest.KindWorkload, Name: "shop"},
			ConfigSchemas: []string{`{"required": ["WORKLOAD"]}`},
			DeploymentTargets: []manifest.DeploymentTarget{
				{Name: "live", Environment: "dev", ConfigSchemas: []string{`{"required": ["TARGET"]}`}},
			},
		},
	)
	got := told(New(f).Validate(t.Context(), everywhere(f))).Error()
	for _, part := range []string{
		"ConfigSchema/west (manifests[1], line 3): The configuration is not valid: missing property 'WEST'",
		"config schema 1 of Workload/shop, target live: The configuration is not valid: missing property 'TARGET'",
		"config schema 2 of Workload/shop, target live: The configuration is not valid: missing property 'WORKLOAD'",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
	if strings.Contains(got, "EAST") {
		t.Errorf("a schema of another region was applied: %s", got)
	}
}

func TestCheckSchema(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"empty object":            {"{}", ""},
		"boolean":                 {"true", ""},
		"empty":                   {"", "not a JSON Schema"},
		"a text":                  {"schema", "not a JSON Schema"},
		"a list":                  {"[]", "not a JSON Schema"},
		"broken JSON":             {`{"type": `, "neither JSON (unexpected EOF) nor YAML"},
		"trailing text":           {"{\n}\n}\n", "neither JSON"},
		"two documents":           {"a: b\n---\n{}", "a second document follows"},
		"aliases":                 {"a0: &a0 {type: string}\n" + aliases(9), "excessive aliasing"},
		"a byte order mark":       {"\ufeff{\"pattern\": \"a\\/b\"}", ""},
		"broken YAML":             {"a: [", "nor YAML (yaml: line 1:"},
		"unknown type":            {`{"properties": {"a": {"type": "text"}}}`, "/properties/a/type"},
		"broken pattern":          {`{"pattern": "("}`, "pattern"},
		"external reference":      {`{"$ref": "https://example.com/a.json"}`, `refers to "https://example.com/a.json"`},
		"reference to a file":     {`{"$ref": "other.json#/a"}`, `refers to "other.json"`},
		"absolute file":           {`{"$ref": "file:///etc/passwd"}`, "reads no schema from"},
		"reference to nowhere":    {`{"$ref": "#/definitions/a"}`, "definitions/a"},
		"unknown metaschema":      {`{"$schema": "https://example.com/meta"}`, `refers to "https://example.com/meta"`},
		"boolean bounds":          {`{"minimum": 1, "exclusiveMinimum": true}`, "'/exclusiveMinimum': got boolean, want number"},
		"number beyond all means": {`{"multipleOf": 1e999999999}`, "'/multipleOf': got string, want number"},
		"large integer":           {`{"maximum": 9223372036854775807}`, ""},
		"too large":               {`{"title": "` + strings.Repeat("x", maxSchema) + `"}`, "more than 256 KiB"},
		"draft 4":                 {`{"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": true}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := CheckSchema(c.text)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), schemaURL) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestNewReportsEverySchema(t *testing.T) {
	t.Parallel()
	f := newFleet(t,
		configSchema("a", nil, "{"), configSchema("b", nil, `{"type": "text"}`), configSchema("c", nil, `{"required": ["A"]}`),
	)
	found, err := New(f).Validate(t.Context(), everywhere(f))
	for _, name := range []string{"ConfigSchema/a (manifests[1], line 3)", "ConfigSchema/b"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q is not in %v", name, err)
		}
	}
	if err := told(found, nil); err == nil || !strings.Contains(err.Error(), "ConfigSchema/c") {
		t.Errorf("the schemas that compile do not validate: %v", err)
	}
}

func TestValidationIsStable(t *testing.T) {
	t.Parallel()
	schema := `{"required": ["c", "a", "b"], "additionalProperties": false, "properties": {"x": {"oneOf": [{"type": "number"}, {"required": ["q"]}, {"type": "null"}]}}}`
	data := map[string]string{"x": "[1]", "k1": "1", "k2": "2", "k3": "3"}
	want := validate(t, schema, data)
	for range 30 {
		expect(t, validate(t, schema, data), want)
	}
}

// Large schemas of people are below the limit, with alternatives in alternatives, and with schemas
// that refer to themselves.
func TestLargeSchemas(t *testing.T) {
	t.Parallel()
	var properties []string
	data := map[string]string{}
	for i := range 500 {
		properties = append(properties,
			fmt.Sprintf(`"K%d": {"type": "string", "pattern": "^[a-z][a-z0-9.-]{0,62}$", "anyOf": [{"minLength": 1}, {"maxLength": 3}]}`, i))
		data[fmt.Sprintf("K%d", i)] = "value"
	}
	data["tree"] = strings.Repeat("{children: [{leaf: true}, ", 20) + "{leaf: true}" + strings.Repeat("]}", 20)
	properties = append(properties, `"tree": {"$ref": "#/definitions/node"}`)
	schema := `{"additionalProperties": false, "properties": {` + strings.Join(properties, ",") +
		`}, "definitions": {"node": {"oneOf": [{"required": ["leaf"]}, {"required": ["children"], "properties": {"children": {"items": {"$ref": "#/definitions/node"}}}}]}}}`
	expect(t, validate(t, schema, data), "")
}

// aliases returns lines of YAML that each stand for ten of the previous line.
func aliases(lines int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String()
}

// The end of the context ends the check, also one that takes long: this one has 100,000 parts.
func TestValidateEndsWithContext(t *testing.T) {
	t.Parallel()
	var definitions []string
	for level := range 5 {
		reference := fmt.Sprintf(`{"$ref": "#/definitions/a%d"}`, level+1)
		definitions = append(definitions, fmt.Sprintf(`"a%d": {"allOf": [%s]}`, level, strings.Repeat(reference+",", 9)+reference))
	}
	f := newFleet(t, configSchema("contract", nil, `{"$ref": "#/definitions/a0", "definitions": {`+strings.Join(definitions, ",")+
		`, "a5": true}}`))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		if _, err := New(f).Validate(ctx, everywhere(f)); !errors.Is(err, ctx.Err()) || err == nil {
			t.Errorf("got %v, want %v", err, ctx.Err())
		}
	}
}

func FuzzCheckSchema(f *testing.F) {
	for _, text := range []string{"", "{}", "true", `{"type": "object", "required": ["a"]}`, `{"$ref": "#"}`, `{"$id": "a", "$ref": "b"}`,
		`{"$ref": "#/%"}`, "a: &x [*x]", `{"pattern": "("}`, `{"propertyNames": {"anyOf": [{"pattern": "^b"}, false]}}`} {
		f.Add(text)
	}
	config := &Config{Values: map[string]any{"a": 1, "b": []any{"x", nil}}, leaves: func() []Leaf { return nil }}
	f.Fuzz(func(_ *testing.T, text string) {
		compiled, err := compileSchema(text)
		if err == nil {
			v := validation{composer: &Composer{}, instances: map[*Config]map[string]any{}, checked: map[check][]problem.Problem{}}
			_ = fmt.Sprint(v.problems(&schema{compiled: compiled}, config))
		}
	})
}

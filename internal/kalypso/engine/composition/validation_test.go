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

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
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

// What schemas find in data, and in themselves where a document has no data.
func TestSchemas(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/schemas.yaml", "testdata/problems.txt", func(text string) string {
		var document struct {
			Schema string
			Data   map[string]string
		}
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Error(err)
		}
		if document.Data != nil {
			return validate(t, document.Schema, document.Data) + "\n"
		}
		if err := CheckSchema(document.Schema); err != nil {
			return err.Error() + "\n"
		}
		return "\n"
	})
}

// Schemas that are too large to write down.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a0: &a0 {type: string}\n" + aliases(9):               "excessive aliasing",
		`{"title": "` + strings.Repeat("x", maxSchema) + `"}`: "more than 256 KiB",
	} {
		if err := CheckSchema(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
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

// Messages about texts and numbers show no value, because it may be a credential.
func TestValuesAreNotShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value, schema, want string }{
		{"DB_PASSWORD", "hunter2", `{"pattern": "^a"}`, "it does not match the"},
		{"DB_PASSWORD", "hunter2", `{"format": "ipv4"}`, "it is not in the"},
		{"DB_PASSWORD", "hunter2", `{"anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}`, "it does not match the"},
		{"DB_PASSWORD", "7353", `{"minimum": 8000}`, "minimum: want 8,000"},
		{"DB_PASSWORD", "7353", `{"multipleOf": 2}`, "multipleOf: want 2"},
		{"URL", "db://root:hunter2@x", `{"pattern": "^a"}`, "it does not match"},
		{"db", "password: hunter2", `{"properties": {"password": {"pattern": "^a"}}}`, "it does not match"},
		{"env", "[{name: DB_PASSWORD, value: hunter2}]", `{"items": {"properties": {"value": {"pattern": "^a"}}}}`,
			"it does not match"},
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

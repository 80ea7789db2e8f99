// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// fanOut returns a schema of definitions in levels: each level has `width` references to the
// next one, below a keyword, and the last level is end.
func fanOut(keyword string, width, levels int, end string) string {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/definitions/a0", "definitions": {`)
	for level := range levels {
		var references []string
		for i := range width {
			reference := fmt.Sprintf(`{"$ref": "#/definitions/a%d"}`, level+1)
			if strings.HasSuffix(keyword, "{") { // a map of schemas
				reference = fmt.Sprintf(`"k%d": %s`, i, reference)
			}
			references = append(references, reference)
		}
		closing := strings.NewReplacer("[", "]", "{", "}").Replace(keyword[strings.IndexAny(keyword, "[{"):])
		fmt.Fprintf(&b, `"a%d": {%s%s%s},`, level, keyword, strings.Join(references, ","), closing)
	}
	fmt.Fprintf(&b, `"a%d": %s}}`, levels, end)
	return b.String()
}

// circle returns a schema of definitions that all refer to each other.
func circle(definitions int) string {
	var all, references []string
	for i := range definitions {
		references = append(references, fmt.Sprintf(`{"$ref": "#/definitions/a%d"}`, i))
	}
	for i := range definitions {
		all = append(all, fmt.Sprintf(`"a%d": {"anyOf": [%s]}`, i, strings.Join(references, ",")))
	}
	return `{"$ref": "#/definitions/a0", "definitions": {` + strings.Join(all, ",") + `}}`
}

// chooses returns a schema of levels that each contain the next one in all three parts of a
// choice.
func chooses(levels int) string {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/definitions/a0", "definitions": {`)
	for i := range levels {
		next := fmt.Sprintf(`{"$ref": "#/definitions/a%d"}`, i+1)
		fmt.Fprintf(&b, `"a%d": {"if": %s, "then": %s, "else": {"not": %s}},`, i, next, next, next)
	}
	fmt.Fprintf(&b, `"a%d": {"type": "null"}}}`, levels)
	return b.String()
}

// The check of a schema of some kilobytes would take longer than the age of the universe. A
// problem names the schema.
func TestSchemasThatNeverEnd(t *testing.T) {
	t.Parallel()
	const work = "a check of the configuration takes more than 200000 steps"
	deep := strings.Repeat("[", 40) + "1" + strings.Repeat("]", 40)
	ten := map[string]string{}
	for i := range 10 {
		ten[fmt.Sprintf("k%d", i)] = "x"
	}
	var large strings.Builder
	for i := range 100 {
		fmt.Fprintf(&large, `{"pattern": "x{%d,1000}"},`, i)
	}
	for name, c := range map[string]struct {
		schema string
		data   map[string]string
		want   string
	}{
		"all of":            {fanOut(`"allOf": [`, 10, 12, `{"type": "null"}`), nil, work},
		"all of what holds": {fanOut(`"allOf": [`, 10, 12, `true`), nil, work},
		"any of":            {fanOut(`"anyOf": [`, 10, 12, `{"type": "null"}`), nil, work},
		"one of":            {fanOut(`"oneOf": [`, 10, 12, `false`), nil, work},
		"not": {strings.Replace(fanOut(`"anyOf": [`, 10, 12, `false`), `{"$ref": "#/definitions/a0"`,
			`{"not": {"$ref": "#/definitions/a0"}`, 1), nil, work},
		"dependencies": {fanOut(`"dependencies": {`, 10, 12, `false`), ten, work},
		"hidden from errors": {strings.Replace(fanOut(`"dependencies": {`, 10, 12, `false`), `{"$ref": "#/definitions/a0"`,
			`{"not": {"$ref": "#/definitions/a0"}`, 1), ten, work},
		"if, then, else":    {chooses(30), nil, work},
		"a circle":          {`{"$ref": "#"}`, nil, work},
		"circles":           {circle(12), nil, work},
		"below a list":      {`{"properties": {"A": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"items": {"allOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/a"}]}}}}`, map[string]string{"A": deep}, work},
		"patterns of names": {`{"properties": {"A": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"patternProperties": {"a": {"$ref": "#/definitions/a"}, "^a": {"$ref": "#/definitions/a"}}}}}`, map[string]string{"A": strings.Repeat("{a: ", 40) + "1" + strings.Repeat("}", 40)}, work},
		"names": {`{"propertyNames": ` + strings.ReplaceAll(fanOut(`"allOf": [`, 10, 12, `true`), "#/definitions",
			"#/propertyNames/definitions") + `}`, ten, work},
		"a large pattern": {`{"properties": {"A": {"pattern": "(.{0,500}){0,2}y"}}}`, map[string]string{"A": strings.Repeat("x", 100_000)},
			work},
		"a large name": {`{"patternProperties": {"(.{0,500}){0,2}y": false}}`, map[string]string{strings.Repeat("x", 100_000): "x"},
			work},
		"a list of values": {`{"allOf": [` + strings.Repeat(`{"$ref": "#/definitions/e"},`, 5000) + `true], "definitions": {"e": {"enum": ` +
			numbers(1000) + `}}}`, nil, work},
		"a newer draft inside": {`{"$ref": "#/default/a", "default": {"a": {"$id": "x:y", "$schema": "https://json-schema.org/draft/2020-12/schema", "dependentSchemas": {"k0": false}}}}`, ten, work},

		"many patterns":  {`{"allOf": [` + large.String() + `true]}`, nil, "the patterns have more than 50000 instructions together"},
		"a long pattern": {`{"pattern": "` + strings.Repeat("x", 5000) + `"}`, nil, "/pattern"},
		"many values":    {`{"enum": ` + numbers(20_000) + `}`, nil, "more than 20000 values"},
		"many levels":    {nested(65), nil, "is nested more than 64 levels deep"},
		"aliases":        {"a0: &a0 {type: string}\n" + aliases(9), nil, "excessive aliasing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := validate(t, c.schema, c.data)
			if !strings.Contains(got, "Invalid schema in ConfigSchema/contract (manifests[1], line 3): The schema cannot be used: ") ||
				!strings.Contains(got, c.want) {
				t.Errorf("%.300s", got)
			}
		})
	}
}

// nested returns a schema with this many levels.
func nested(levels int) string {
	return strings.Repeat(`{"not":`, levels-1) + "true" + strings.Repeat("}", levels-1)
}

// After the end of the run, no schema is compiled.
func TestCompilingEndsWithContext(t *testing.T) {
	t.Parallel()
	f := newFleet(t, configSchema("contract", nil, "{}"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := New(f)
	_, err := c.Validate(ctx, everywhere(f))
	if !errors.Is(err, context.Canceled) || len(c.schemas) != 1 || c.schemas[0].compiled != nil {
		t.Errorf("%v, %+v", err, c.schemas)
	}
}

// numbers returns a list of the first numbers.
func numbers(n int) string {
	var all []string
	for i := range n {
		all = append(all, strconv.Itoa(i))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// aliases returns lines of YAML that each stand for ten of the previous line.
func aliases(lines int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String()
}

// Schemas of people are far below the bounds: large schemas, alternatives in alternatives,
// and schemas that refer to themselves.
func TestLargeSchemasAreWithinBounds(t *testing.T) {
	t.Parallel()
	var properties []string
	data := map[string]string{}
	for i := range 2000 {
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

// All schemas, configurations and violations of a workspace count together, and do not count for
// another workspace.
func TestValidationOfWorkspacesIsBounded(t *testing.T) {
	t.Parallel()
	const enough, few = 1_000_000, 300
	const want = "Invalid schema: The check of the configurations of workloads without a workspace takes more than 300 steps."
	for name, schema := range map[string]string{
		"work":       `{"properties": {"A": {"items": {"type": "number"}}}}`,
		"violations": `{"required": ["B", "C"], "type": "object"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := append(generatedObjects(20, 30, 0), platform("settings", nil, map[string]string{"A": numbers(20)}))
			objects = append(objects, &manifest.Workload{
				Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "other", Labels: labels{"workspace": "team"}},
				DeploymentTargets: []manifest.DeploymentTarget{{Name: "live", Environment: "dev", ConfigSchemas: []string{`{"required": ["D"]}`}}},
			})
			for i := range 30 {
				objects = append(objects, configSchema(fmt.Sprintf("contract-%d", i), labels{"family": fmt.Sprint("family-", i%6)},
					strings.Replace(schema, "{", fmt.Sprintf(`{"title": "%d", `, i), 1)))
			}
			f := newFleet(t, objects...)
			assignments := everywhere(f)
			sound, err := New(f).validate(t.Context(), assignments, enough)
			if err != nil {
				t.Fatal(err)
			}
			found, err := New(f).validate(t.Context(), assignments, few)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range assignments {
				if a.Target.Workspace == "team" {
					if len(found[i]) != 1 || found[i][0] != sound[i][0] {
						t.Errorf("%s of another workspace: %v, want %v", a.Key(), found[i], sound[i])
					}
				} else if err := found[i].Err(); len(found[i]) != 1 || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s: %v", a.Key(), err)
				}
			}
			if err := slices.Concat(sound...).Err(); err == nil || strings.Contains(err.Error(), "steps") {
				t.Errorf("with enough work: %v", err)
			}
		})
	}
}

// The schemas of one workspace that are too large together do not stop another workspace's.
func TestCompilingOfWorkspacesIsBounded(t *testing.T) {
	t.Parallel()
	workload := func(name string, schemas ...string) *manifest.Workload {
		return &manifest.Workload{
			Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: name, Labels: labels{"workspace": name}},
			DeploymentTargets: []manifest.DeploymentTarget{{Name: "live", Environment: "dev", ConfigSchemas: schemas}},
		}
	}
	f := newFleet(t, workload("large", numbered(70)...), workload("small", `{"required": ["D"]}`))
	c := New(f)
	assignments := everywhere(f)
	found, err := c.Validate(t.Context(), assignments)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range assignments {
		want := map[string]string{
			"large": "of the workspace \"large\" takes more than 40000000 steps", "small": "missing property 'D'",
		}[a.Target.Workspace]
		if err := found[i].Err(); len(found[i]) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", a.Key(), err)
		}
	}
}

// numbered returns so many different schemas, each near the largest.
func numbered(n int) (schemas []string) {
	for i := range n {
		schemas = append(schemas, fmt.Sprintf(`{"title": "%d", "enum": %s}`, i, numbers(19_000)))
	}
	return schemas
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Validate checks the configuration of every assignment against every schema
// that applies to it (docs/guides/semantics.md, section 3.6). Errors (a
// problem.List): one problem for each schema, path and message, which lists the
// assignments and names the ConfigMaps that the value comes from; schemas that
// are no JSON Schema, where they apply. Cost: compiling every schema once, and
// one validation for every distinct pair of configuration and schema.
func (c *Composer) Validate(assignments []*placement.Assignment) error {
	c.compile()
	checked := map[check][]violation{}
	instances := map[*Config]instance{}
	printer := newPrinter()
	findings := map[finding]*occurrences{}
	var problems problem.List // each invalid schema once, whatever the number of assignments
	for _, a := range assignments {
		schemas := c.schemasOf(a)
		if len(schemas) == 0 {
			continue
		}
		config := c.Compose(a)
		it, known := instances[config]
		if !known {
			it = instance{forJSON(config.Values), notInJSON(config.Values)}
			instances[config] = it
		}
		for _, s := range schemas {
			if s.invalid != nil {
				problems.Add(*s.invalid)
				continue
			}
			pair := check{config, s.compiled}
			violations, known := checked[pair]
			if !known {
				violations = append(violationsOf(s.compiled, it.values, printer), it.notInJSON...)
				checked[pair] = violations
			}
			for _, v := range violations {
				path := pathOf(it.values, v.tokens)
				record(findings, finding{s.name, path, v.message}, a, config)
			}
		}
	}
	return append(problems, problemsOf(findings)...).Err()
}

// instance is a configuration as it is validated.
type instance struct {
	values    map[string]any
	notInJSON []violation
}

// check is what is validated once.
type check struct {
	config *Config
	schema *jsonschema.Schema
}

// schemasOf returns the schemas that apply to the assignment.
func (c *Composer) schemasOf(a *placement.Assignment) []*schema {
	ofTarget := c.ofTarget[a.Target]
	if len(c.schemas) == 0 {
		return ofTarget
	}
	var applying []*schema
	for i := range c.governing.match(a.ClusterType, a.Target).EachSet() {
		applying = append(applying, c.schemas[i])
	}
	return append(applying, ofTarget...)
}

// violationsOf validates the instance.
func violationsOf(s *jsonschema.Schema, instance map[string]any, printer printer) []violation {
	err := s.Validate(instance)
	if err == nil {
		return nil
	}
	failed, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // documented as the only type.
	if !ok {
		return []violation{{message: err.Error()}}
	}
	return flatten(failed, printer)
}

// finding is what is reported once, however many assignments show it.
type finding struct{ schema, path, message string }

type occurrences struct {
	assignments []string
	configMaps  map[string]bool
}

func record(findings map[finding]*occurrences, f finding, a *placement.Assignment, config *Config) {
	o, known := findings[f]
	if !known {
		o = &occurrences{configMaps: map[string]bool{}}
		findings[f] = o
	}
	o.assignments = append(o.assignments, a.Key())
	if f.path == "" {
		return
	}
	for _, leaf := range config.Leaves() {
		if isBelow(leaf.Path, f.path) {
			o.configMaps[leaf.SetBy] = true
		}
	}
}

func problemsOf(findings map[finding]*occurrences) problem.List {
	var problems problem.List
	for f, o := range findings {
		place := "The configuration"
		if f.path != "" {
			place = "The value " + f.path
		}
		if names := slices.Sorted(maps.Keys(o.configMaps)); len(names) > 0 {
			place += ", set by ConfigMap/" + strings.Join(names, " and ConfigMap/") + ","
		}
		problems.Add(problem.Problem{
			Summary: "Configuration does not satisfy its schema",
			Subject: f.schema,
			Detail:  fmt.Sprintf("%s is not valid: %s. %s", place, f.message, problem.Assignments(o.assignments)),
		})
	}
	return problems
}

// pathOf writes the tokens that lead into the instance like the path of a Leaf.
func pathOf(instance any, tokens []string) string {
	path := ""
	for _, token := range tokens {
		switch v := instance.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return path
			}
			path, instance = indexPath(path, i), v[i]
		case map[string]any:
			path, instance = keyPath(path, token), v[token]
		default:
			return path
		}
	}
	return path
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Validate checks the configuration of every assignment against every schema that applies
// to it (docs/guides/semantics.md, section 3.6).
//
// It returns the problems of each assignment, at the assignment's position: one problem for
// each schema, path and message, with the ConfigMaps that the value comes from. A schema that
// a deployment target brings along and that is not a JSON Schema is a problem of its
// assignments, too. It returns an error for such a ConfigSchema, for schemas that are too much
// work together, and at the end of the context.
//
// Cost: it compiles every schema once, and validates every distinct pair of configuration
// and schema once. Each costs no more than maxWork.
func (c *Composer) Validate(ctx context.Context, assignments []*placement.Assignment) ([]problem.List, error) {
	return c.validate(ctx, assignments, maxWork)
}

// validate is Validate within a bound.
func (c *Composer) validate(ctx context.Context, assignments []*placement.Assignment, most int) ([]problem.List, error) {
	c.compile(ctx)
	v := validation{composer: c, printer: newPrinter(), left: most, instances: map[*Config]instance{}, checked: map[check][]problem.Problem{}}
	found := make([]problem.List, len(assignments))
	var broken problem.List // each ConfigSchema once, whatever the number of assignments
	for i, a := range assignments {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		for _, s := range c.schemasOf(a) {
			for _, p := range v.problems(s, c.Compose(a)) {
				if p.Summary == summaryInvalid && !s.brought {
					broken.Add(p)
					continue
				}
				p.Assignment = a.Key()
				found[i].Add(p)
			}
		}
		if v.left < 0 {
			broken.Add(problem.Problem{Summary: summaryInvalid, Detail: fmt.Sprintf(
				"The check of the configurations of all assignments takes more than %d steps. Remove parts of the schemas that the "+
					"configurations do not need.", most)})
			break
		}
	}
	return found, broken.Err()
}

// validation is the work on all assignments.
type validation struct {
	composer  *Composer
	printer   printer
	instances map[*Config]instance
	checked   map[check][]problem.Problem
	// left is how much work may still be done.
	left int
}

// instance is a configuration in the form for validation.
type instance struct {
	values    map[string]any
	notInJSON []violation
}

// check is one validation, which runs once.
type check struct {
	config *Config
	schema *jsonschema.Schema
}

// problems returns the problems of a configuration with a schema, or the one that the schema
// cannot be used. They name no assignment.
func (v *validation) problems(s *schema, config *Config) []problem.Problem {
	if s.invalid != nil {
		return []problem.Problem{*s.invalid}
	}
	pair := check{config, s.compiled}
	problems, known := v.checked[pair]
	if !known {
		problems = v.check(s, config)
		v.checked[pair] = problems
	}
	v.left -= workOfProblem * len(problems)
	named := slices.Clone(problems) // another target may bring the same schema
	for i := range named {
		if named[i].Subject = s.name; named[i].Summary == summaryInvalid || !s.brought {
			named[i].Where = s.source.String()
		}
	}
	return named
}

// check validates a configuration.
func (v *validation) check(s *schema, config *Config) []problem.Problem {
	it, known := v.instances[config]
	if !known {
		it = instance{forJSON(config.Values), notInJSON(config.Values)}
		v.instances[config] = it
	}
	work := workOf(s.compiled, it.values)
	if v.left -= work; work > maxWorkOfOne {
		return []problem.Problem{*s.unusable(errTooMuchWork.Error())}
	}
	var problems []problem.Problem
	for _, violation := range append(violationsOf(s.compiled, it.values, v.printer), it.notInJSON...) {
		cure := ""
		if strings.HasPrefix(violation.message, "missing propert") { // as the library begins it
			cure = " Add what is missing to a ConfigMap that applies to the assignment."
		}
		problems = append(problems, problem.Problem{Summary: "Configuration does not satisfy its schema", Detail: fmt.Sprintf(
			"%s is not valid: %s.%s", v.composer.place(config, pathOf(it.values, violation.tokens)), violation.message, cure)})
	}
	return problems
}

// place names the value at a path, with the ConfigMaps that have set it.
func (c *Composer) place(config *Config, path string) string {
	if path == "" {
		return "The configuration"
	}
	names := map[string]bool{}
	for _, leaf := range config.Leaves() {
		if isBelow(leaf.Path, path) {
			names["ConfigMap/"+leaf.SetBy+c.sources[leaf.SetBy]] = true
		}
	}
	if len(names) == 0 {
		return "The value " + path
	}
	return "The value " + path + ", set by " + strings.Join(slices.Sorted(maps.Keys(names)), " and ") + ","
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

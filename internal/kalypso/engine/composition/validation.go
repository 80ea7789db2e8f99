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
// It returns a problem.List with one problem for each schema, path and message. A problem
// lists the assignments, and names the ConfigMaps that set the value. Other problems are
// schemas that are not a JSON Schema, and schemas that take too much work. The end of the
// context is an error, too.
//
// Cost: compiling every schema once, and validating every distinct pair of configuration and
// schema once. Each of the two costs at most maxWork.
func (c *Composer) Validate(ctx context.Context, assignments []*placement.Assignment) error {
	return c.validate(ctx, assignments, maxWork)
}

// validate is Validate with a bound.
func (c *Composer) validate(ctx context.Context, assignments []*placement.Assignment, most int) error {
	c.compile(ctx)
	v := validation{
		printer: newPrinter(), left: most,
		instances: map[*Config]instance{}, checked: map[check][]violation{}, findings: map[finding]*occurrences{},
	}
	for _, a := range assignments {
		if err := ctx.Err(); err != nil {
			return err
		}
		schemas := c.schemasOf(a)
		if len(schemas) == 0 {
			continue
		}
		config := c.Compose(a)
		it, known := v.instances[config]
		if !known {
			it = instance{forJSON(config.Values), notInJSON(config.Values)}
			v.instances[config] = it
		}
		for _, s := range schemas {
			if s.invalid != nil {
				v.problems.Add(*s.invalid)
				continue
			}
			for _, violation := range v.violations(s, config, it) {
				path := pathOf(it.values, violation.tokens)
				v.record(finding{s.name, path, violation.message}, a, config)
			}
		}
		if v.left < 0 {
			v.problems.Add(problem.Problem{Summary: "Invalid schema", Detail: fmt.Sprintf(
				"The check of the configurations of all assignments takes more than %d steps. Remove parts of the schemas that the "+
					"configurations do not need.", most)})
			break
		}
	}
	return append(v.problems, v.told()...).Err()
}

// validation is the work on all assignments.
type validation struct {
	printer   printer
	instances map[*Config]instance
	checked   map[check][]violation
	findings  map[finding]*occurrences
	problems  problem.List // each invalid schema once, for any number of assignments
	// left is how much work is left.
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

// violations returns the places where a configuration breaks a schema.
func (v *validation) violations(s *schema, config *Config, it instance) []violation {
	pair := check{config, s.compiled}
	violations, known := v.checked[pair]
	if !known {
		work := workOf(s.compiled, it.values)
		v.left -= work
		if work > maxWorkOfOne {
			v.problems.Add(*s.unusable(errTooMuchWork.Error()))
		} else {
			violations = append(violationsOf(s.compiled, it.values, v.printer), it.notInJSON...)
		}
		v.checked[pair] = violations
	}
	v.left -= len(violations)
	return violations
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

// finding is reported once, for any number of assignments.
type finding struct{ schema, path, message string }

type occurrences struct {
	assignments []string
	configs     map[*Config]bool
}

func (v *validation) record(f finding, a *placement.Assignment, config *Config) {
	o, known := v.findings[f]
	if !known {
		o = &occurrences{configs: map[*Config]bool{}}
		v.findings[f] = o
	}
	o.assignments = append(o.assignments, a.Key())
	o.configs[config] = true
}

// configMaps returns the names of the ConfigMaps that set the value at a path.
func (o *occurrences) configMaps(path string) []string {
	names := map[string]bool{}
	for config := range o.configs {
		for _, leaf := range config.Leaves() {
			if path != "" && isBelow(leaf.Path, path) {
				names[leaf.SetBy] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// told returns a problem for each finding.
func (v *validation) told() problem.List {
	var problems problem.List
	for f, o := range v.findings {
		place := "The configuration"
		if f.path != "" {
			place = "The value " + f.path
		}
		if names := o.configMaps(f.path); len(names) > 0 {
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

// pathOf writes tokens, which lead into the instance, as the path of a Leaf.
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

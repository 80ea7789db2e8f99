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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Validate checks the configuration of every assignment against every schema that applies
// to it (docs/guides/semantics.md, section 3.6).
//
// It returns the problems of each assignment, at the assignment's position: one problem for
// each schema, path and message, with the ConfigMaps that the value comes from. A schema that
// a deployment target brings along and that is not a JSON Schema is a problem of its
// assignments, too. If the schemas and checks of a workspace are too much work together, all
// assignments of this workspace have this one problem instead. It returns an error for a
// ConfigSchema that is not a JSON Schema, and at the end of the context.
//
// Cost: it compiles every schema once, and validates every distinct pair of configuration
// and schema once. This costs no more than maxWork for each workspace.
func (c *Composer) Validate(ctx context.Context, assignments []*placement.Assignment) ([]problem.List, error) {
	return c.validate(ctx, assignments, maxWork)
}

// validate is Validate within a bound.
func (c *Composer) validate(ctx context.Context, assignments []*placement.Assignment, most int) ([]problem.List, error) {
	c.compile(ctx)
	v := validation{composer: c, printer: newPrinter(), instances: map[*Config]instance{}, checked: map[check][]problem.Problem{},
		work: maps.Clone(c.work)}
	found := make([]problem.List, len(assignments))
	var broken problem.List // each ConfigSchema once, whatever the number of assignments
	for i, a := range assignments {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		for _, s := range c.schemasOf(a) {
			if v.work[a.Target.Workspace] > most {
				break
			}
			for _, p := range v.problems(a.Target.Workspace, s, c.Compose(a)) {
				if p.Summary == summaryInvalid && !s.brought {
					broken.Add(p)
					continue
				}
				found[i].Add(p)
			}
		}
	}
	for i, a := range assignments {
		if workspace := a.Target.Workspace; v.work[workspace] > most {
			found[i] = problem.List{{Summary: summaryInvalid, Detail: fmt.Sprintf("The check of the configurations of "+
				"%s takes more than %d steps. Remove parts of the schemas that the configurations do not need.",
				wording.Workspace(workspace), most)}}
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
	// work is the work for each workspace so far.
	work map[string]int
}

// check is one validation, which runs once.
type check struct {
	config *Config
	schema *jsonschema.Schema
}

// problems returns the problems of a configuration with a schema, or the one that the schema
// cannot be used. They name no assignment. The work counts for the workspace.
func (v *validation) problems(workspace string, s *schema, config *Config) []problem.Problem {
	if s.invalid != nil {
		return []problem.Problem{*s.invalid}
	}
	pair := check{config, s.compiled}
	problems, known := v.checked[pair]
	if !known {
		problems = v.check(workspace, s, config)
		v.checked[pair] = problems
	}
	v.work[workspace] += workOfProblem * len(problems)
	named := slices.Clone(problems) // another target may bring the same schema
	for i := range named {
		if named[i].Subject = s.name; named[i].Summary == summaryInvalid || !s.brought {
			named[i].Where = s.source.String()
		}
	}
	return named
}

func (v *validation) check(workspace string, s *schema, config *Config) []problem.Problem {
	it, known := v.instances[config]
	if !known {
		it = newInstance(config.Values)
		v.instances[config] = it
	}
	work := workOf(s.compiled, it.values)
	if v.work[workspace] += work; work > maxWorkOfOne {
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

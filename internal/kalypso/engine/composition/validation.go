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
	"sync/atomic"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Validate checks the configuration of every assignment against every schema that applies
// to it (docs/guides/semantics.md, section 3.6).
//
// It returns the problems of each assignment, at the assignment's position: one problem for
// each schema, path and message, with the ConfigMaps that set the value. An invalid schema of a
// deployment target is a problem of the target's assignments. Errors: an invalid ConfigSchema, and
// the end of the context.
//
// Cost: it compiles every schema once, and validates every distinct pair of configuration
// and schema once. The library cannot stop in the middle of a check, so Validate returns at the end of
// the context without waiting for the check.
func (c *Composer) Validate(ctx context.Context, assignments []*placement.Assignment) ([]problem.List, error) {
	type result struct {
		found []problem.List
		err   error
	}
	done, at := make(chan result, 1), &atomic.Value{}
	at.Store("a schema")
	go func() {
		found, err := c.validate(ctx, assignments, at)
		done <- result{found, err}
	}()
	select {
	case r := <-done:
		return r.found, r.err
	case <-ctx.Done():
		return make([]problem.List, len(assignments)), fmt.Errorf("%s was not checked to the end: %w", at.Load(), ctx.Err())
	}
}

// validate stores the names of the schemas in at, before it uses them.
func (c *Composer) validate(ctx context.Context, assignments []*placement.Assignment, at *atomic.Value) ([]problem.List, error) {
	v := c.newValidation(ctx, at)
	found := make([]problem.List, len(assignments))
	var broken problem.List // each ConfigSchema once, whatever the number of assignments
	for i, a := range assignments {
		for _, s := range v.schemasOf(a) {
			if err := ctx.Err(); err != nil {
				return found, err
			}
			at.Store(s.name)
			for _, p := range v.problems(s, c.Compose(a)) {
				if p.Summary == summaryInvalid && !s.isOfTarget {
					broken.Add(p)
					continue
				}
				found[i].Add(p)
			}
		}
	}
	return found, broken.Err()
}

type validation struct {
	composer *Composer

	schemas   []*schema // of ConfigSchemas
	governing *selector // over schemas
	// ofTarget are the schemas that deployment targets define themselves.
	ofTarget map[*fleet.Target][]*schema

	instances map[*Config]map[string]any
	checked   map[check][]problem.Problem
}

// check is one validation, which runs once.
type check struct {
	config *Config
	schema *jsonschema.Schema
}

// newValidation compiles the ConfigSchemas and the schemas of deployment targets, each distinct
// text once. It compiles nothing after the end of the context.
func (c *Composer) newValidation(ctx context.Context, at *atomic.Value) *validation {
	v := &validation{composer: c, ofTarget: map[*fleet.Target][]*schema{}, instances: map[*Config]map[string]any{},
		checked: map[check][]problem.Problem{}}
	known := map[string]schema{} // by text
	compile := func(name, text string) schema {
		at.Store(name)
		s, isKnown := known[text]
		if isKnown || ctx.Err() != nil {
			return s
		}
		var err error
		if s.compiled, err = compileSchema(text); err != nil {
			s.invalid = &problem.Problem{Summary: summaryInvalid, Detail: "The schema cannot be used: " + err.Error()}
		}
		known[text] = s
		return s
	}
	var labels []map[string]string
	for _, s := range c.fleet.ConfigSchemas {
		compiled := compile(s.ID(), s.Schema)
		compiled.name, compiled.source = s.ID(), s.Source
		v.schemas = append(v.schemas, &compiled)
		labels = append(labels, s.Labels)
	}
	v.governing = newSelector(c.fleet, labels)
	for _, t := range c.fleet.Targets {
		for i, text := range t.ConfigSchemas {
			name := fmt.Sprintf("config schema %d of %s, target %s", i+1, t.Owner, t.Name)
			s := compile(name, text)
			s.name = name
			s.source, s.isOfTarget = t.Source, true
			v.ofTarget[t] = append(v.ofTarget[t], &s)
		}
	}
	return v
}

func (v *validation) schemasOf(a *placement.Assignment) []*schema {
	var applying []*schema
	for i := range v.governing.match(a.ClusterType, a.Target).EachSet() {
		applying = append(applying, v.schemas[i])
	}
	return append(applying, v.ofTarget[a.Target]...)
}

// problems returns what a schema finds in a configuration, or the problem that the schema is invalid.
// The problems name no assignment.
func (v *validation) problems(s *schema, config *Config) []problem.Problem {
	problems := []problem.Problem{}
	if s.invalid != nil {
		problems = append(problems, *s.invalid)
	} else {
		pair := check{config, s.compiled}
		found, known := v.checked[pair]
		if !known {
			found = v.check(s.compiled, config)
			v.checked[pair] = found
		}
		problems = append(problems, found...)
	}
	for i := range problems {
		if problems[i].Subject = s.name; s.invalid != nil || !s.isOfTarget {
			problems[i].Where = s.source.String()
		}
	}
	return problems
}

func (v *validation) check(s *jsonschema.Schema, config *Config) (problems []problem.Problem) {
	instance, known := v.instances[config]
	if !known {
		instance = newInstance(config.Values)
		v.instances[config] = instance
	}
	for _, violation := range violationsOf(s, instance) {
		cure := ""
		if strings.HasPrefix(violation.message, "missing propert") { // as the library begins it
			cure = " Add what is missing to a ConfigMap that applies to the assignment."
		}
		problems = append(problems, problem.Problem{Summary: "Configuration does not satisfy its schema", Detail: fmt.Sprintf(
			"%s is not valid: %s.%s", v.composer.valueAt(config, pathOf(instance, violation.tokens)), violation.message, cure)})
	}
	return problems
}

// valueAt names the value at a path, with the ConfigMaps that have set it.
func (c *Composer) valueAt(config *Config, path string) string {
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

func violationsOf(s *jsonschema.Schema, instance map[string]any) []violation {
	err := s.Validate(instance)
	if err == nil {
		return nil
	}
	failed, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // documented as the only type.
	if !ok {
		return []violation{{message: err.Error()}}
	}
	return flatten(failed)
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

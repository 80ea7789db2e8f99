// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Application teams write schemas, and nothing can interrupt the library that checks them.
// So their work is bounded in advance. The unit of work is the comparison of one part of a
// schema with one value.
const (
	// maxWork bounds compiling the schemas of a workspace, and checking its configurations with
	// all schemas. Work that several workspaces need counts for the first of them.
	maxWork = 40_000_000
	// maxWorkOfOne bounds the check of one configuration with one schema.
	maxWorkOfOne = 200_000
	// workOfProblem is for keeping a problem of an assignment.
	workOfProblem = 10
	// maxValues is how many values one schema may hold.
	maxValues = 20_000
	// maxNesting is how deep values may be nested: the library reads the path to each from
	// the top.
	maxNesting = 64
	// maxPatterns is how many instructions all patterns of one schema may have.
	maxPatterns = 50_000
	// maxDepth is how deep parts of a schema may lead to others.
	maxDepth = 10_000
	// patternWork is how many characters an instruction of a pattern reads in one unit.
	patternWork = 256
)

var (
	errTooManySchemas = errors.New("the config schemas are too large together. Remove parts that configurations do not need")
	errLargePatterns  = fmt.Errorf("the patterns have more than %d instructions together. Write shorter ones, without large numbers of "+
		"repetitions", maxPatterns)
	errTooMuchWork = fmt.Errorf("a check of the configuration takes more than %d steps. Look for references that lead in a circle, "+
		"for lists of references to schemas that are such lists themselves, and for large patterns", maxWorkOfOne)
)

// pattern is a regular expression with the number of its instructions.
type pattern struct {
	*regexp.Regexp
	size int
}

// patterns are the patterns of one schema by their texts, because the library compiles each
// several times.
type patterns struct {
	known map[string]pattern
	// left is how many instructions are left; below 0 if the patterns have too many.
	left int
}

func (all *patterns) compile(text string) (jsonschema.Regexp, error) {
	if p, known := all.known[text]; known {
		return p, nil
	}
	size, err := regexSize(text)
	if err != nil {
		return nil, err
	}
	if all.left -= size; all.left < 0 {
		return nil, errLargePatterns
	}
	compiled, err := regexp.Compile(text)
	all.known[text] = pattern{compiled, size}
	return all.known[text], err
}

// regexSize returns how many instructions a regular expression has, or why it is not valid.
func regexSize(expression string) (int, error) {
	const longest = 4 << 10
	if len(expression) > longest {
		return 0, fmt.Errorf("it is longer than %d KiB", longest>>10)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	compiled, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(compiled.Inst), nil
}

// workOf returns the work of checking a value with a schema, if every alternative is tried
// and every pattern of names matches. It is more than maxWorkOfOne if the check may not end.
func workOf(s *jsonschema.Schema, v any) int {
	w := work{left: maxWorkOfOne}
	w.check(v, s)
	return maxWorkOfOne - max(w.left, -1)
}

// work counts down, and stops below 0.
type work struct{ left, depth int }

func (w *work) check(v any, schemas ...*jsonschema.Schema) {
	if w.depth++; w.depth > maxDepth {
		w.left = -1
	}
	for _, s := range schemas {
		if w.left < 0 {
			break
		}
		if s != nil {
			w.checkOne(v, s)
		}
	}
	w.depth--
}

func (w *work) checkOne(v any, s *jsonschema.Schema) {
	if w.left--; s.DraftVersion > draft7 { // a schema outside all schema positions; its draft has more keywords
		w.left = -1
	}
	if s.Enum != nil {
		w.left -= len(s.Enum.Values)
	}
	w.check(v, s.Ref, s.Not, s.If, s.Then, s.Else)
	w.check(v, s.AllOf...)
	w.check(v, s.AnyOf...)
	w.check(v, s.OneOf...)
	switch v := v.(type) {
	case map[string]any:
		w.checkObject(v, s)
	case []any:
		w.checkList(v, s)
	case string:
		w.match(s.Pattern, v)
	}
}

func (w *work) checkObject(v map[string]any, s *jsonschema.Schema) {
	for _, dependency := range s.Dependencies {
		if other, isSchema := dependency.(*jsonschema.Schema); isSchema {
			w.check(v, other)
		}
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, value := range v {
		w.check(name, s.PropertyNames)
		w.check(value, s.Properties[name], additional)
		for p, other := range s.PatternProperties {
			w.match(p, name)
			w.check(value, other)
		}
	}
}

func (w *work) checkList(v []any, s *jsonschema.Schema) {
	w.left -= len(v)
	each, _ := s.Items.(*jsonschema.Schema)
	first, _ := s.Items.([]*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, value := range v {
		w.check(value, each, additional, s.Contains)
		if i < len(first) {
			w.check(value, first[i])
		}
	}
}

// match counts the work of a pattern of ours.
func (w *work) match(p jsonschema.Regexp, text string) {
	if p, isOurs := p.(pattern); isOurs {
		w.left -= p.size * len(text) / patternWork
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// schema is a compiled JSON Schema with its name in messages. If it does not compile,
// invalid is the problem.
type schema struct {
	name     string
	source   manifest.Origin
	compiled *jsonschema.Schema
	// ignored are the keywords that are not enforced.
	ignored []ignored
	invalid *problem.Problem
	// brought is true if a deployment target brings it along: if it cannot be used, this is a
	// problem of that target alone.
	brought bool
}

const summaryInvalid = "Invalid schema"

// unusable is the problem that a schema cannot be used.
func (s *schema) unusable(reason string) *problem.Problem {
	return &problem.Problem{Summary: summaryInvalid, Subject: s.name, Where: s.source.String(), Detail: "The schema cannot be used: " + reason}
}

// CheckSchema returns the problem with the text of a JSON Schema, in JSON or YAML, or nil.
func CheckSchema(text string) error {
	_, err := compileSchema(text)
	return err
}

// compileSchemas compiles the ConfigSchemas and the schemas of deployment targets, each
// distinct text once. It compiles nothing after the end of the context.
func (c *Composer) compileSchemas(ctx context.Context, f *fleet.Fleet) {
	type result struct {
		compiled
		err error
	}
	results := map[string]result{}
	c.work = map[string]int{}
	compile := func(workspace, name, text string, source manifest.Origin) *schema {
		r, known := results[text]
		switch {
		case known:
		case ctx.Err() != nil:
			r.err = ctx.Err()
		case c.work[workspace] > maxWork:
			r.err = errTooManySchemas
		default:
			r.compiled, r.err = compileSchema(text)
			c.work[workspace] += r.work
			results[text] = r
		}
		s := &schema{name: name, source: source, compiled: r.schema, ignored: r.ignored}
		if r.err != nil {
			s.invalid = s.unusable(r.err.Error())
		}
		return s
	}

	var labels []map[string]string
	for _, s := range f.ConfigSchemas {
		c.schemas = append(c.schemas, compile("", s.ID(), s.Schema, s.Source))
		labels = append(labels, s.Labels)
	}
	c.governing = newSelector(f, labels)
	c.ofTarget = make(map[*fleet.Target][]*schema, len(f.Targets))
	for _, t := range f.Targets {
		for i, text := range t.ConfigSchemas {
			name := fmt.Sprintf("config schema %d of %s, target %s", i+1, t.Owner, t.Name)
			s := compile(t.Workspace, name, text, t.Source)
			s.brought = true
			c.ofTarget[t] = append(c.ofTarget[t], s)
		}
	}
}

// Ignored is a keyword of a schema that is not enforced, because Kalypso's validator does
// not know the keyword.
type Ignored struct {
	// Owner is the object that contains the schema, as kind/name.
	Owner string
	// Path is the JSON pointer to the keyword, or says that the text follows the end of the
	// schema.
	Path string
	// Meant is the keyword that the author probably meant; "" if the keyword is not
	// misspelled.
	Meant string
}

// IgnoredKeywords returns the keywords of all schemas that are not enforced, sorted, each
// once per object.
func (c *Composer) IgnoredKeywords() []Ignored {
	c.compile(context.Background())
	var all []Ignored
	note := func(owner string, s *schema) {
		for _, keyword := range s.ignored {
			all = append(all, Ignored{owner, keyword.path, keyword.meant})
		}
	}
	for _, s := range c.schemas {
		note(s.name, s)
	}
	for t, schemas := range c.ofTarget {
		for _, s := range schemas {
			note(t.Owner, s)
		}
	}
	slices.SortFunc(all, func(a, b Ignored) int {
		return cmp.Or(strings.Compare(a.Owner, b.Owner), strings.Compare(a.Path, b.Path))
	})
	return slices.Compact(all)
}

// schemaURL is the base of every schema. The address does not exist.
const schemaURL = "config:///schema"

// compiled is a schema that can be used.
type compiled struct {
	schema *jsonschema.Schema
	// ignored are the keywords that are not enforced.
	ignored []ignored
	// work is the cost of compiling the schema, in units of maxWork.
	work int
}

// compileSchema compiles a schema with its meaning for Kalypso's validator, without any I/O.
// Errors: the text is not a JSON Schema, or exceeds the limits of a schema.
func compileSchema(text string) (compiled, error) {
	document, rest, err := decodeSchema(text)
	if err != nil {
		return compiled{}, err
	}
	left := maxValues
	if err := checkValues(document, &left, maxNesting); err != nil {
		return compiled{}, err
	}
	values := maxValues - left
	c := compiled{work: values + values*values/500} // the library compares each part with all others
	if c.ignored, err = translate(document); err != nil {
		return compiled{}, err
	}
	if rest {
		c.ignored = append(c.ignored, ignored{path: behindTheEnd})
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	compiler.AssertFormat()
	for _, format := range formats {
		compiler.RegisterFormat(format)
	}
	compiler.UseLoader(noLoader{})
	patterns := patterns{left: maxPatterns, known: map[string]pattern{}}
	compiler.UseRegexpEngine(patterns.compile)
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return compiled{}, fmt.Errorf("the schema cannot be used: %w", err)
	}
	c.schema, err = compiler.Compile(schemaURL)
	c.work += maxPatterns - patterns.left
	switch {
	case patterns.left < 0:
		return c, errLargePatterns
	case err != nil:
		return c, schemaError(err)
	}
	return c, nil
}

// behindTheEnd is the path of the text after the JSON object of a schema.
const behindTheEnd = "the text behind the end of the JSON object"

// decodeSchema reads the text as JSON, or otherwise as YAML. rest reports whether invalid
// text follows the JSON object: Kalypso's validator stops reading there.
func decodeSchema(text string) (document any, rest bool, err error) {
	text = strings.TrimPrefix(text, "\ufeff") // an editor's byte order mark
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	jsonErr := decoder.Decode(&document)
	if _, next := decoder.Token(); jsonErr != nil || !errors.Is(next, io.EOF) {
		_, isObject := document.(map[string]any)
		var asYAML any
		yamlErr := decodeYAML(text, &asYAML)
		switch {
		case yamlErr == nil:
			document = new(instance).inJSON(asYAML)
		case isObject:
			rest = true
		case strings.HasPrefix(strings.TrimSpace(text), "{"):
			return nil, false, fmt.Errorf("the schema is not valid JSON: %w", jsonErr)
		default:
			return nil, false, fmt.Errorf("the schema is neither JSON nor YAML: %w", yamlErr)
		}
	}
	switch document.(type) {
	case map[string]any, bool:
		return document, rest, nil
	}
	return nil, false, errors.New(`the text is not a JSON Schema, which is an object such as {"type": "object"}`)
}

func decodeYAML(text string, document *any) error {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(document); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var second any
	switch err := decoder.Decode(&second); {
	case err == nil:
		return errors.New("a second document follows the first")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// maxExponent keeps numbers in the range of a double. The validator computes with exact
// fractions, and the fraction of 1e999999999 would fill the memory.
const maxExponent = 400

// checkValues subtracts the values of a schema's document from left, the number of values
// that it may have. levels is how deep it may be nested. Errors: too many values or levels,
// or a number with a large exponent.
func checkValues(v any, left *int, levels int) error {
	if levels == 0 {
		return fmt.Errorf("the schema is nested more than %d levels deep. Move the deeper parts under definitions, and refer to them ($ref)",
			maxNesting)
	}
	if *left--; *left < 0 {
		return fmt.Errorf("the schema has more than %d values. Remove those that the configuration does not need", maxValues)
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if err := checkValues(element, left, levels-1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, element := range v {
			if err := checkValues(element, left, levels-1); err != nil {
				return err
			}
		}
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(v.String()), "e")
		if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || n > maxExponent || n < -maxExponent) {
			return fmt.Errorf("the schema contains a number that is too large or too small: %s", markdown.Shorten(v.String(), maxShown))
		}
	}
	return nil
}

// noLoader refuses everything outside the schema itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, externalReference{strings.TrimPrefix(url, "config:///")}
}

type externalReference struct{ url string }

func (e externalReference) Error() string {
	return fmt.Sprintf("the schema refers to %q. Only references within the schema (\"#/definitions/…\") are followed, because planning "+
		"reads nothing from the network or from files. Copy the definition into the schema.", e.url)
}

// schemaError rewrites the library's errors as prose.
func schemaError(err error) error {
	var external externalReference
	if errors.As(err, &external) {
		return external
	}
	var invalid *jsonschema.SchemaValidationError
	var violations *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &violations) {
		var messages []string
		for _, v := range flatten(violations, newPrinter()) {
			where := "at the top level"
			if len(v.tokens) > 0 {
				where = "at /" + strings.Join(v.tokens, "/")
			}
			messages = append(messages, where+": "+v.message)
		}
		return fmt.Errorf("the schema breaks the rules of JSON Schema: %s", strings.Join(messages, "; "))
	}
	return fmt.Errorf("the schema breaks the rules of JSON Schema: %s", strings.ReplaceAll(err.Error(), schemaURL, ""))
}

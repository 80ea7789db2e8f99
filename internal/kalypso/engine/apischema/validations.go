// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// shallow are the keywords that check a value itself. deep are the keywords that check the
// values within it. Both have their meaning in JSON Schema draft 4, in which
// exclusiveMinimum is a boolean.
var (
	shallow = []string{
		"enum", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
	}
	deep = []string{"allOf", "anyOf", "oneOf", "not"}
)

// compileValidations compiles the rules of a schema for a value, except its types and
// fields.
func (v *Value) compileValidations(s map[string]any) error {
	document := map[string]any{}
	for _, keyword := range shallow {
		if argument, ok := s[keyword]; ok {
			document[keyword] = argument
		}
	}
	for _, keyword := range deep {
		argument, ok := s[keyword]
		if keyword == "anyOf" && s["x-kubernetes-int-or-string"] == true {
			continue // types and fields cover this case
		}
		if ok {
			document[keyword] = bare(argument)
		}
	}
	if len(document) == 0 {
		return nil
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(validationsURL, document); err != nil {
		return err
	}
	var err error
	v.validations, err = compiler.Compile(validationsURL)
	return err
}

// validationsURL is the base of every schema. The address does not exist.
const validationsURL = "crd:///schema"

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRefers }

// ignored are keywords that Kubernetes does not allow in schemas within others, or reads
// differently.
var ignored = []string{"format", "$ref", "id", "$schema", "uniqueItems", "default"}

// bare returns schemas within others without the ignored keywords. It keeps a property with
// such a name, whose value is a schema.
func bare(raw any) any {
	switch raw := raw.(type) {
	case []any:
		all := make([]any, len(raw))
		for i, s := range raw {
			all[i] = bare(s)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(raw))
		for key, value := range raw {
			switch _, isSchema := value.(map[string]any); {
			case key == "enum":
				all[key] = value
			case isSchema || !slices.Contains(ignored, key):
				all[key] = bare(value)
			}
		}
		return all
	}
	return raw
}

// invalid is a rule that a value breaks, at a path within it.
type invalid struct {
	path     []string
	expected string
}

// check returns the validations that the value breaks.
func (v *Value) check(content any) []invalid {
	err, isInvalid := v.validations.Validate(content).(*jsonschema.ValidationError) //nolint:errorlint // Validate returns only this type
	if !isInvalid {
		return nil
	}
	var all []invalid
	for _, cause := range err.Causes {
		all = append(all, explain(cause)...)
	}
	return all
}

// explain returns the expected values, without any part of the actual value.
func explain(err *jsonschema.ValidationError) []invalid {
	switch err.ErrorKind.(type) {
	case *kind.AllOf, *kind.Group, *kind.Reference, *kind.Schema:
		var all []invalid
		for _, cause := range err.Causes {
			all = append(all, explain(cause)...)
		}
		return all
	}
	return []invalid{{err.InstanceLocation, expectation(err.ErrorKind)}}
}

func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Enum:
		return "one of " + choices(k.Want) + nearestChoice(k)
	case *kind.Pattern:
		return "text that matches " + wording.Shorten(k.Want, maxPattern)
	case *kind.Minimum:
		return "at least " + decimal(k.Want)
	case *kind.Maximum:
		return "at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return "at least " + wording.Count(k.Want, "character")
	case *kind.MaxLength:
		return "at most " + wording.Count(k.Want, "character")
	case *kind.MinItems:
		return "at least " + wording.Count(k.Want, "element")
	case *kind.MaxItems:
		return "at most " + wording.Count(k.Want, "element")
	case *kind.MinProperties:
		return "at least " + wording.Count(k.Want, "field")
	case *kind.MaxProperties:
		return "at most " + wording.Count(k.Want, "field")
	case *kind.Required:
		return "something with " + strings.Join(k.Missing, " and ")
	case *kind.OneOf:
		return "a value that matches exactly one alternative in its schema"
	case *kind.AnyOf:
		return "a value that matches an alternative in its schema"
	default:
		return "a value that its schema allows"
	}
}

// maxChoices and maxPattern limit how much of a schema a message shows.
const (
	maxChoices = 8
	maxPattern = 80
)

func choices(all []any) string {
	names := make([]string, len(all))
	for i, choice := range all {
		names[i] = wording.Shorten(fmt.Sprint(choice), maxPattern)
	}
	slices.Sort(names)
	return wording.First(names, maxChoices)
}

// nearestChoice suggests a choice. The name comes from the schema, so it shows no other part
// of the value.
func nearestChoice(k *kind.Enum) string {
	got, isText := k.Got.(string)
	if !isText {
		return ""
	}
	return wording.Hint(got, texts(k.Want))
}

func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return fmt.Sprint(f)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

type violation struct {
	// tokens lead from the top of the instance to the place.
	tokens  []string
	message string
}

// words returns what the validator says about an error, in English.
func words(k jsonschema.ErrorKind) string {
	return k.LocalizedString(message.NewPrinter(language.English))
}

// flatten returns the violations that a person has to fix, sorted: the leaves of the
// validator's tree, except that alternatives stay together.
func flatten(e *jsonschema.ValidationError) []violation {
	violations := appendViolations(nil, e)
	slices.SortFunc(violations, compareViolations)
	return slices.CompactFunc(violations, func(a, b violation) bool { return compareViolations(a, b) == 0 })
}

func compareViolations(a, b violation) int {
	return cmp.Or(slices.Compare(a.tokens, b.tokens), strings.Compare(a.message, b.message))
}

func appendViolations(violations []violation, e *jsonschema.ValidationError) []violation {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		text := words(k)
		if len(e.Causes) > 0 {
			text += " (" + alternatives(e) + ")"
		}
		return append(violations, violation{e.InstanceLocation, text})
	case *kind.PropertyNames:
		return append(violations, violation{e.InstanceLocation, words(k)})
	}
	if len(e.Causes) == 0 {
		return append(violations, violation{e.InstanceLocation, describe(e)})
	}
	for _, cause := range e.Causes {
		violations = appendViolations(violations, cause)
	}
	return violations
}

func alternatives(e *jsonschema.ValidationError) string {
	var messages []string
	for _, cause := range e.Causes {
		for _, v := range flatten(cause) {
			if place := v.tokens[len(e.InstanceLocation):]; len(place) > 0 {
				v.message = "at " + strings.Join(place, "/") + ": " + v.message
			}
			messages = append(messages, v.message)
		}
	}
	slices.Sort(messages)
	return strings.Join(slices.Compact(messages), "; or ")
}

// shownNumber is the number that the validator shows beside the one that it wants.
var shownNumber = regexp.MustCompile(`got .*, want`)

// describe returns the message of a violation without the value, which may be a credential, and with sorted names.
func describe(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
	case *kind.Pattern:
		return fmt.Sprintf("it does not match the pattern %q", k.Want)
	case *kind.Format:
		return fmt.Sprintf("it is not in the format %q", k.Want)
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		return shownNumber.ReplaceAllString(words(k), "want")
	}
	return words(e.ErrorKind)
}

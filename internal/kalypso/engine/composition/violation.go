// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// violation is a place where an instance breaks its schema.
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

// compareViolations orders violations by place, then by message.
func compareViolations(a, b violation) int {
	return cmp.Or(slices.Compare(a.tokens, b.tokens), strings.Compare(a.message, b.message))
}

func appendViolations(violations []violation, e *jsonschema.ValidationError) []violation {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		text := words(e.ErrorKind)
		if len(e.Causes) > 0 {
			text += " (" + alternatives(e) + ")"
		}
		return append(violations, violation{e.InstanceLocation, text})
	case *kind.PropertyNames:
		text := fmt.Sprintf("%q is not a valid name here", wording.Shorten(k.Property, maxShown))
		return append(violations, violation{e.InstanceLocation, text})
	}
	if len(e.Causes) == 0 {
		return append(violations, violation{e.InstanceLocation, describe(e)})
	}
	for _, cause := range e.Causes {
		violations = appendViolations(violations, cause)
	}
	return violations
}

// alternatives says why each alternative fails.
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

// describe returns the message of a violation, with sorted names, and without large values
// or credentials.
func describe(e *jsonschema.ValidationError) string {
	name := ""
	for _, token := range e.InstanceLocation {
		if _, err := strconv.Atoi(token); err != nil {
			name = token
		}
	}
	named := name == "value" && len(e.InstanceLocation) > 1 // the field beside it may be the name of a credential
	shown := func(value string) string {
		if named {
			return credential.Digest(value)
		}
		return wording.Shorten(credential.Shown(name, value), maxShown)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return words(&kind.Required{Missing: slices.Sorted(slices.Values(k.Missing))})
	case *kind.AdditionalProperties:
		return words(&kind.AdditionalProperties{Properties: slices.Sorted(slices.Values(k.Properties))})
	case *kind.Pattern:
		return fmt.Sprintf("%q does not match the pattern %q", shown(k.Got), k.Want)
	case *kind.Format:
		return fmt.Sprintf("%q is not in the format %q", shown(fmt.Sprint(k.Got)), k.Want)
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MultipleOf:
		if named || credential.IsName(name) {
			return k.KeywordPath()[0] + " refuses the value. The message hides the value, because its name may be the name of a credential"
		}
	}
	return words(e.ErrorKind)
}

// maxShown is how many bytes of a value a message shows.
const maxShown = 60

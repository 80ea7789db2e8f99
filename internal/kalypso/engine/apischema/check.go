// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Fault is one thing that is wrong with an object.
type Fault struct {
	// What completes the sentence "This is an object with …". It contains no values.
	What string
	// IsTooLong reports whether the fault is that a label's value is too long.
	IsTooLong bool
	// IsRemoved reports whether the fault is a version that Flux or Argo CD no longer serve.
	IsRemoved bool
}

// maxFaults is the most faults that a message shows for one object.
const maxFaults = 20

// breach is a rule that the value at a path breaks, of the schema at an address. The value does
// not exist if the rule requires it.
type breach struct {
	path []string
	kind jsonschema.ErrorKind
	url  string
}

// faults returns what a schema finds in an object; nil without a schema.
func faults(schema *jsonschema.Schema, object any) (found []Fault) {
	if schema == nil {
		return nil
	}
	invalid, ok := schema.Validate(object).(*jsonschema.ValidationError) //nolint:errorlint // Validate returns only this type
	if !ok {
		return nil
	}
	breaches := appendBreaches(nil, invalid)
	// The library reports the type of a value first. If it is wrong, the other rules say nothing new.
	slices.SortStableFunc(breaches, func(a, b breach) int { return slices.Compare(a.path, b.path) })
	breaches = slices.CompactFunc(breaches, func(a, b breach) bool { return slices.Equal(a.path, b.path) })
	for _, b := range breaches {
		value, path := at(object, b.path)
		if t, isText := value.(string); isText && strings.Contains(t, fluxVariable) {
			continue
		}
		found = append(found, newFault(b, value, credential.Redact(path)))
	}
	return found
}

// fluxVariable begins a text that Flux fills in later with any value.
const fluxVariable = "${"

func appendBreaches(all []breach, err *jsonschema.ValidationError) []breach {
	of := breach{path: err.InstanceLocation, kind: err.ErrorKind, url: err.SchemaURL}
	switch k := err.ErrorKind.(type) {
	case *kind.AllOf, *kind.Group, *kind.Reference, *kind.Schema:
		for _, cause := range err.Causes {
			all = appendBreaches(all, cause)
		}
		return all
	case *kind.AdditionalProperties:
		return appendFields(all, of, k.Properties)
	case *kind.Required:
		return appendFields(all, of, k.Missing)
	}
	return append(all, of)
}

// appendFields adds a breach for each of some fields of a value.
func appendFields(all []breach, of breach, fields []string) []breach {
	around := of.path
	for _, field := range fields {
		of.path = append(slices.Clone(around), field)
		all = append(all, of)
	}
	return all
}

// newFault describes a breach by a value at a path.
func newFault(b breach, value any, path string) Fault {
	var f Fault
	switch b.kind.(type) {
	case *kind.AdditionalProperties:
		f.What = "the unknown field " + path + wording.Hint(b.path[len(b.path)-1], slices.Sorted(maps.Keys(compiled(b.url).Properties)))
	case *kind.Required:
		f.What = fmt.Sprintf("no %s, which is required", path)
	default:
		f.What = fmt.Sprintf("%s at %s, instead of %s", types[typeName(value)], path, expectation(b.kind))
	}
	if t, _ := value.(string); isLabel(b.kind) && len(t) > validation.LabelValueMaxLength {
		f = Fault{IsTooLong: true, What: fmt.Sprintf("more than %d characters at %s, which is a label's value",
			validation.LabelValueMaxLength, path)}
	}
	return f
}

func isLabel(k jsonschema.ErrorKind) bool {
	f, isFormat := k.(*kind.Format)
	return isFormat && f.Want == labelFormat
}

// expectation returns what a rule expects, without any part of a text in the object.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return typesInWords(k.Want)
	case *kind.Format:
		return formats[k.Want].expected
	case *kind.Pattern:
		return "text that matches " + wording.Shorten(k.Want, maxPattern)
	case *kind.Enum:
		names, hint := make([]string, len(k.Want)), ""
		for i, choice := range k.Want {
			names[i] = wording.Shorten(fmt.Sprint(choice), maxPattern)
		}
		slices.Sort(names)
		if got, isText := k.Got.(string); isText { // the name comes from the schema, so it shows no other part of the value
			hint = wording.Hint(got, names)
		}
		return "one of " + wording.First(names, maxChoices) + hint
	default:
		return "what its schema allows (" + k.LocalizedString(english) + ")"
	}
}

var english = message.NewPrinter(language.English)

// maxChoices and maxPattern limit how much of a schema a message shows.
const (
	maxChoices = 8
	maxPattern = 80
)

func typesInWords(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = types[name]
	}
	return strings.Join(all, " or ")
}

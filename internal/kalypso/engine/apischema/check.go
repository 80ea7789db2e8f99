// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// Fault is one thing that is wrong with an object.
type Fault struct {
	// What completes the sentence "This is an object with …". It contains no values.
	What string
	// By names the CustomResourceDefinition that the schema belongs to, with its file and
	// line. It is empty for the kinds of Kubernetes itself.
	By string
	// IsTooLong reports whether the fault is that a label's value is too long.
	IsTooLong bool
	// IsRemoved reports whether the fault is a version that Flux or Argo CD no longer serve.
	IsRemoved bool
}

// maxFaults is the most faults that a message shows for one object.
const maxFaults = 20

// Check returns the faults of an object, and nil if it has no faults. The library could
// decode the document of the object. Check skips the values that SOPS has encrypted, because
// the cluster gets other values.
func (s *Schema) Check(n *yaml.Node) []Fault {
	n = yamlnode.Resolve(n)
	if key, value := yamlnode.Field(n, "sops"); key != nil && typeOf(value) != null {
		return nil
	}
	if s.removed != "" {
		return []Fault{{What: s.removed, IsRemoved: true}}
	}
	if s.refusal != "" {
		return []Fault{{What: s.refusal, By: s.by}}
	}
	c := checker{by: s.by}
	c.value(n, s.root, nil)
	return c.faults
}

// checker goes through one object.
type checker struct {
	by     string
	faults []Fault
	// found counts the faults, including those that no message shows.
	found int
}

// place is the position of a value: a field, or an index of a list.
type place struct {
	around *place
	key    *yaml.Node // nil for an element of a list
	index  int
}

// String returns the path, as spec.containers[0].
func (p *place) String() string {
	if p == nil {
		return ""
	}
	around := p.around.String()
	switch {
	case p.key == nil:
		return fmt.Sprintf("%s[%d]", around, p.index)
	case strings.ContainsAny(p.key.Value, "./ "):
		return fmt.Sprintf("%s[%s]", around, p.key.Value)
	case around == "":
		return p.key.Value
	default:
		return around + "." + p.key.Value
	}
}

// fault records a fault at a place. The first argument of the format is the path of the
// place.
func (c *checker) fault(at *place, format string, args ...any) {
	c.note(Fault{What: fmt.Sprintf(format, append([]any{credential.Redact(at.String())}, args...)...)})
}

func (c *checker) note(f Fault) {
	f.By = c.by
	if c.found++; c.found <= maxFaults {
		c.faults = append(c.faults, f)
	}
}

// value checks a value that is not null, or an element of a list.
func (c *checker) value(n *yaml.Node, v *Value, at *place) {
	n = yamlnode.Resolve(n)
	if v.isAny() {
		return
	}
	is, found := typeOf(n), c.found
	switch {
	case is == null:
		if !v.isNullable {
			c.fault(at, "null at %s, instead of %s", v.types.prose())
		}
		return
	case n.Kind == yaml.ScalarNode:
		c.scalar(n, v, at)
		return
	case !v.types.allows(is):
		c.fault(at, "%[2]s at %[1]s, instead of %[3]s", is.prose(), v.types.prose())
		return
	case is == list && v.items != nil:
		c.elements(n, v, at)
	case is == object:
		c.fields(n, v, at)
	}
	if v.validations != nil {
		c.validations(n, v, at, found)
	}
}

func (c *checker) elements(n *yaml.Node, v *Value, at *place) {
	for i, element := range n.Content {
		within := &place{around: at, index: i}
		if v.takesNull && typeOf(element) == null {
			c.missing(v.items, nil, within)
			continue
		}
		c.value(element, v.items, within)
	}
}

func (c *checker) scalar(n *yaml.Node, v *Value, at *place) {
	expected := v.scalarFault(n)
	if expected == "" {
		return
	}
	if v.rule == labelRule && len(n.Value) > validation.LabelValueMaxLength {
		c.note(Fault{IsTooLong: true, What: fmt.Sprintf("more than %d characters at %s, which is a label's value",
			validation.LabelValueMaxLength, credential.Redact(at.String()))})
		return
	}
	c.fault(at, "%[2]s at %[1]s, instead of %[3]s", typeOf(n).prose(), expected)
}

// fields checks the fields of an object. A null field counts as missing.
func (c *checker) fields(n *yaml.Node, v *Value, at *place) {
	seen := map[string]bool{}
	for _, e := range yamlnode.Fields(n) {
		within := &place{around: at, key: e.Key}
		property, isNamed := v.properties[e.Key.Value]
		if !isNamed {
			property = v.additional
		}
		switch {
		case property != nil && typeOf(e.Value) == null && !property.isNullable:
			continue
		case property != nil:
			c.value(e.Value, property, within)
		case !v.isOpen:
			c.unknown(v, within)
		}
		seen[e.Key.Value] = true
	}
	c.missing(v, seen, at)
}

// missing records the required fields that an object lacks.
func (c *checker) missing(v *Value, seen map[string]bool, at *place) {
	for _, name := range v.required {
		if property := v.properties[name]; !seen[name] && (property == nil || property.fallback == nil) {
			c.fault(&place{around: at, key: &yaml.Node{Kind: yaml.ScalarNode, Value: name}}, "no %s, which is required")
		}
	}
}

// unknown records a field that the schema does not have.
func (c *checker) unknown(v *Value, at *place) {
	meant := ""
	if c.found < maxFaults {
		meant = wording.Hint(at.key.Value, slices.Sorted(maps.Keys(v.properties)))
	}
	c.fault(at, "the unknown field %s%s", meant)
}

// validations checks the rules for a whole value, unless the value already has a fault.
func (c *checker) validations(n *yaml.Node, v *Value, at *place, found int) {
	if c.found > found {
		return
	}
	for _, i := range v.check(v.contentOf(n)) {
		path := at.String()
		for _, step := range i.path {
			path += "." + step
		}
		c.fault(at, "%[2]s at %[3]s, instead of %[4]s", typeOf(n).prose(), credential.Redact(path), i.expected)
	}
}

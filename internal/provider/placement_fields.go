// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/zclconf/go-cty/cty"
)

// Attributes of objects have the names of the fields of an API in Terraform's spelling, so
// that one becomes the other by its name: match_labels is matchLabels.

// fieldName returns the name of an attribute as the API has it.
func fieldName(attribute string) string {
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// fieldsOf returns a value that is known, and that a schema was read by, as the fields of
// an API: for the encoder of JSON.
func fieldsOf(value cty.Value) any {
	switch of := value.Type(); {
	case of == cty.String:
		return value.AsString()
	case of == cty.Number:
		n, _ := value.AsBigFloat().Int64() // a schema has whole numbers
		return n
	case of.IsListType():
		list := []any{}
		for _, element := range value.AsValueSlice() {
			list = append(list, fieldsOf(element))
		}
		return list
	default:
		fields := map[string]any{}
		for name, inner := range value.AsValueMap() {
			if of.IsObjectType() {
				name = fieldName(name)
			}
			if !inner.IsNull() {
				fields[name] = fieldsOf(inner)
			}
		}
		return fields
	}
}

// writtenValue is the way back: what somebody would write down for the fields, who leaves out
// what is not set. The fields come from the decoder of YAML.
func writtenValue(fields any, attribute schema.Attribute) cty.Value {
	switch attribute := attribute.(type) {
	case schema.SingleNestedAttribute:
		return objectValue(fields, attribute.Attributes)
	case schema.ListNestedAttribute:
		return tupleValue(fields, func(element any) cty.Value { return objectValue(element, attribute.NestedObject.Attributes) })
	case schema.ListAttribute:
		return tupleValue(fields, scalarValue)
	case schema.MapAttribute:
		values := map[string]cty.Value{}
		labels, _ := fields.(map[string]any)
		for key, value := range labels {
			values[key] = scalarValue(value)
		}
		return cty.ObjectVal(values)
	default:
		return scalarValue(fields)
	}
}

func objectValue(fields any, attributes map[string]schema.Attribute) cty.Value {
	values := map[string]cty.Value{}
	set, _ := fields.(map[string]any)
	for name, attribute := range attributes {
		if inner, ok := set[fieldName(name)]; ok {
			values[name] = writtenValue(inner, attribute)
		}
		if _, ok := values[name]; !ok && attribute.IsRequired() {
			if _, nested := attribute.(schema.SingleNestedAttribute); nested {
				values[name] = cty.EmptyObjectVal // a selector of everything, which is not written
			}
		}
	}
	return cty.ObjectVal(values)
}

func tupleValue(fields any, element func(any) cty.Value) cty.Value {
	var values []cty.Value
	list, _ := fields.([]any)
	for _, inner := range list {
		values = append(values, element(inner))
	}
	return cty.TupleVal(values)
}

func scalarValue(field any) cty.Value {
	if n, ok := field.(int); ok {
		return cty.NumberIntVal(int64(n))
	}
	return cty.StringVal(fmt.Sprint(field))
}

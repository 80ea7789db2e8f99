// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"log"
	"maps"
	"slices"
)

// strict returns a structural schema, or a schema of Kubernetes, as a JSON Schema that refuses
// unknown fields. It expects objects without null fields, so a field that may be null is never
// required; a field with a default is not required either.
func strict(raw any) map[string]any {
	s, ok := raw.(map[string]any)
	if !ok {
		log.Fatalf("a schema is a %T", raw)
	}
	if name, ok := s["$ref"].(string); ok {
		return reference(name)
	}
	to := map[string]any{}
	for key, value := range s {
		switch key {
		case "type", "enum", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
			"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
			to[key] = value
		case "allOf", "anyOf", "oneOf", "not":
			if !fillsIn(s) {
				to[key] = bare(value)
			}
		}
	}
	if s["x-kubernetes-int-or-string"] == true {
		to["type"] = []any{"integer", "string"}
		delete(to, "anyOf") // it says the same
	}
	if s["format"] == "byte" {
		to["format"], to["type"] = "base64", []any{"string", "array"} // Go decodes a list of bytes, too
	}
	if is, ok := to["type"].(string); ok && s["nullable"] == true {
		to["type"] = []any{is, "null"}
	}
	within(to, s)
	if s["x-kubernetes-embedded-resource"] == true {
		embed(to, "apiVersion", "kind")
	}
	return to
}

// fillsIn reports whether a server fills in fields of an object, or keeps null fields. Then the
// alternatives of its schema are about another object than the written one.
func fillsIn(s map[string]any) bool {
	properties, _ := s["properties"].(map[string]any)
	for _, raw := range properties {
		property, _ := raw.(map[string]any)
		if _, hasDefault := property["default"]; hasDefault || property["nullable"] == true {
			return true
		}
	}
	return false
}

// within adds the schemas of fields and elements.
func within(to, s map[string]any) {
	if items, ok := s["items"]; ok {
		to["items"] = strict(items)
	}
	properties, ok := s["properties"].(map[string]any)
	if ok {
		fields := make(map[string]any, len(properties))
		for name, property := range properties {
			fields[name] = strict(property)
		}
		to["properties"] = fields
	}
	var required []any
	for _, field := range list(s["required"]) {
		name, _ := field.(string)
		property, _ := properties[name].(map[string]any)
		if _, hasDefault := property["default"]; !hasDefault && property["nullable"] != true {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		to["required"] = required
	}
	isOpen := s["x-kubernetes-preserve-unknown-fields"] == true || s["additionalProperties"] == true
	switch additional, isSchema := s["additionalProperties"].(map[string]any); {
	case isSchema:
		to["additionalProperties"] = strict(additional)
	case !isOpen && (ok || s["type"] == "object"):
		to["additionalProperties"] = false
	}
}

// embed adds the fields that every object has.
func embed(to map[string]any, required ...any) {
	properties := map[string]any{
		"apiVersion": map[string]any{"type": "string"}, "kind": map[string]any{"type": "string"}, "metadata": reference(objectMeta),
	}
	if own, ok := to["properties"].(map[string]any); ok {
		maps.Copy(own, properties)
	} else {
		to["properties"] = properties
	}
	if own, _ := to["required"].([]any); len(own)+len(required) > 0 {
		to["required"] = append(own, required...)
	}
	to["type"] = "object"
}

// openStatus lets an object have any status, because controllers write the status.
func openStatus(to map[string]any) {
	to["properties"].(map[string]any)["status"] = map[string]any{}
	if required, ok := to["required"].([]any); ok {
		if required = slices.DeleteFunc(required, func(name any) bool { return name == "status" }); len(required) == 0 {
			delete(to, "required")
		}
	}
}

func reference(definition string) map[string]any {
	return map[string]any{"$ref": definition}
}

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

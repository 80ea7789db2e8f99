// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// compiler compiles the schemas of Kubernetes and of CustomResourceDefinitions.
type compiler struct {
	// definitions are the compiled definitions of Kubernetes, by name.
	definitions map[string]*Value
	// isKubernetes reports whether the current schema is one of Kubernetes.
	isKubernetes bool
}

var errRefers = errors.New("the schema refers to another one")

// ofDefinition returns the schema of a version of a CustomResourceDefinition. Errors: the
// schema is not a structural schema.
func (c *compiler) ofDefinition(schema *yaml.Node) (*Schema, error) {
	root, err := c.value((*Value)(nil).contentOf(schema)) // the library takes quadratic time to decode
	if err != nil {
		return nil, err
	}
	c.embed(root)
	root.required = slices.DeleteFunc(root.required, func(name string) bool { return name == "status" })
	return asRoot(root), nil
}

// asRoot returns the schema of whole objects. It allows any status, because controllers
// write the status.
func asRoot(v *Value) *Schema {
	root := *v
	root.properties = maps.Clone(v.properties)
	root.properties["status"] = &Value{}
	return &Schema{root: &root}
}

// embed adds the fields that every object has.
func (c *compiler) embed(v *Value) {
	if v.properties == nil {
		v.properties = map[string]*Value{}
	}
	for name, property := range map[string]*Value{
		"apiVersion": {types: text}, "kind": {types: text}, "metadata": c.definition(objectMeta),
	} {
		v.properties[name] = property
	}
	v.types = object
}

// value compiles a structural schema, or a schema of Kubernetes.
func (c *compiler) value(raw any) (*Value, error) {
	s, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a schema is a %T", raw)
	}
	if name, ok := s["$ref"].(string); ok {
		if !c.isKubernetes {
			return nil, errRefers
		}
		return c.definition(name), nil
	}
	v := &Value{
		types:      typesOf(s["type"]),
		isNullable: s["nullable"] == true,
		isOpen:     s["x-kubernetes-preserve-unknown-fields"] == true,
		required:   texts(s["required"]),
	}
	if s["x-kubernetes-int-or-string"] == true {
		v.types = integer | text
	}
	if s["format"] == "byte" && v.types == text {
		v.rule, v.types = base64Rule, text|list // Go decodes a list of bytes, too
	}
	if err := c.fields(v, s); err != nil {
		return nil, err
	}
	if s["x-kubernetes-embedded-resource"] == true {
		c.embed(v)
		v.required = append(v.required, "apiVersion", "kind")
	}
	v.fallback = v.completed(s["default"])
	return v, v.compileValidations(s)
}

// fields compiles the schemas within objects and lists.
func (c *compiler) fields(v *Value, s map[string]any) (err error) {
	if properties, ok := s["properties"].(map[string]any); ok {
		v.properties = make(map[string]*Value, len(properties))
		for name, property := range properties {
			if v.properties[name], err = c.value(property); err != nil {
				return err
			}
		}
	}
	switch additional := s["additionalProperties"].(type) {
	case map[string]any:
		if v.additional, err = c.value(additional); err != nil {
			return err
		}
	case bool:
		v.isOpen = v.isOpen || additional
	}
	if items, ok := s["items"]; ok {
		v.takesNull = c.isKubernetes
		v.items, err = c.value(items)
	}
	return err
}

func typesOf(raw any) types {
	var all types
	switch raw := raw.(type) {
	case string:
		all = typeNames[raw]
	case []any:
		for _, name := range texts(raw) {
			all |= typeNames[name]
		}
	}
	return all
}

func texts(raw any) []string {
	var all []string
	elements, _ := raw.([]any)
	for _, element := range elements {
		if t, ok := element.(string); ok {
			all = append(all, t)
		}
	}
	return all
}

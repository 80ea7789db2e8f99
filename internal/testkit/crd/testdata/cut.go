// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build ignore

// Makes schemas.json of CustomResourceDefinitions: go run cut.go FILE... > schemas.json
package main

import (
	"encoding/json"
	"log"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	schemas := map[string]any{}
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var definition struct {
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct {
					Name       string
					Deprecated bool
					Schema     struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		if err := yaml.Unmarshal(text, &definition); err != nil {
			log.Fatal(err)
		}
		for _, version := range definition.Spec.Versions {
			if version.Deprecated {
				continue
			}
			schemas[definition.Spec.Group+"/"+version.Name+"/"+definition.Spec.Names.Kind] = cut(version.Schema.OpenAPIV3Schema)
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	if err := out.Encode(schemas); err != nil {
		log.Fatal(err)
	}
}

// cut returns a schema as JSON Schema: without prose and what Kubernetes adds to it, and
// without room for fields that it does not name.
func cut(schema map[string]any) map[string]any {
	short := map[string]any{}
	for key, value := range schema {
		switch key {
		case "required", "type", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "const":
			short[key] = value
		case "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = cut(property.(map[string]any))
			}
			short[key] = properties
		case "items", "not":
			short[key] = cut(value.(map[string]any))
		case "additionalProperties":
			if s, ok := value.(map[string]any); ok {
				value = cut(s)
			}
			short[key] = value
		case "anyOf", "oneOf", "allOf":
			var all []any
			for _, s := range value.([]any) {
				all = append(all, loosely(s.(map[string]any)))
			}
			short[key] = all
		}
	}
	_, named := schema["properties"]
	_, open := schema["additionalProperties"]
	if named && !open && schema["x-kubernetes-preserve-unknown-fields"] != true {
		short["additionalProperties"] = false
	}
	return short
}

// loosely is cut for a schema that stands beside another one, which names the fields.
func loosely(schema map[string]any) map[string]any {
	short := cut(schema)
	delete(short, "additionalProperties")
	return short
}

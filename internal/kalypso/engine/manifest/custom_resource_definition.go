// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "go.yaml.in/yaml/v3"

// KindCustomResourceDefinition is the kind of a CustomResourceDefinition, which is
// Kubernetes' own. It takes no part in a fleet but to say how rendered objects look.
const KindCustomResourceDefinition Kind = "CustomResourceDefinition"

// definitionsVersion is the apiVersion of CustomResourceDefinitions with a schema for
// each version; that of older ones, which no cluster takes any more, begins alike.
const definitionsVersion = "apiextensions.k8s.io/v1"

// CustomResourceDefinition says how the objects of a kind look.
type CustomResourceDefinition struct {
	Meta
	// Group and Of are the group and the kind of the objects.
	Group, Of string
	Versions  []CustomResourceVersion
}

// CustomResourceVersion is a version of a CustomResourceDefinition.
type CustomResourceVersion struct {
	Name string
	// Schema is the version's openAPIV3Schema, without descriptions, comments, anchors
	// and aliases.
	Schema *yaml.Node
}

// definition returns the document's CustomResourceDefinition, nil where it is none. It
// is a vendor's, so nothing in it is a problem: what cannot be read is left out.
func (d *document) definition() *CustomResourceDefinition {
	if scalarAt(d.root, "kind") != string(KindCustomResourceDefinition) || scalarAt(d.root, "apiVersion") != definitionsVersion {
		return nil
	}
	quiet := &document{input: d.input, part: d.part, root: d.root}
	spec := child(d.root, "spec")
	c := &CustomResourceDefinition{
		Meta:  Meta{Kind: KindCustomResourceDefinition, Name: scalarAt(child(d.root, "metadata"), "name"), Source: d.at(d.root)},
		Group: scalarAt(spec, "group"),
		Of:    scalarAt(child(spec, "names"), "kind"),
	}
	if versions := child(spec, "versions"); versions != nil && versions.Kind == yaml.SequenceNode {
		for _, v := range versions.Content {
			v = resolve(v)
			schema := child(child(v, "schema"), "openAPIV3Schema")
			if name := scalarAt(v, "name"); name != "" && schema != nil && schema.Kind == yaml.MappingNode {
				c.Versions = append(c.Versions, CustomResourceVersion{name, withoutProse(quiet.block(schema, ""))})
			}
		}
	}
	if len(quiet.problems) > 0 || c.Name == "" {
		return nil
	}
	return c
}

func (c *CustomResourceDefinition) encode(to *envelope) {
	type schema struct {
		Schema *yaml.Node `yaml:"openAPIV3Schema"`
	}
	type version struct {
		Name   text   `yaml:"name"`
		Schema schema `yaml:"schema"`
	}
	spec := struct {
		Group text `yaml:"group"`
		Names struct {
			Kind text `yaml:"kind"`
		} `yaml:"names"`
		Versions []version `yaml:"versions"`
	}{Group: text(c.Group)}
	spec.Names.Kind = text(c.Of)
	for _, v := range c.Versions {
		spec.Versions = append(spec.Versions, version{text(v.Name), schema{v.Schema}})
	}
	to.APIVersion, to.Spec = definitionsVersion, spec
}

// withoutProse takes descriptions and examples out of a schema: most of its text, and
// nothing that it says.
func withoutProse(schema *yaml.Node) *yaml.Node {
	if schema.Kind != yaml.MappingNode {
		return schema
	}
	kept := schema.Content[:0]
	for i := 0; i+1 < len(schema.Content); i += 2 {
		key, value := schema.Content[i], schema.Content[i+1]
		switch key.Value {
		case "description", "title", "example", "externalDocs":
			continue
		case "properties":
			for j := 1; j < len(value.Content); j += 2 {
				withoutProse(value.Content[j])
			}
		case "items", "additionalProperties", "not":
			withoutProse(value)
		case "allOf", "anyOf", "oneOf":
			for _, s := range value.Content {
				withoutProse(s)
			}
		}
		kept = append(kept, key, value)
	}
	schema.Content = kept
	return schema
}

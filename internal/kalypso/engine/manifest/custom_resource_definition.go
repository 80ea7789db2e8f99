// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

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
	// Versions are empty if it is of an apiVersion that no cluster takes any more.
	Versions []CustomResourceVersion
}

// CustomResourceVersion is a version of a CustomResourceDefinition.
type CustomResourceVersion struct {
	Name string
	// IsServed reports whether clusters take objects of the version.
	IsServed bool
	// Schema is the version's openAPIV3Schema, without descriptions, comments, anchors
	// and aliases; nil if there is none.
	Schema *yaml.Node
}

// definition returns the document's CustomResourceDefinition, and nil if it is another
// kind. A vendor wrote it, so nothing in it is a problem: definition leaves out what it
// cannot read.
func (d *document) definition() *CustomResourceDefinition {
	apiVersion := scalarAt(d.root, "apiVersion")
	if scalarAt(d.root, "kind") != string(KindCustomResourceDefinition) || !strings.HasPrefix(apiVersion, definitionsVersion) {
		return nil
	}
	quiet := &document{input: d.input, part: d.part, root: d.root}
	c := &CustomResourceDefinition{
		Meta:  Meta{Kind: KindCustomResourceDefinition, Name: scalarAt(d.root, "metadata", "name"), Source: d.at(d.root)},
		Group: scalarAt(d.root, "spec", "group"),
		Of:    scalarAt(d.root, "spec", "names", "kind"),
	}
	if versions := yamlnode.At(d.root, "spec", "versions"); versions != nil && versions.Kind == yaml.SequenceNode &&
		apiVersion == definitionsVersion {
		for _, v := range versions.Content {
			version := CustomResourceVersion{Name: scalarAt(v, "name"), IsServed: scalarAt(v, "served") != "false"}
			if schema := yamlnode.At(v, "schema", "openAPIV3Schema"); schema != nil && schema.Kind == yaml.MappingNode {
				version.Schema = withoutProse(quiet.block(schema, ""), false)
			}
			if version.Name != "" {
				c.Versions = append(c.Versions, version)
			}
		}
	}
	if len(quiet.problems) > 0 || c.Name == "" {
		return nil
	}
	return c
}

// document returns the definition in its written form.
func (c *CustomResourceDefinition) document() any {
	type version struct {
		Name   text
		Served bool
		Schema map[string]any `yaml:",omitempty"`
	}
	versions := make([]version, len(c.Versions))
	for i, v := range c.Versions {
		versions[i] = version{Name: text(v.Name), Served: v.IsServed}
		if v.Schema != nil {
			versions[i].Schema = map[string]any{"openAPIV3Schema": v.Schema}
		}
	}
	return envelope{definitionsVersion, c.Kind, map[string]text{"name": text(c.Name)},
		map[string]any{"group": text(c.Group), "names": map[string]any{"kind": text(c.Of)}, "versions": versions}}
}

// envelope is a document that is not in the table of kinds.
type envelope struct {
	APIVersion string          `yaml:"apiVersion"`
	Kind       Kind            `yaml:"kind"`
	Metadata   map[string]text `yaml:"metadata"`
	Spec       any             `yaml:"spec"`
}

// prose are the parts of a schema that say nothing.
var prose = []string{"description", "title", "example", "externalDocs"}

// withoutProse takes the prose, which is most of the text, out of a schema, or out of the schemas of
// properties.
func withoutProse(of *yaml.Node, isProperties bool) *yaml.Node {
	if of.Kind != yaml.MappingNode {
		for _, item := range of.Content {
			withoutProse(item, false)
		}
		return of
	}
	kept := of.Content[:0]
	for i := 0; i+1 < len(of.Content); i += 2 {
		key, value := of.Content[i], of.Content[i+1]
		if isProperties || !slices.Contains(prose, key.Value) {
			kept = append(kept, key, withoutProse(value, key.Value == "properties" && !isProperties))
		}
	}
	of.Content = kept
	return of
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// isFlat has the mappings of a document that do not become blocks: their fields are attributes and
// blocks beside those of the mapping that they are in.
var isFlat = map[string]bool{"metadata": true, "annotations": true, "spec": true, labelSelector: true}

// In a document, an empty labelSelector selects everything. In Terraform, match_all = true says so.
const (
	labelSelector = "labelSelector"
	matchAll      = "match_all"
)

// renamed has the names of attributes and blocks that differ from those of the fields.
var renamed = map[string]string{
	"deploymentTargets":                 "deployment_target",
	"matchExpressions":                  "match_expression",
	"kalypso-gitops.io/placement":       "placement",
	"kalypso-gitops.io/placement-scope": "per_deployment_target",
}

var capital = regexp.MustCompile(`[A-Z]`)

// terraformName returns the name of a field in Terraform.
func terraformName(field string) string {
	if name, isRenamed := renamed[field]; isRenamed {
		return name
	}
	return strings.ToLower(capital.ReplaceAllString(field, "_$0"))
}

// toDocument returns a mapping with these fields as a document has it, from attributes and blocks.
func toDocument(fields []manifest.Field, from map[string]any) map[string]any {
	document := map[string]any{}
	for _, f := range fields {
		if isFlat[f.Name] {
			document[f.Name] = toDocument(f.Fields, from)
			continue
		}
		switch value := from[terraformName(f.Name)].(type) {
		case nil:
		case bool:
			if value {
				document[f.Name] = f.True
			}
		case map[string]any:
			if document[f.Name] = value; f.Type == manifest.Mapping {
				document[f.Name] = toDocument(f.Fields, value)
			}
		case []any:
			items := slices.Clone(value)
			for i, item := range items {
				if block, isBlock := item.(map[string]any); isBlock {
					items[i] = toDocument(f.Of.Fields, block)
				}
			}
			document[f.Name] = items
		default:
			document[f.Name] = value
		}
	}
	return document
}

// jsonOf returns a document as JSON without the characters that YAML takes for line breaks, or refuses.
func jsonOf(document map[string]any) string {
	var b strings.Builder
	text, _ := json.Marshal(document) // maps, lists and texts always have a form in JSON
	for _, r := range string(text) {
		if r > 0xffff || unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// fromDocument returns attributes and blocks, from a mapping with these fields as a document has it.
func fromDocument(fields []manifest.Field, document map[string]any) map[string]any {
	config := map[string]any{}
	for _, f := range fields {
		name, value := terraformName(f.Name), document[f.Name]
		mapping, _ := value.(map[string]any)
		items, _ := value.([]any)
		switch {
		case isFlat[f.Name]:
			maps.Copy(config, fromDocument(f.Fields, mapping))
			if f.Name == labelSelector && len(mapping) == 0 {
				config[matchAll] = true
			}
		case value == nil, f.Type == manifest.Anything:
		case f.True != "":
			config[name] = value == f.True
		case f.Type == manifest.Mapping:
			config[name] = fromDocument(f.Fields, mapping)
		case f.Type == manifest.List && f.Of.Type == manifest.Mapping:
			blocks := make([]any, len(items))
			for i, item := range items {
				block, _ := item.(map[string]any)
				blocks[i] = fromDocument(f.Of.Fields, block)
			}
			config[name] = blocks
		default:
			config[name] = value
		}
	}
	return config
}

// fromTerraform returns a known value as Go has it; nil for null.
func fromTerraform(value tftypes.Value) any {
	var (
		text    string
		boolean bool
		list    []tftypes.Value
		mapping map[string]tftypes.Value
	)
	switch {
	case value.IsNull():
	case value.As(&text) == nil:
		return text
	case value.As(&boolean) == nil:
		return boolean
	case value.As(&list) == nil:
		all := make([]any, len(list))
		for i, item := range list {
			all[i] = fromTerraform(item)
		}
		return all
	case value.As(&mapping) == nil:
		all := make(map[string]any, len(mapping))
		for name, part := range mapping {
			all[name] = fromTerraform(part)
		}
		return all
	}
	return nil
}

// toTerraform is the reverse of fromTerraform.
func toTerraform(of tftypes.Type, value any) tftypes.Value {
	switch value := value.(type) {
	case map[string]any:
		parts := map[string]tftypes.Value{}
		switch of := of.(type) {
		case tftypes.Object:
			for name, of := range of.AttributeTypes {
				parts[name] = toTerraform(of, value[name])
			}
		case tftypes.Map:
			for name, part := range value {
				parts[name] = toTerraform(of.ElementType, part)
			}
		}
		return tftypes.NewValue(of, parts)
	case []any:
		var element tftypes.Type
		switch of := of.(type) {
		case tftypes.List:
			element = of.ElementType
		case tftypes.Set:
			element = of.ElementType
		}
		items := make([]tftypes.Value, len(value))
		for i, item := range value {
			items[i] = toTerraform(element, item)
		}
		return tftypes.NewValue(of, items)
	}
	return tftypes.NewValue(of, value)
}

// toWorkspaceLabel moves the workspace of a workload from its attribute to the label that a document
// has, and fromWorkspaceLabel moves it back.
func toWorkspaceLabel(config map[string]any) {
	if workspace := config[manifest.LabelWorkspace]; workspace != nil {
		labels, _ := config["labels"].(map[string]any)
		if labels = maps.Clone(labels); labels == nil {
			labels = map[string]any{}
		}
		labels[manifest.LabelWorkspace] = workspace
		config["labels"] = labels
	}
}

func fromWorkspaceLabel(config map[string]any) {
	labels, _ := config["labels"].(map[string]any)
	config[manifest.LabelWorkspace] = labels[manifest.LabelWorkspace]
	if delete(labels, manifest.LabelWorkspace); len(labels) == 0 {
		delete(config, "labels")
	}
}

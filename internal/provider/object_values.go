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

// toWorkspaceLabel moves the workspace of a workload from its attribute to the label that a document has.
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

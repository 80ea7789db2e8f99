// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labelSelectorModel is a Kubernetes label selector. Its JSON is that of the API.
type labelSelectorModel struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty" tfsdk:"match_labels"`
	MatchExpressions []expressionModel `json:"matchExpressions,omitempty" tfsdk:"match_expressions"`
}

type expressionModel struct {
	Key      string   `json:"key" tfsdk:"key"`
	Operator string   `json:"operator" tfsdk:"operator"`
	Values   []string `json:"values,omitempty" tfsdk:"values"`
}

// selectorNames are the requirements of a label selector.
var selectorNames = explicitSelector("match_labels", "match_expressions")

// selectorAttributes are the attributes of a Kubernetes label selector.
func selectorAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"match_labels": labelsAttribute("Labels that have exactly these values."),
	}
}

// selectorBlocks are the blocks of a Kubernetes label selector.
func selectorBlocks() map[string]schema.Block {
	return map[string]schema.Block{"match_expressions": expressionsBlock("A condition on labels", "Key of the label.")}
}

// expressionsBlock returns a repeatable block for a condition of a Kubernetes label
// selector.
func expressionsBlock(what, key string) schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: what + ".",
		NestedObject: schema.NestedBlockObject{
			Validators: []validator.Object{expressionValues},
			Attributes: map[string]schema.Attribute{
				"key": requiredText(key, labelKey),
				"operator": oneOfAttribute(true, "`In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` and `DoesNotExist` also match a missing key.",
					slices.Sorted(maps.Keys(operators))...),
				"values": optionalTexts("Values for `In` and `NotIn`.", labelValue),
			},
		},
	}
}

// matchAllAttribute confirms a selector without requirements.
func matchAllAttribute(selected string) schema.BoolAttribute {
	return optionalBool("`true` selects all " + selected + ". Needed if there is no other condition.")
}

// oneOfAttribute returns an attribute whose value is one of these words.
func oneOfAttribute(required bool, description string, words ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: required, Optional: !required, MarkdownDescription: description,
		Validators: []validator.String{stringvalidator.OneOf(words...)},
	}
}

func (m labelSelectorModel) selector() metav1.LabelSelector {
	s := metav1.LabelSelector{MatchLabels: m.MatchLabels}
	for _, e := range m.MatchExpressions {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values,
		})
	}
	return s
}

func labelSelectorOf(s metav1.LabelSelector) labelSelectorModel {
	m := labelSelectorModel{MatchLabels: s.MatchLabels}
	for _, e := range s.MatchExpressions {
		m.MatchExpressions = append(m.MatchExpressions, expressionModel{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
	}
	return m
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/boolvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// objectSchema returns the schema of an object resource, made from the row of its kind.
//
// Every value with parts is a block, because Terraform refuses a misspelled name in a
// block. Terraform drops a misspelled name in a nested attribute without a message.
func objectSchema(typeName string, row *manifest.Row) schema.Schema {
	s := schema.Schema{
		MarkdownDescription: objectTexts[typeName].text + "\n\nThe object exists only in Terraform's state, in `manifest`.",
		Attributes: map[string]schema.Attribute{
			"id":       resultText("The object's name."),
			"manifest": resultText("The object as YAML, for `manifests` elsewhere. Known at plan if the other attributes are."),
		},
		Blocks: map[string]schema.Block{},
	}
	addObjectFields(row.Fields, typeName, s.Attributes, s.Blocks)
	name, _ := s.Attributes["name"].(schema.StringAttribute)
	name.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	s.Attributes["name"] = name
	if row.Kind == manifest.KindWorkload {
		s.Attributes[manifest.LabelWorkspace] = optionalText(objectTexts["workload.workspace"].text, filledLabelValue)
	}
	return s
}

// addObjectFields adds the attributes and blocks of fields that have a text, in the resource or block
// at a place: "workload.deployment_target".
func addObjectFields(fields []manifest.Field, at string, attributes map[string]schema.Attribute, blocks map[string]schema.Block) {
	for _, f := range fields {
		name := terraformName(f.Name)
		in, isAttribute := objectTexts[at+"."+name]
		if !isAttribute {
			in, isAttribute = objectTexts[name]
		}
		isRequired := f.Needs != "" && f.When == "" || in.isRequired
		switch {
		case isFlat[f.Name]:
			addObjectFields(f.Fields, at, attributes, blocks)
		case !isAttribute:
		case f.True != "":
			attributes[name] = schema.BoolAttribute{Optional: true, MarkdownDescription: in.text, Validators: boolValidators(f, fields)}
		case f.Type == manifest.String:
			attributes[name] = schema.StringAttribute{Required: isRequired, Optional: !isRequired, MarkdownDescription: in.text,
				Validators: textValidators(f, in.check)}
		case f.Type == manifest.Map:
			attributes[name] = schema.MapAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: in.text,
				Validators: mapValidators(f, in.reserved)}
		case f.Type == manifest.Mapping:
			blocks[name] = selectorBlock(f, at+"."+name, in.text)
		case f.Of.Type == manifest.Mapping:
			block := schema.ListNestedBlock{MarkdownDescription: in.text,
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{}}}
			addObjectFields(f.Of.Fields, at+"."+name, block.NestedObject.Attributes, nil)
			blocks[name] = block
		case f.Name == "values":
			attributes[name] = optionalTexts(in.text, in.check)
		default:
			validators := []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(textValidators(*f.Of, in.check)...)}
			if isRequired {
				validators = append(validators, listvalidator.SizeAtLeast(1))
			}
			attributes[name] = schema.ListAttribute{ElementType: types.StringType, Required: isRequired, Optional: !isRequired,
				MarkdownDescription: in.text, Validators: validators}
		}
	}
}

// selectorBlock is a required mapping with a label selector.
func selectorBlock(f manifest.Field, at, description string) schema.SingleNestedBlock {
	selected := strings.ReplaceAll(strings.TrimSuffix(terraformName(f.Name), "_selector"), "_", " ") + "s"
	block := schema.SingleNestedBlock{
		MarkdownDescription: description,
		Validators: []validator.Object{objectvalidator.IsRequired(),
			explicitSelector{"must have match_labels or match_expression, or match_all = true"}},
		Attributes: map[string]schema.Attribute{
			matchAll: optionalBool("`true` selects all " + selected + ". Needed if there is no other condition."),
		},
		Blocks: map[string]schema.Block{},
	}
	addObjectFields(f.Fields, at, block.Attributes, block.Blocks)
	return block
}

// textValidators returns the checks of a text: the given check, or those of the field.
func textValidators(f manifest.Field, check validator.String) []validator.String {
	switch {
	case check != nil:
		return []validator.String{check}
	case f.Words != nil:
		return []validator.String{stringvalidator.OneOf(f.Words...)}
	case f.Format != nil:
		return []validator.String{formatCheck(f.Format)}
	}
	return nil
}

// boolValidators returns the checks of a field that makes one of the other fields necessary.
func boolValidators(f manifest.Field, fields []manifest.Field) (validators []validator.Bool) {
	for _, other := range fields {
		if other.When == f.Name+"="+f.True {
			validators = append(validators, boolvalidator.AlsoRequires(path.MatchRoot(terraformName(other.Name))))
		}
	}
	return validators
}

// mapValidators returns the checks of a map of texts that must not have some labels.
func mapValidators(f manifest.Field, reserved []validator.Map) []validator.Map {
	validators := append([]validator.Map{mapvalidator.NoNullValues()}, reserved...)
	if f.Keys != nil {
		validators = append(validators, mapvalidator.KeysAre(formatCheck(f.Keys)))
	}
	if f.Of.Format != nil {
		validators = append(validators, mapvalidator.ValueStringsAre(formatCheck(f.Of.Format)))
	}
	return validators
}

func formatCheck(f *manifest.Format) textCheck {
	return textCheck{described("must be " + f.What), kubernetesRule(f.Faults)}
}

// explicitSelector is a validator for selectors. To select everything, a user has to write
// match_all = true, because dynamic blocks can turn out empty.
type explicitSelector struct{ described }

func (explicitSelector) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	attributes, at := req.ConfigValue.Attributes(), req.Path
	all, _ := attributes[matchAll].(types.Bool)
	byLabels, _ := attributes["match_labels"].(types.Map)
	byExpressions, _ := attributes["match_expression"].(types.List)
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || all.IsUnknown() || byLabels.IsUnknown() || byExpressions.IsUnknown() {
		return
	}
	narrows := len(byLabels.Elements())+len(byExpressions.Elements()) > 0
	switch matchesAll := all.ValueBool(); {
	case narrows && matchesAll:
		resp.Diagnostics.AddAttributeError(at.AtName(matchAll), "Contradicting selector", fmt.Sprintf("%s has match_all = true and also "+
			"match_labels or match_expression, which would have no effect. Remove match_all, or remove the requirements.", at))
	case !narrows && !matchesAll:
		where := at
		if !byLabels.IsNull() {
			where = at.AtName("match_labels")
		}
		resp.Diagnostics.AddAttributeError(where, "Empty selector", fmt.Sprintf("%s has neither match_labels nor match_expression, so it "+
			"excludes nothing. To exclude nothing, write match_all = true.", at))
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

var _ function.Function = (*explainFunction)(nil)

// explainFunction says why a pair is placed or not.
type explainFunction struct{}

// NewExplainFunction makes the function explain.
func NewExplainFunction() function.Function { return &explainFunction{} }

func (f *explainFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "explain"
}

func (f *explainFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Why a deployment target is placed on a cluster type, or why not",
		MarkdownDescription: "Gives `{placed, policies, text, steps}`: whether the scheduling policies place the deployment target on the cluster type, the policies that do, " +
			"all of it as lines to read, and every requirement of every policy as `{policy, stage, holds, requirement, found, code}`. " +
			"The policies that miss least come first.\n\n" +
			"The first step of each policy, with the `stage` `policy`, is the verdict on it: `SELECTED`, `NEARLY_SELECTED` where a single requirement is missed, which `found` names, or `NOT_SELECTED`. " +
			"The others, of the stages `workspace`, `deployment_target` and `cluster_type`, have the codes `HOLDS`, `WORKSPACE_MISMATCH`, `LABEL_MISSING`, `LABEL_VALUE_MISMATCH` and `EXPRESSION_NOT_MET`. " +
			"Where a placement decides for the policy, a step of the stage `placement` says what has dropped the cluster type: `CLUSTER_SET`, `PREDICATE_NOT_MET`, `TAINT_NOT_TOLERATED`, `SPREAD`, `NOT_AMONG_N`, with its rank and total, or `NOT_DECIDED` by another scheduler; steps `SCORE` have what each prioritizer gives to it. " +
			"A deployment target of another environment is not placed (`OTHER_ENVIRONMENT`), nor is any where there is no policy at all (`NO_POLICY`). " +
			"A deployment target, a cluster type or an environment that does not exist is an error that names the nearest one, so that a test for `placed == false` cannot pass by a misspelled name.",
		Parameters: pairParameters(),
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"placed":   types.BoolType,
			"policies": types.ListType{ElemType: types.StringType},
			"text":     types.StringType,
			"steps": types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{
				"policy":      types.StringType,
				"stage":       types.StringType,
				"holds":       types.BoolType,
				"requirement": types.StringType,
				"found":       types.StringType,
				"code":        types.StringType,
			}}},
		}},
	}
}

// explanationModel is the result as Terraform holds it.
type explanationModel struct {
	Placed   bool        `tfsdk:"placed"`
	Policies []string    `tfsdk:"policies"`
	Text     string      `tfsdk:"text"`
	Steps    []stepModel `tfsdk:"steps"`
}

type stepModel struct {
	Policy      string `tfsdk:"policy"`
	Stage       string `tfsdk:"stage"`
	Holds       bool   `tfsdk:"holds"`
	Requirement string `tfsdk:"requirement"`
	Found       string `tfsdk:"found"`
	Code        string `tfsdk:"code"`
}

func (f *explainFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var target, clusterType string
	manifests, environment, failed := environmentArguments(ctx, req.Arguments, &target, &clusterType)
	if resp.Error = failed; failed != nil {
		return
	}
	explanation, err := engine.Explain(manifests, environment, target, clusterType)
	if resp.Error = engineFailure(err); err != nil {
		return
	}
	model := explanationModel{
		Placed: explanation.Placed, Policies: explanation.Policies, Text: explanation.Text(target, clusterType),
		Steps: make([]stepModel, len(explanation.Steps)),
	}
	for i, s := range explanation.Steps {
		model.Steps[i] = stepModel{s.Policy, string(s.Stage), s.Holds, s.Requirement, s.Found, string(s.Code)}
	}
	resp.Error = resp.Result.Set(ctx, model)
}

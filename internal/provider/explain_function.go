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
		MarkdownDescription: "Returns `{placed, policies, text, steps}`. `placed` says whether scheduling policies place the deployment " +
			"target on the cluster type, and `policies` names these policies. `steps` has every requirement of every policy as `{policy, stage, " +
			"holds, requirement, found, code}`, nearest policies first. `text` has the same as lines.\n\nThe first step of each policy, with " +
			"the `stage` `policy`, is its verdict: `SELECTED`, `NEARLY_SELECTED` if the pair misses one requirement, which `found` names, or " +
			"`NOT_SELECTED`. The other stages are:\n\n- `workspace`, `deployment_target` and `cluster_type`: a requirement of the policy.\n- " +
			"`placement`: the step of a placement that left the cluster type out, and the scores (`SCORE`) of each prioritizer.\n\nThe codes " +
			"are stable. [Messages](../guides/messages.md#codes-of-explain) explains them.\n\nIf the deployment target, the cluster type or the " +
			"environment does not exist, the function returns an error. So a test for `placed == false` cannot pass because of a misspelled " +
			"name.",
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

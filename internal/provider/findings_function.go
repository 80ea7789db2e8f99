// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*findingsFunction)(nil)

// findingsFunction renders an environment and returns its findings.
type findingsFunction struct{}

// NewFindingsFunction makes the function findings.
func NewFindingsFunction() function.Function { return &findingsFunction{} }

func (f *findingsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "findings"
}

func (f *findingsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What is left over in an environment, or probably a mistake",
		MarkdownDescription: "Places, composes and renders an environment, and returns what its owner may want to know, as a list of " +
			"`{severity, code, subject, message}`. The `severity` is `error`, `warning` or `info`. `kalypso_gitops_commit` writes nothing while " +
			"there is an `error`, unless `ignore_findings` silences it. " + findingCodesText,
		Parameters: environmentParameters(),
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"severity": types.StringType,
			"code":     types.StringType,
			"subject":  types.StringType,
			"message":  types.StringType,
		}}},
	}
}

func (f *findingsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := environmentResult(ctx, req.Arguments, false)
	if resp.Error = failed; failed != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, findingModels(result.Findings(true)))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*assignmentsFunction)(nil)

// assignmentsFunction places a fleet, as the data source of the same name does.
type assignmentsFunction struct{}

// NewAssignmentsFunction makes the function assignments.
func NewAssignmentsFunction() function.Function { return &assignmentsFunction{} }

func (f *assignmentsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "assignments"
}

func (f *assignmentsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Which deployment target lands on which cluster type",
		MarkdownDescription: "Places the deployment targets of an environment, and returns a map from `<cluster_type>/<deployment_target>` " +
			"to `{workload, workspace, deployment_target, cluster_type, namespace, policies, decision_group}`, as `assignments` of the data " +
			"source `kalypso_assignments`. Terraform computes a function at plan, even if its arguments name managed resources directly.",
		Parameters: environmentParameters(),
		Return: function.MapReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"workload":          types.StringType,
			"workspace":         types.StringType,
			"deployment_target": types.StringType,
			"cluster_type":      types.StringType,
			"namespace":         types.StringType,
			"policies":          types.ListType{ElemType: types.StringType},
			"decision_group": types.ObjectType{AttrTypes: map[string]attr.Type{
				"placement": types.StringType, "name": types.StringType, "index": types.Int64Type,
			}},
		}}},
	}
}

func (f *assignmentsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := environmentResult(ctx, req.Arguments, true)
	if resp.Error = failed; failed != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, assignmentModels(result.Placement))
}

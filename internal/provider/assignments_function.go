// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// newAssignmentsFunction returns the function assignments, which places a fleet and does not render it.
func newAssignmentsFunction() function.Function {
	text := types.StringType
	return providerFunction{"assignments", function.Definition{
		Summary: "Which deployment target runs on which cluster type",
		MarkdownDescription: "Places the deployment targets of an environment, and returns a map from `<cluster_type>/<deployment_target>` " +
			"to an assignment, made for `for_each`. Terraform computes a function at plan, even if its arguments name managed resources " +
			"directly.\n\n- `workload`, `workspace`, `cluster_type`: their names.\n- `deployment_target`: its full name, " +
			"`<workload>-<target>`.\n- `namespace`: the namespace on the clusters, `<environment>-<cluster_type>-<workload>-<target>`.\n" +
			"- `policies`: the scheduling policies that make the assignment.\n- `decision_group`: `{placement, name, index}`, the decision " +
			"group of the cluster type, for waves: that of the first policy by name that has a placement. Null without a placement. `name` " +
			"is empty for the last group, and `index` counts from `0`.\n\nThe function `findings` lists deployment targets without a " +
			"cluster type, and idle cluster types and policies. While a file of another team is broken, both functions fail; so write " +
			"`try(provider::kalypso::assignments(local.fleet, \"dev\"), {})` if it must not stop the plan.",
		Parameters: environmentParameters(),
		Return: function.MapReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"workload": text, "workspace": text, "deployment_target": text, "cluster_type": text, "namespace": text,
			"policies":       types.ListType{ElemType: text},
			"decision_group": types.ObjectType{AttrTypes: map[string]attr.Type{"placement": text, "name": text, "index": text}},
		}}},
	}, ofEnvironment(true, func(_ context.Context, result *engine.Result) (any, error) {
		models := make(map[string]assignmentModel, len(result.Placement.Assignments))
		for _, a := range result.Placement.Assignments {
			model := assignmentModel{a.Target.Workload, a.Target.Workspace, a.Target.FullName, a.ClusterType.Name, a.Namespace, a.Policies, nil}
			if d := a.Decided; d != nil {
				model.DecisionGroup = &decisionGroupModel{d.Group.Placement, d.Group.Name, strconv.Itoa(d.Group.Index)}
			}
			models[a.Key()] = model
		}
		return models, nil
	})}
}

type assignmentModel struct {
	Workload         string   `tfsdk:"workload"`
	Workspace        string   `tfsdk:"workspace"`
	DeploymentTarget string   `tfsdk:"deployment_target"`
	ClusterType      string   `tfsdk:"cluster_type"`
	Namespace        string   `tfsdk:"namespace"`
	Policies         []string `tfsdk:"policies"`

	DecisionGroup *decisionGroupModel `tfsdk:"decision_group"`
}

type decisionGroupModel struct {
	Placement string `tfsdk:"placement"`
	Name      string `tfsdk:"name"`
	Index     string `tfsdk:"index"`
}

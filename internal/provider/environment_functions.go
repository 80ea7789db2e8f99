// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// newAssignmentsFunction returns the function assignments, which computes the assignments
// of the data source kalypso_assignments.
func newAssignmentsFunction() function.Function {
	return providerFunction{"assignments", function.Definition{
		Summary: "Which deployment target runs on which cluster type",
		MarkdownDescription: "Places the deployment targets of an environment, and returns a map from `<cluster_type>/<deployment_target>` " +
			"to `{workload, workspace, deployment_target, cluster_type, namespace, policies, decision_group}`, as `assignments` of the data " +
			"source `kalypso_assignments`. Terraform computes a function at plan, even if its arguments name managed resources directly.",
		Parameters: environmentParameters(),
		Return:     function.MapReturn{ElementType: assignmentAttributes.Type()},
	}, ofEnvironment(true, func(_ context.Context, result *engine.Result) (any, error) {
		return assignmentModels(result.Placement), nil
	})}
}

// newFindingsFunction returns the function findings, which renders an environment.
func newFindingsFunction() function.Function {
	return providerFunction{"findings", function.Definition{
		Summary: "Probable mistakes and unused objects in an environment",
		MarkdownDescription: "Places, composes and renders an environment, and returns its findings as a list of `{severity, code, subject, " +
			"message}`. The `severity` is `error`, `warning` or `info`. `kalypso_gitops_commit` writes nothing while an `error` exists, unless " +
			"`ignore_findings` silences the error. " + findingCodesText,
		Parameters: environmentParameters(),
		Return:     function.ListReturn{ElementType: findingAttributes.Type()},
	}, ofEnvironment(false, func(ctx context.Context, result *engine.Result) (any, error) {
		found, err := result.Findings(ctx, true)
		return findingModels(found), err
	})}
}

// newRenderFunction returns the function render, which returns the files of an environment.
func newRenderFunction() function.Function {
	return providerFunction{"render", function.Definition{
		Summary: "The content of every file of an environment",
		MarkdownDescription: "Places, composes and renders an environment, and returns a map from path to content: the files that " +
			"`kalypso_gitops_commit` would write, below its `path`. Use it for tests and `local_file`. The result is as large as the " +
			"repository, so do not keep it in an output.",
		Parameters: environmentParameters(),
		Return:     function.MapReturn{ElementType: types.StringType},
	}, ofEnvironment(false, func(_ context.Context, result *engine.Result) (any, error) {
		contents := map[string]string{}
		for path, content := range result.Files() {
			contents[path] = string(content)
		}
		return contents, nil
	})}
}

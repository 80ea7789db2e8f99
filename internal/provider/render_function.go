// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*renderFunction)(nil)

// renderFunction returns the files of an environment.
type renderFunction struct{}

// NewRenderFunction makes the function render.
func NewRenderFunction() function.Function { return &renderFunction{} }

func (f *renderFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "render"
}

func (f *renderFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The content of every file of an environment",
		MarkdownDescription: "Places, composes and renders an environment, and returns a map from path to content: the files that " +
			"`kalypso_gitops_commit` would write, below its `path`. Use it for tests and `local_file`. The result is as large as the " +
			"repository, so do not keep it in an output.",
		Parameters: environmentParameters(),
		Return:     function.MapReturn{ElementType: types.StringType},
	}
}

func (f *renderFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := environmentResult(ctx, req.Arguments, false)
	if resp.Error = failed; failed != nil {
		return
	}
	contents := map[string]string{}
	for path, content := range result.Files() {
		contents[path] = string(content)
	}
	resp.Error = resp.Result.Set(ctx, contents)
}

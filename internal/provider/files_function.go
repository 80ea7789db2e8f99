// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

var _ function.Function = (*filesFunction)(nil)

// filesFunction names the files that manifests come from.
type filesFunction struct{}

// NewFilesFunction makes the function files.
func NewFilesFunction() function.Function { return &filesFunction{} }

func (f *filesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "files"
}

func (f *filesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "YAML files as manifests that know their names",
		MarkdownDescription: "Returns the texts of files as a list for `manifests`: one element for each file, sorted by name, with a first " +
			"line that names the file. So messages name the file and its line (`fleet/workloads.yaml:12, manifests[3]`).",
		Parameters: []function.Parameter{function.MapParameter{
			Name: "files", ElementType: types.StringType,
			MarkdownDescription: "The texts of the files, by name.",
			Validators:          []function.MapParameterValidator{mapvalidator.NoNullValues()},
		}},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

func (f *filesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var files map[string]string
	if resp.Error = req.Arguments.Get(ctx, &files); resp.Error != nil {
		return
	}
	manifests := make([]string, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("Invalid file name: %q is empty, or not one line of text. Write the name of "+
				"the file", name))
			return
		}
		manifests = append(manifests, manifest.OfFile(name, files[name]))
	}
	resp.Error = resp.Result.Set(ctx, manifests)
}

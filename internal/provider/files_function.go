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

func newFilesFunction() function.Function {
	return providerFunction{"files", function.Definition{
		Summary: "YAML files as manifests with file names",
		MarkdownDescription: "Returns the texts of files as a list for `manifests`: one element for each file, sorted by name. Its first line " +
			"names the file, so messages name the file and the line (`fleet/workloads.yaml:12, manifests[3]`).",
		Parameters: []function.Parameter{function.MapParameter{
			Name: "files", ElementType: types.StringType,
			MarkdownDescription: "The texts of the files, by name.",
			Validators:          []function.MapParameterValidator{mapvalidator.NoNullValues()},
		}},
		Return: function.ListReturn{ElementType: types.StringType},
	}, namedFiles}
}

func namedFiles(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var files map[string]string
	if failed := arguments.Get(ctx, &files); failed != nil {
		return nil, failed
	}
	manifests := make([]string, 0, len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			return nil, function.NewArgumentFuncError(0, fmt.Sprintf("Invalid file name: the name %q is empty, or is not one line of text. Write "+
				"the name of the file", name))
		}
		manifests = append(manifests, manifest.OfFile(name, files[name]))
	}
	return manifests, nil
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
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

// newImportBlocksFunction returns the function import_blocks, which turns manifests into
// import blocks for Terraform's own generator of configuration.
func newImportBlocksFunction() function.Function {
	return providerFunction{"import_blocks", function.Definition{
		Summary: "Import blocks for the objects of manifests",
		MarkdownDescription: "Returns an `import` block for each object, as text. `terraform plan -generate-config-out` " +
			"then writes the objects as HCL. The address of a resource comes from the kind and the name of the object. Comments name the objects " +
			"whose YAML stays: those without a resource, and a `ConfigMap` with a credential. A last comment has the list of the new manifests.",
		Parameters: environmentParameters()[:1],
		Return:     function.StringReturn{},
	}, importBlocksOf}
}

func importBlocksOf(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var list types.List
	if failed := arguments.Get(ctx, &list); failed != nil {
		return nil, failed
	}
	objects, err := manifest.Decode(manifestInputs(list))
	if err != nil {
		return nil, engineFailure(err)
	}
	return importBlocks(objects), nil
}

// importBlocks returns an import block for each object that can be imported, and comments.
func importBlocks(objects []manifest.Object) string {
	var blocks, manifests strings.Builder
	taken := map[string]bool{}
	for _, object := range objects {
		if reason := notImported(object); reason != "" {
			fmt.Fprintf(&blocks, "# %s %s. Keep its YAML.\n\n", object.Metadata().ID(), reason)
			continue
		}
		model := modelled()[object.Metadata().Kind]
		address := freeAddress(model.terraformName()+"."+identifier(object.Metadata().Name), taken)
		fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %s\n}\n\n", address, heredoc(manifest.Encode(object)))
		fmt.Fprintf(&manifests, "#   %s.manifest,\n", address)
	}
	return blocks.String() + "# The same objects, after the import:\n# manifests = [\n" + manifests.String() + "# ]\n"
}

// notImported returns why an object cannot be imported, as the end of a sentence; empty if it can.
func notImported(object manifest.Object) string {
	if modelled()[object.Metadata().Kind] == nil {
		return "has no resource"
	}
	if config, ok := object.(*manifest.ConfigMap); ok {
		for key, value := range config.Data {
			if credential.Of(key, value) != "" { // withoutCredentials refuses it
				return "has a value that looks like a credential"
			}
		}
	}
	return ""
}

// freeAddress returns the address with a number if another object already has the address.
func freeAddress(address string, taken map[string]bool) string {
	free := address
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", address, n)
	}
	taken[free] = true
	return free
}

// identifier returns the name of an object as a name in HCL.
func identifier(name string) string {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(name)
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// heredoc returns a text, which ends with a line break, as an expression in HCL.
func heredoc(text string) string {
	end := "YAML"
	for strings.Contains(text, end) {
		end += "_"
	}
	return "<<" + end + "\n" + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text) + end
}

// newManifestFunction returns the function manifest, which returns the manifest of a
// modelling resource without the resource.
func newManifestFunction() function.Function {
	return providerFunction{"manifest", function.Definition{
		Summary: "One checked object as YAML, without a resource",
		MarkdownDescription: "Returns an object as Kalypso's YAML, as `manifest` of a modelling resource does. The object has a `kind`, and " +
			"the attributes and blocks of the resource for that kind. A block is an object, or a list of objects if the block can repeat. The " +
			"function checks the object as the resource does:\n\n" + kindsTable() + "\nThe result for a cluster type with taints has two " +
			"documents, because a `ManagedCluster` has the taints. A name that the resource does not have is an error, except if its value is " +
			"null. The function ignores `id` and `manifest`, so you can pass a changed resource: " +
			"`provider::kalypso::manifest(merge(kalypso_cluster_type.drone, { kind = \"ClusterType\", name = \"drone-2\" }))`.",
		Parameters: []function.Parameter{function.DynamicParameter{
			Name:                "object",
			AllowUnknownValues:  true,
			MarkdownDescription: "The object: `kind`, `name`, and the other attributes of the resource of that kind.",
		}},
		Return: function.StringReturn{},
	}, manifestGiven}
}

func kindsTable() string {
	var b strings.Builder
	b.WriteString("| `kind` | resource |\n|---|---|\n")
	all := modelled()
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		b.WriteString("| `" + string(kind) + "` | `" + all[kind].terraformName() + "` |\n")
	}
	return b.String()
}

func manifestGiven(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
	var argument types.Dynamic
	if failed := arguments.Get(ctx, &argument); failed != nil {
		return nil, failed
	}
	object, err := ctyValue(ctx, argument)
	if err != nil {
		return nil, function.NewArgumentFuncError(0, err.Error())
	}
	text, diags := objectManifest(ctx, object)
	if diags.HasError() {
		return nil, function.NewArgumentFuncError(0, visible(objectID(object)+diagnosticsText(diags)))
	}
	return text, nil
}

// diagnosticsText returns all diagnostics as one text, without the last full stop:
// Terraform adds one.
func diagnosticsText(diags diag.Diagnostics) string {
	texts := make([]string, len(diags))
	for i, d := range diags {
		texts[i] = d.Summary() + ": " + d.Detail()
	}
	return strings.TrimSuffix(strings.Join(texts, "\n\n"), ".")
}

// modelled are the modelling resources by kind.
var modelled = sync.OnceValue(func() map[manifest.Kind]modeller {
	all := map[manifest.Kind]modeller{}
	for _, constructor := range (&kalypsoProvider{}).Resources(context.Background()) {
		if m, ok := constructor().(modeller); ok {
			all[m.models()] = m
		}
	}
	return all
})

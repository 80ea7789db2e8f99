// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

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

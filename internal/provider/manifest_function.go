// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

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

// kindsTable returns a table of the kinds and their resources.
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

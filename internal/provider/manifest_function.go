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

// newManifestFunction makes the function manifest, which makes the manifest of a modelling
// resource without the resource.
func newManifestFunction() function.Function {
	return providerFunction{"manifest", function.Definition{
		Summary: "One checked object as YAML, without a resource",
		MarkdownDescription: "Returns an object as Kalypso's YAML, as the `manifest` of a modelling resource. The object has a `kind`, and " +
			"the names of the resource: its attributes, and for a block an object, or a list of objects if there may be several. The function " +
			"checks it as the resource does:\n\n" + kindsTable() + "\nA cluster type with taints gives two documents, because a " +
			"`ManagedCluster` has the taints. A name that the resource does not have is an error, except if it is null. The function computes " +
			"`id` and `manifest` anew, so you can change a resource: `provider::kalypso::manifest(merge(kalypso_cluster_type.drone, { kind = " +
			"\"ClusterType\", name = \"drone-2\" }))`.",
		Parameters: []function.Parameter{function.DynamicParameter{
			Name:                "object",
			AllowUnknownValues:  true,
			MarkdownDescription: "The object: `kind`, `name`, and the other attributes of the resource of that kind.",
		}},
		Return: function.StringReturn{},
	}, manifestGiven}
}

// kindsTable lists the kinds with the resources whose names they have.
func kindsTable() string {
	var b strings.Builder
	b.WriteString("| `kind` | names as in |\n|---|---|\n")
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

// diagnosticsText is all diagnostics as one text. Terraform puts a full stop behind it.
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

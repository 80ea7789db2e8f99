// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
)

// onErrorAttribute describes on_error, keptAttribute its effect, and maxKeptAttribute its limit.
func onErrorAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{stringvalidator.OneOf(onErrorFail, onErrorKeep)},
		MarkdownDescription: "What happens when a template fails for an assignment, or its configuration violates a schema: the plan fails " +
			"(`fail`, the default), or the package stays as it is in the branch (`keep`; with `pull_request`, in the base branch), and a new " +
			"one is left out. Every plan warns until it is fixed. See [Keep what is " +
			"broken](../guides/operate-and-repair.md#keep-what-is-broken).",
	}
}

func keptAttribute() schema.ListAttribute {
	return schema.ListAttribute{
		ElementType: types.StringType, Computed: true,
		MarkdownDescription: "The packages, `<cluster_type>/<deployment_target>`, that `on_error = \"keep\"` leaves as they are because " +
			"they cannot be rendered. Those that are not in the branch are left out.",
	}
}

func maxKeptAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: []validator.String{limitAmount},
		MarkdownDescription: "With `on_error = \"keep\"`, how many packages may be in `kept` if some of them were not before. A number, or " +
			"a share of all packages, rounded up. Defaults to `" + limits.DefaultKept + "`.",
	}
}

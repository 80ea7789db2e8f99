// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
)

// onErrorAttribute describes on_error, keptAttribute its effect, and maxKeptAttribute its limit.
func onErrorAttribute() schema.StringAttribute {
	return optionalText("What a plan does with a broken application: its template fails, its configuration violates a schema, its texts may "+
		"not be written, or its [file](../guides/model-a-fleet.md#teams-with-repositories-of-their-own) is broken. `fail`, the default: the "+
		"plan "+
		"fails. `keep`: the package stays in the branch unchanged, and a new package is left out. [Keep broken "+
		"applications](../guides/operate-and-repair.md#keep-broken-applications).",
		stringvalidator.OneOf(onErrorFail, onErrorKeep))
}

func keptAttribute() schema.ListAttribute {
	return schema.ListAttribute{
		ElementType: types.StringType, Computed: true,
		MarkdownDescription: "The packages, as `<cluster_type>/<deployment_target>`, that `on_error = \"keep\"` leaves in the branch " +
			"unchanged. Packages from the last texts of broken files are not in the list.",
	}
}

func maxKeptAttribute() schema.StringAttribute {
	return optionalText("With `on_error = \"keep\"`, how many packages in the branch may stay unchanged because they are broken, if one of "+
		"them is newly broken. A number, or a share of all packages, rounded up. Defaults to `"+limits.DefaultKept+"`.", limitAmount)
}

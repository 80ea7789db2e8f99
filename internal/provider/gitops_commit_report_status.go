// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// reportStatusBlock describes report_status.
func reportStatusBlock() schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Sets the commit status `" + publish.StatusContext +
			"<environment>` at the end of an apply: `success` if `branch` " +
			"holds the packages, `failure` if the apply could not write them. " +
			"The status is on the commit of the control plane that the environment is at: `promoted_commit`, or the commit of the `BaseRepo` " +
			"named `main`. " +
			"The apply warns if it cannot set the status. The token of the forge needs the right to write commit statuses, see `forges` of the " +
			"provider. With `pull_request`, set `wait_for_merge = true` too. If an environment has several resources, set it in one of them.",
		Validators: []validator.Object{mustSet("repo")},
		Attributes: map[string]schema.Attribute{
			"repo": schema.StringAttribute{
				Optional: true, // or the framework would ask for it where there is no block
				MarkdownDescription: "The URL of the control plane's repository, which has the commit. It is named here and not taken from the " +
					"`BaseRepo`, since its host gets credentials from environment variables (`KALYPSO_FORGE_TOKEN`), " +
					"and manifests must not choose where these go. Has to be set.",
				Validators: []validator.String{gitURL},
			},
		},
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// envMaxFetch is the variable of max_fetch_mib.
const envMaxFetch = "KALYPSO_MAX_FETCH_MIB"

// The bounds of max_fetch_mib: up to 1 TiB.
const (
	leastFetch = 1
	mostFetch  = 1 << 20
)

func maxFetchAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Optional: true,
		MarkdownDescription: fmt.Sprintf("How many MiB one fetch from a Git repository may have, unpacked, at least %d. Servers without "+
			"partial fetches send the whole repository, which needs memory. Also set by `%s`; default "+
			"%d.", leastFetch, envMaxFetch, git.DefaultMaxFetch>>20),
		Validators: []validator.Int64{int64validator.Between(leastFetch, mostFetch)},
	}
}

// maxFetch returns how many bytes one fetch may have; 0 if no setting limits this.
func maxFetch(configured *int64, getenv func(string) string, diags *diag.Diagnostics) int64 {
	if configured != nil {
		return *configured << 20
	}
	text := getenv(envMaxFetch)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < leastFetch || n > mostFetch {
		diags.AddError("Invalid environment variable "+envMaxFetch,
			fmt.Sprintf("%s must be a number of MiB between %d and %d, and is %q.", envMaxFetch, leastFetch, mostFetch, text))
		return 0
	}
	return n << 20
}

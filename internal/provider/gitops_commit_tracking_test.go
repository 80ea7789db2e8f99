// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// The promoted commit is the BaseRepo's, or set by hand; an empty one leaves the file to
// others.
func TestAccGitOpsCommit_promotedCommit(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	other := strings.Repeat("ab", 20)
	inSteps(t,
		resource.TestStep{Config: promotedHCL(r, promoted, ""), Check: expectTracking(t, r, promoted)},
		resource.TestStep{
			Config:           promotedHCL(r, promoted, fmt.Sprintf("promoted_commit = %q", other)),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("no package changes; +0 ~1 -0 other files")),
			Check:            expectTracking(t, r, other),
		},
	)
}

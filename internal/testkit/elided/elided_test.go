// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package elided_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	const got = "POLICY_IDLE a: it selects nothing, and b is near."
	for want, isIt := range map[string]bool{
		got: true, "POLICY_IDLE a: … b …": true, "… near.": true, "POLICY_IDLE a: …": true,
		"POLICY_IDLE a:": false, "POLICY_IDLE b: …": false, "… b … a …": false, "… near": false, "": false,
	} {
		if elided.Matches(want, got) != isIt {
			t.Errorf("%q: want %t", want, isIt)
		}
	}
	if !elided.Has(got, "selects … b") || elided.Has(got, "b … selects") {
		t.Error("parts of a text are not found in their order")
	}
}

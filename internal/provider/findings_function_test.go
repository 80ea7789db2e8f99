// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func TestFindingsFunction(t *testing.T) {
	t.Parallel()
	testFunction(t, `findings(local.fleet, "prod")[0]`, knownvalue.ObjectExact(map[string]knownvalue.Check{
		"severity": exactly("info"), "code": exactly("POLICY_IDLE"), "subject": exactly("SchedulingPolicy/batch"),
		"message": knownvalue.StringRegexp(regexp.MustCompile("batch .* gpu = true")),
	}))
}

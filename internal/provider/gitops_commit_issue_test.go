// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// One issue of the environment tells the errors of a fleet that cannot be
// rendered, is brought up to date, and closed when they are fixed: in runs that say
// that they speak for the environment.
func TestAccGitOpsCommit_reportIssue(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := fleetHCL(h.gitServer, fleetOptions{family: "blue", commit: "report_issue = true"})
	broken := func(expression string) string {
		return strings.Replace(config, `index .Labels "family" | default "none"`, expression, 1)
	}
	issue := func(open bool, said string) {
		t.Helper()
		all := h.server.Issues()
		if len(all) != 1 || (all[0].State == "open") != open || !strings.Contains(all[0].Body, said) || !strings.Contains(all[0].Title, "prod") {
			t.Errorf("issues %+v, expected one with %q", all, said)
		}
	}
	runs := providerWith(map[string]string{"KALYPSO_REPORT_ISSUE": "1"})
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: runs, Steps: []resource.TestStep{
		{Config: config, Check: check(func() error {
			if all := h.server.Issues(); len(all) > 0 {
				return fmt.Errorf("issues %+v", all)
			}
			return nil
		})},
		{Config: broken(`fail "first mistake"`), ExpectError: saying("first mistake")},
		{PreConfig: func() { issue(true, "first mistake") }, Config: broken(`fail "second mistake"`), ExpectError: saying("second mistake")},
		{PreConfig: func() { issue(true, "second mistake") }, Config: config},
		{PreConfig: func() { issue(false, "second mistake") }, Config: config},
	}})
	inSteps(t, // on a laptop
		resource.TestStep{Config: broken(`fail "third mistake"`), ExpectError: saying("third mistake")},
		resource.TestStep{PreConfig: func() { issue(false, "second mistake") }, Config: inert},
	)
}

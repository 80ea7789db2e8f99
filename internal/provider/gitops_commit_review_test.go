// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// A change of fail_on checks a fleet that was already written.
func TestAccGitOpsCommit_findings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	idle := "locals {\n  idle = <<-EOT\napiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: idle, labels: {platform-config: \"true\", region: mars}}\ndata: {A: b}\nEOT\n}\n"
	config := func(commit string) string {
		return strings.Replace(fleetHCL(r, fleetOptions{commit: commit}), "manifests   = local.fleet", "manifests   = concat(local.fleet, "+
			"[local.idle])", 1) + idle
	}
	inSteps(t,
		resource.TestStep{Config: config("fail_on = [\"CONFIG_UNUSED\"]\n  ignore_findings = [\"CONFIG_UNUSED\"]")},
		resource.TestStep{Config: config(`fail_on = ["CONFIG_UNUSED"]`), ExpectError: saying("CONFIG_UNUSED ConfigMap/idle")},
	)
}

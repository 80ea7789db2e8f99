// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

func TestAccGitOpsCommit_findings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	idle := "locals {\n  idle = <<-EOT\napiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: idle, labels: {platform-config: \"true\", region: mars}}\ndata: {A: b}\nEOT\n}\n"
	config := func(commit string) string {
		return strings.Replace(fleetHCL(r, fleetOptions{commit: commit}), "manifests   = local.fleet", "manifests   = concat(local.fleet, "+
			"[local.idle])", 1) + idle
	}
	expectDirectly(t, config("")).Warns(t, "- CONFIG_UNUSED ConfigMap/idle")
	if told := expectDirectly(t, config(`ignore_findings = ["CONFIG_UNUSED:ConfigMap/idle"]`)).Told(); strings.Contains(told, "Findings") {
		t.Errorf("want no warning, got\n%s", told)
	}
	expectMistakes(t, map[string]mistake{
		"failing":    {config(`fail_on = ["CONFIG_UNUSED"]`), "CONFIG_UNUSED ConfigMap/idle"},
		"misspelled": {config(`fail_on = ["CONFIG_UNUSD"]`), `(the nearest is CONFIG_UNUSED)`},
	})
	inSteps(t,
		resource.TestStep{Config: config("fail_on = [\"CONFIG_UNUSED\"]\n  ignore_findings = [\"CONFIG_UNUSED\"]")},
		// A change of fail_on checks a fleet that was already written.
		resource.TestStep{Config: config(`fail_on = ["CONFIG_UNUSED"]`), ExpectError: saying("CONFIG_UNUSED ConfigMap/idle")},
	)
}

// A setting that is misspelled in a block is an error of Terraform itself.
func TestGitOpsCommit_misspelledSettings(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	with := func(block string) string { return fleetHCL(r, fleetOptions{commit: block}) }
	expectMistakes(t, map[string]mistake{
		"limits":          {with("limits {\n    protected = [\"*/web-*\"]\n  }"), `An argument named "protected" is not expected here`},
		"pull_request":    {with("pull_request {\n    automerge = \"squash\"\n  }"), `An argument named "automerge" is not expected here`},
		"no block":        {with("limits = { protect = [\"*/web-*\"] }"), `An argument named "limits" is not expected here`},
		"at the top":      {with("allow_empty = true"), `An argument named "allow_empty" is not expected here`},
		"no number":       {with("limits {\n    max_changed = \"half\"\n  }"), "neither a count"},
		"lines of a diff": {fleetHCL(r.showing(100_001), fleetOptions{}), "max_diff_lines must be a whole number from 0 to 100000"},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// An overview is known at plan, follows the fleet, is put right, and is an import's too.
func TestAccGitOpsCommit_overview(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	hcl := func(name string, o fleetOptions) string {
		if name != "" {
			o.commit = `overview = "` + name + `"`
		}
		return fleetHCL(r, o)
	}
	inSteps(t,
		resource.TestStep{Config: hcl("", fleetOptions{}), Check: expectPaths(t, r, fixtureFiles...)},
		resource.TestStep{
			Config:           hcl("FLEET.md", fleetOptions{}),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("no package changes; +1 ~0 -0 other files")),
			Check:            expectPaths(t, r, append([]string{"FLEET.md"}, fixtureFiles...)...),
		},
		resource.TestStep{Config: hcl("", fleetOptions{}), Check: expectPaths(t, r, fixtureFiles...)},
	)
}

func TestGitOpsCommit_overviewMistakes(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	hcl := func(overview string) string { return fleetHCL(r, fleetOptions{commit: "overview = " + overview}) }
	expectMistakes(t, map[string]mistake{
		"a path":       {hcl(`"docs/FLEET.md"`), "overview must be the name of a Markdown file: the path segment"},
		"another file": {hcl(`"FLEET.yaml"`), `"FLEET.yaml" is not the name of a Markdown file, such as FLEET.md`},
		"an empty one": {hcl(`""`), "Invalid overview"},
		"a cluster type's": {
			fmt.Sprintf("%s\nlocals { repo = %q }\n", r.provider, r.url) + plainFleet("blue", "large.md", "prod") +
				plainCommit("prod", "prod", "prod", `overview = "LARGE.md"`),
			"The overview LARGE.md and the folder of the cluster type large.md would have the same path.",
		},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

func TestAccFilesFunction(t *testing.T) {
	t.Parallel()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: `
output "all" {
  value = provider::kalypso::files({ "b/b.yaml" = "kind: B", "a.yaml" = "\uFEFFkind: A\n", "a b.yaml" = "" })
}

output "none" {
  value = length(provider::kalypso::files({}))
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("all", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact("# Source: a b.yaml\n"),
					knownvalue.StringExact("# Source: a.yaml\nkind: A\n"),
					knownvalue.StringExact("# Source: b/b.yaml\nkind: B"),
				})),
				statecheck.ExpectKnownOutputValue("none", knownvalue.Int64Exact(0)),
			},
		}},
	})
}

// A message names the file, the line of the object and the line of the template.
func TestAccFilesFunction_messages(t *testing.T) {
	t.Parallel()
	config := func(old, text string) string {
		return "locals {\n  fleet = provider::kalypso::files({ \"fleet/all.yaml\" = <<-EOT\n" + strings.Replace(functionFleet, old, text, 1) +
			"\nEOT\n  })\n}\n\n" +
			"output \"result\" {\n  value = provider::kalypso::render(local.fleet, \"prod\")\n}\n"
	}
	const template = `spec: {type: namespace, manifests: ["{apiVersion: v1, kind: Namespace, metadata: {name: {{ .Namespace }}}}"]}`
	expectMistakes(t, map[string]mistake{
		"object": {config("kind: ClusterType", "kind: ClusterTipe"), `Unknown kind: ClusterTipe/edge (fleet/all.yaml:3, manifests[0])`},
		"syntax error": {config(template, "spec:\n  type: namespace\n  manifests:\n  - |\n    a: b\n    c: {{ .Namespace"),
			"Invalid template: Template/namespace (fleet/all.yaml:21, manifests[0]): Manifest 1, line 3"},
		"null": {"output \"result\" {\n  value = provider::kalypso::files({ a = null })\n}\n", "null"},
		"line break": {"output \"result\" {\n  value = provider::kalypso::files({ \"a\\nb\" = \"\" })\n}\n",
			`Invalid file name: the name "a\nb"`},
		"name of nothing": {"output \"result\" {\n  value = provider::kalypso::files({ \"\" = \"\" })\n}\n", `Invalid file name: the name "" is empty`},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// Terraform plans once more inside the apply, with what was unknown now known. Whatever it becomes, the apply works, and
// the next plan is empty.
func TestAccCLI_unknownInputs(t *testing.T) {
	t.Parallel()
	const later = "terraform_data.later.output"
	gitOpsRepo := func(r gitServer) string {
		return kalypsoObject("GitOpsRepo", "prod", "", fmt.Sprintf("{repo: %q, branch: prod, path: .}", r.url))
	}
	for name, row := range map[string]struct {
		old, now string // in the configuration
		more     func(r gitServer) string
	}{
		"a comment, the order and an unknown element of manifests": {"manifests   = local.fleet", "manifests = concat([\"# comment\", " +
			"\"# ${" + later + "}\"], local.fleet, [\"# end\"])", nil},
		"the provider's hold": {"provider \"kalypso\" {", "provider \"kalypso\" {\n  hold = " + later + " == \"never\"\n", nil},
		"another environment": {`environment = "prod"`, "environment = " + later + ` == "2" ? "dev" : "prod"` +
			"\n  path = " + later, nil},
		"the same environment":                  {`environment = "prod"`, "environment = " + later + ` == "2" ? "prod" : "dev"`, nil},
		"the branch beside a GitOpsRepo":        {`branch      = "prod"`, "branch = " + later + ` == "2" ? "other" : "prod"`, gitOpsRepo},
		"a repo that is null":                   {"repo        = local.repo", "repo = " + later + ` == "2" ? null : local.repo`, gitOpsRepo},
		"a path that is written in another way": {`branch      = "prod"`, `branch = "prod"` + "\n  path = " + later + ` == "2" ? "./" : "."`, nil},
		"no limits and no request": {`branch      = "prod"`, "branch = \"prod\"\n  dynamic \"limits\" {\n    for_each = " + later +
			" == \"2\" ? [] : [1]\n    content {\n      max_removed = \"0\"\n    }\n  }\n  dynamic \"pull_request\" {\n    for_each = " + later +
			" == \"2\" ? [] : [1]\n    content {\n      title = \"a title\"\n    }\n  }", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newPlainWorkspace(t, r)
			config := func(input string) string {
				text := plainFleet("blue", "a", "prod", "dev") + plainCommit("prod", "prod", "prod", "")
				if row.more != nil {
					text = strings.Replace(text, "EOT\n  ]", "---\n"+row.more(r)+"EOT\n  ]", 1)
				}
				return text + r.provider + fmt.Sprintf("\nlocals {\n  repo = %q\n}\nresource \"terraform_data\" \"later\" {\n  input = %q\n}\n",
					r.url, input)
			}
			w.write(t, "server.tf", "")
			w.write(t, "main.tf", config("1"))
			w.mustRun(t, applying...)
			w.write(t, "main.tf", strings.Replace(config("2"), row.old, row.now, 1))
			w.mustRun(t, applying...)
			w.settled(t)
		})
	}
}

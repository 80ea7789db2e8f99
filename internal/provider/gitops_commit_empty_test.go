// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// A misspelled environment is not created, whatever is silenced: limits allow it.
func TestAccGitOpsCommit_emptyEnvironment(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(attributes string) string {
		return r.provider + plainFleet("blue", "large", "dev", "stage") + plainCommit("dve", "dve", "prod", "path = \".\"\n  "+attributes) + "locals {\n  repo = \"" + r.url + "\"\n}\n"
	}
	const told = "No deployment target names dve (the nearest is dev); the manifests name dev, stage. So no package would be written."
	inSteps(t,
		resource.TestStep{Config: config(""), ExpectError: saying(told)},
		resource.TestStep{ // also where there is no GitOpsRepo of that name
			Config:      strings.Replace(config(""), "repo        = local.repo", "", 1),
			ExpectError: saying(told),
		},
		resource.TestStep{Config: config(`ignore_findings = ["ENVIRONMENT_EMPTY"]`), ExpectError: saying("set allow_empty = true in limits; ignore_findings does not allow it")},
		resource.TestStep{
			Config:           config("limits {\n    allow_empty = true\n  }"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("kalypso_gitops_commit.dve", plancheck.ResourceActionCreate)}},
			Check:            expectPaths(t, r, "large/README.md"),
		},
	)
}

// A credential keeps a plan from being made until it is silenced by name, and then it
// stands as a digest in what the plan tells.
func TestAccCLI_credential(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(password, attributes string) string {
		return r.provider + plainFleet("blue", "large", "prod") + plainCommit("prod", "prod", "prod", "path = \".\"\n  "+attributes) + "locals {\n  repo = \"" + r.url + "\"\n}\n" +
			"locals {\n  database = yamlencode({ apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = \"database\", labels = { platform-config = \"true\" } }, data = { DB_PASSWORD = \"" + password + "\", REGION = \"north\" } })\n}\n"
	}
	withConfig := func(text string) string {
		return strings.Replace(text, "= local.fleet", "= concat(local.fleet, [local.database])", 1)
	}
	const silent = `ignore_findings = ["CREDENTIAL:ConfigMap/database"]`
	w := newWorkspace(t, withConfig(config("hunter1", "")), nil)
	w.fails(t, []string{"plan"}, "Credentials in the fleet", "CREDENTIAL ConfigMap/database: The value of DB_PASSWORD is a credential, by its name.", silent)
	w.write(t, "main.tf", withConfig(config("hunter1", silent)))
	w.mustRun(t, "apply", "-auto-approve")
	w.write(t, "main.tf", withConfig(config("hunter2", silent)))
	w.succeeds(t, []string{"plan"}, "-  DB_PASSWORD: (redacted", "+  DB_PASSWORD: (redacted f52f…)")
}

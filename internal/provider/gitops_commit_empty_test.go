// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// Silenced findings do not allow the creation of a misspelled environment: only limits
// allow it.
func TestGitOpsCommit_emptyEnvironment(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(attributes string) string {
		return r.provider + plainFleet("blue", "large", "dev", "stage") + plainCommit("dve", "dve", "prod", "path = \".\"\n  "+attributes) +
			"locals {\n  repo = \"" + r.url + "\"\n}\n"
	}
	const told = "No deployment target names dve (the nearest is dev); the manifests name dev, stage. The apply would write no package."
	expectMistakes(t, map[string]mistake{
		"a misspelled name":           {config(""), told},
		"there is no GitOpsRepo, too": {strings.Replace(config(""), "repo        = local.repo", "", 1), told},
		"which cannot be left unsaid": {config(`ignore_findings = ["ENVIRONMENT_EMPTY"]`), "set allow_empty = true in limits. To give the " +
			"environment up, destroy the resource. ignore_findings does not silence this error"},
	})
	d := expectDirectly(t, config("limits {\n    allow_empty = true\n  }"))
	if keys := d.values["kalypso_gitops_commit.dve"].GetAttr("packages").AsValueMap(); len(keys) != 1 || keys["large/README.md"].IsNull() {
		t.Errorf("packages %v", keys)
	}
}

// A credential prevents the plan until it is silenced by name. Then the plan shows it as a
// digest.
func TestAccCLI_credential(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(password, attributes string) string {
		return r.provider + plainFleet("blue", "large", "prod") + plainCommit("prod", "prod", "prod", "path = \".\"\n  "+attributes) +
			"locals {\n  repo = \"" + r.url + "\"\n}\n" +
			"locals {\n  database = yamlencode({ apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = \"database\", labels = { " +
			"platform-config = \"true\" } }, data = { DB_PASSWORD = \"" + password + "\", REGION = \"north\" } })\n}\n"
	}
	withConfig := func(text string) string {
		return strings.Replace(text, "= local.fleet", "= concat(local.fleet, [local.database])", 1)
	}
	const silent = `ignore_findings = ["CREDENTIAL:ConfigMap/database/DB_PASSWORD"]`
	w := newWorkspace(t, withConfig(config("hunter1", "")))
	w.fails(t, []string{"plan"}, "Credentials in the fleet", "CREDENTIAL ConfigMap/database/DB_PASSWORD: The value of DB_PASSWORD is a "+
		"credential, by its name.", silent)
	w.write(t, "main.tf", withConfig(config("hunter1", silent)))
	w.mustRun(t, "apply", "-auto-approve")
	w.write(t, "main.tf", withConfig(config("hunter2", silent)))
	w.succeeds(t, []string{"plan"}, "-  DB_PASSWORD: (redacted", "+  DB_PASSWORD: (redacted f52f…)")
}

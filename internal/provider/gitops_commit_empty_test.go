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
	const told = "dve (the nearest is dev); the manifests"
	expectMistakes(t, map[string]mistake{
		"a misspelled name":           {config(""), told},
		"there is no GitOpsRepo, too": {strings.Replace(config(""), "repo        = local.repo", "", 1), told},
		"which cannot be left unsaid": {config(`ignore_findings = ["ENVIRONMENT_EMPTY"]`), "destroy the resource. ignore_findings does not silence"},
	})
	d := expectDirectly(t, config("limits {\n    allow_empty = true\n  }"))
	if keys := d.Values["kalypso_gitops_commit.dve"].GetAttr("packages").AsValueMap(); len(keys) != 1 || keys["large/README.md"].IsNull() {
		t.Errorf("packages %v", keys)
	}
}

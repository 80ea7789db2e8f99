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

// Without a fleet, only files are written, and no finding says that nothing is placed.
func TestGitOpsCommit_filesAlone(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(files string) string {
		return r.provider + "resource \"kalypso_gitops_commit\" \"dev\" {\n  environment = \"dev\"\n  manifests = []\n  branch = \"main\"\n" +
			"  repo = \"" + r.url + "\"\n" + files + "}\n"
	}
	expectMistakes(t, map[string]mistake{"neither a fleet nor files": {config(""), "Beside files, it may be []"}})
	d := expectDirectly(t, config("  files = { \"conf/a.yaml\" = \"a: 1\", \"conf/b.yaml\" = \"b: 2\" }\n"))
	if got := d.Values["kalypso_gitops_commit.dev"].GetAttr("summary").AsString(); got != "no package changes; +2 ~0 -0 other files" {
		t.Errorf("the summary is %s", got)
	}
	if told := d.Told(); strings.Contains(told, "No deployment target") {
		t.Errorf("it says %s", told)
	}
}

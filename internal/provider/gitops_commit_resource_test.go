// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestGitOpsCommit_refusedInputs(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	with := func(old, replacement string) string {
		config := fleetHCL(r, fleetOptions{})
		if !strings.Contains(config, old) {
			t.Fatalf("the fixture does not hold %q", old)
		}
		return strings.Replace(config, old, replacement, 1)
	}
	r.repo.CommitFiles(t, "prod", map[string][]byte{"a": []byte("a")}, "first")
	r.onDisk().Tag(t, "v1", r.repo.Head(t, "prod"))
	onBranch := func(branch string) string {
		return r.provider + plainFleet("blue", "large", "prod") + plainCommit("prod", "prod", branch, "") +
			"locals {\n  repo = \"" + r.url + "\"\n}\n"
	}
	const manifests = "manifests   = local.fleet"
	expectMistakes(t, map[string]mistake{
		"empty path":    {with(manifests, manifests+"\n  path = \"\""), "path"},
		"null manifest": {with(manifests, "manifests = concat(local.fleet, [null])"), "Null"},
		"token in the URL": {with(manifests, manifests+"\n  repo = \"https://ghp_0123456789@git.example/a/b\""),
			"user name, which may"},
		"a branch of a clone":   {onBranch("origin/prod"), `Write "prod"`},
		"a tag":                 {onBranch("v1"), "this is the name"},
		"another environment's": {with("name   = \"prod\"\n  repo", "name   = \"dev\"\n  repo"), `another environment, "dev"`},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// An import id is cut at its first #, and at colons behind it.
func TestParseImportID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]git.Location{
		"https://git.example/a#prod":                {Repo: "https://git.example/a", Branch: "prod", Path: "."},
		"https://git.example/a#prod:.":              {Repo: "https://git.example/a", Branch: "prod", Path: "."},
		"https://git.example/a#release#1:fleet":     {Repo: "https://git.example/a", Branch: "release#1", Path: "fleet"},
		"git@git.example:a/b.git#prod:./fleet:prod": {Repo: "git@git.example:a/b.git", Branch: "prod", Path: "./fleet"},
	} {
		location, environment, err := parseImportID(id)
		if err != nil || location != want || (environment == "prod") != strings.HasSuffix(id, ":prod") {
			t.Errorf("%s is %+v of %q, %v", id, location, environment, err)
		}
	}
	for _, id := range []string{"", "prod", "#prod", "https://git.example/a#", "nowhere#prod", "https://git.example/a#prod:../up"} {
		if location, _, err := parseImportID(id); err == nil {
			t.Errorf("%q is %+v", id, location)
		}
	}
}

// The configuration that Terraform writes for an import plans, and says what is missing in it.
func TestAccCLI_generatedConfig(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)
	w.applies(t, plainFleet("blue", "large small", "prod")+plainCommit("prod", "prod", "prod", ""))
	imports := newWorkspace(t, r.provider+fmt.Sprintf("import {\n  to = kalypso_gitops_commit.prod\n  id = %q\n}\n", r.url+"#prod:."))
	imports.succeeds(t, []string{"plan", "-generate-config-out=generated.tf"}, "manifests has to be the fleet")
	imports.mustRun(t, applying...)
	imports.write(t, "generated.tf", strings.Replace(readFile(t, filepath.Join(imports.dir, "generated.tf")),
		"\"package\"", "\"cluster_type\"", 1))
	imports.fails(t, planning, "Missing manifests")
}

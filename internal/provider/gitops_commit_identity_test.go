// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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
	for _, id := range []string{"", "prod", "#prod", "https://git.example/a#"} {
		if location, _, err := parseImportID(id); err == nil {
			t.Errorf("%q is %+v", id, location)
		}
	}
}

// Importing by identity needs repository and branch; the rest has the defaults of the
// import id.
func TestGitOpsCommit_importByIdentity(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	r.repo.CommitFiles(t, "prod", map[string][]byte{"large/README.md": []byte("<!-- written by terraform-provider-kalypso -->\n# large\n")},
		"by Kalypso")
	identity := func(repo, branch, path, environment string) *tfprotov6.ResourceIdentityData {
		return identityOf(t, map[string]string{"repo": repo, "branch": branch, "path": path, "environment": environment})
	}
	identityType := identityValue(map[string]string{"repo": "", "branch": "", "path": "", "environment": ""}).Type()
	for name, test := range map[string]struct {
		identity *tfprotov6.ResourceIdentityData
		want     string // words of the error
	}{
		"all that is needed": {identity(r.url, "prod", "", ""), ""},
		"a path":             {identity(r.url, "prod", ".", ""), ""},
		"no such branch":     {identity(r.url, "dev", "", ""), `no branch "dev"`},
		"no URL":             {identity("nowhere", "prod", "", ""), "nowhere"},
		"no path":            {identity(r.url, "prod", "../up", ""), `".."`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := planDirectly(t, "").Server
			imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "kalypso_gitops_commit",
				Identity: test.identity})
			if err != nil {
				t.Fatal(err)
			}
			if test.want != "" {
				if len(imported.Diagnostics) == 0 || !strings.Contains(imported.Diagnostics[0].Detail, test.want) {
					t.Errorf("want %q, got %+v", test.want, imported.Diagnostics)
				}
				return
			}
			if len(imported.Diagnostics) > 0 || len(imported.ImportedResources) != 1 {
				t.Fatalf("%+v", imported.Diagnostics)
			}
			got, err := imported.ImportedResources[0].Identity.IdentityData.Unmarshal(identityType)
			var values map[string]tftypes.Value
			if err != nil || got.As(&values) != nil {
				t.Fatalf("identity %s (%v)", got, err)
			}
			for name, want := range map[string]string{"repo": r.url, "branch": "prod", "path": "."} {
				if !values[name].Equal(tftypes.NewValue(tftypes.String, want)) {
					t.Errorf("%s of the identity is %s, want %s", name, values[name], want)
				}
			}
		})
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

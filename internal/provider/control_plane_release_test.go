// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// An environment is read and placed at its newest release, and then at the release that is asked for. The
// release goes on to the record. If it names no sources, the record has their heads.
func TestAccControlPlane(t *testing.T) {
	t.Parallel()
	platform, app, result := servers["http"](t), servers["http"](t), transports["file"](t)
	app.commit(t, "main", map[string]string{"w.yaml": workloadYAML("before")})
	after := app.commit(t, "main", map[string]string{"w.yaml": workloadYAML("after")})
	pinned := platform.commit(t, "main", map[string]string{"small.yaml": clusterTypeYAML("small")})
	newer := platform.commit(t, "main", map[string]string{"large.yaml": clusterTypeYAML("large")})
	platform.commit(t, "dev", map[string]string{
		"main.yaml": "# Promoted by hand\n" + baseRepoYAML("main", platform, "main", ".", pinned), "templates.yaml": templatesYAML,
		"app.yaml":      registrationYAML("app", app.url, "main", "", "team"),
		"policies.yaml": policyYAML("small", "", "small") + "---\n" + policyYAML("large", "", "large"),
	})
	config := func(release string) string {
		return providerFor(platform, app) + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  %s",
			platform.url, release)) + fmt.Sprintf(`
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  release     = data.kalypso_control_plane.dev.read_release
  repo        = %q
  branch      = "dev"
}
`, result.url)
	}
	at := func(release string) resource.TestCheckFunc {
		return check(func() error {
			if got := result.repo.Files(t, "dev")[trackingPath]; got != release {
				return fmt.Errorf("%s holds %q, want %q", trackingPath, got, release)
			}
			return nil
		})
	}
	source := app.url + "#main"
	inSteps(t,
		resource.TestStep{
			Config:            config(""),
			ConfigStateChecks: checks(checkAssignments("small/after-live:team"), expectReadAt(pinned, map[string]string{source: after})),
			Check:             at(pinned),
		},
		resource.TestStep{
			Config: config(fmt.Sprintf("release = { commit = %q, sources = {} }", newer)),
			ConfigStateChecks: checks(checkAssignments("large/after-live:team", "small/after-live:team"),
				expectReadAt(newer, map[string]string{source: after})),
			Check: at(newer),
		},
	)
}

func TestControlPlane_releaseMistakes(t *testing.T) {
	t.Parallel()
	platform := transports["file"](t)
	platform.repo.CommitFiles(t, "main", map[string][]byte{"small.yaml": []byte(clusterTypeYAML("small"))}, "main")
	s := served{repo: platform.onDisk(), url: platform.url}
	s.commit(t, "dev", map[string]string{"main.yaml": baseRepoYAML("main", s, "main", ".", "")})
	config := func(release string) string {
		return platform.provider + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  release = %s", s.url,
			release))
	}
	head := platform.repo.Head(t, "main")
	const unknown = "1234567812345678123456781234567812345678"
	expectMistakes(t, map[string]mistake{
		"null":               {config("{ commit = null, sources = {} }"), "Nothing is verified yet"},
		"no commit":          {config("{ comit = \"" + head + "\", sources = {} }"), "Nothing is verified yet"},
		"misspelled sources": {config(fmt.Sprintf("{ commit = %q, source = {} }", head)), "commit and no sources"},
		"null sources":       {config(fmt.Sprintf("{ commit = %q, sources = null }", head)), "sources = {} for the heads"},
		"no sources":         {config(fmt.Sprintf("{ commit = %q }", head)), "look for a misspelled"},
		"a branch":           {config(`{ commit = "HEAD", sources = {} }`), "is not a release"},
		"a version":          {config(`{ commit = "v1.4.0", sources = {} }`), `"v1.4.0" is not a Git`},
		"not there":          {config(fmt.Sprintf("{ commit = %q, sources = {} }", unknown)), unknown},
		"no source":          {config(fmt.Sprintf("{ commit = %q, sources = { main = %[1]q } }", head)), "main"},
	})
}

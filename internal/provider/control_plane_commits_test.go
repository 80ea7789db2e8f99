// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// An environment is read at the commits that are asked for: its objects, and what is
// promoted.
func TestAccControlPlane_baseCommits(t *testing.T) {
	t.Parallel()
	platform, result := servers["http"](t), transports["file"](t)
	pinned := platform.commit(t, "main", map[string]string{"small.yaml": clusterTypeYAML("small")})
	newer := platform.commit(t, "main", map[string]string{"large.yaml": clusterTypeYAML("large")})
	platform.commit(t, "main", map[string]string{"huge.yaml": clusterTypeYAML("huge")})
	platform.commit(t, "dev", map[string]string{
		"main.yaml": "# Promoted by hand\n" + baseRepoYAML("main", platform, "main", ".", pinned), "workload.yaml": workloadYAML("app"),
		"templates.yaml": templatesYAML,
		"policies.yaml": policyYAML("small", "", "small") + "---\n" + policyYAML("large", "", "large") + "---\n" +
			policyYAML("huge", "", "huge"),
	})
	config := func(more string) string {
		return providerFor(platform) + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"\n  %s", platform.url,
			more)) + fmt.Sprintf(`
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = %q
  branch      = "dev"
}
`, result.url)
	}
	inSteps(t,
		resource.TestStep{
			Config: config(""),
			ConfigStateChecks: []statecheck.StateCheck{checkAssignments("small/app-live:"),
				checkAttribute("promoted_commit", knownvalue.StringExact(pinned))},
			Check: expectTrackingOn(t, result, "dev", pinned),
		},
		resource.TestStep{
			Config: config(fmt.Sprintf("base_commits = { main = %q }", newer)),
			ConfigStateChecks: []statecheck.StateCheck{checkAssignments("large/app-live:", "small/app-live:"),
				checkAttribute("promoted_commit", knownvalue.StringExact(newer))},
			Check: expectTrackingOn(t, result, "dev", newer),
		},
		resource.TestStep{Config: config("base_commits = {}"), Check: expectTrackingOn(t, result, "dev", pinned)},
	)
}

func TestControlPlane_baseCommitsMistakes(t *testing.T) {
	t.Parallel()
	platform := transports["file"](t)
	platform.repo.CommitFiles(t, "main", map[string][]byte{"small.yaml": []byte(clusterTypeYAML("small"))}, "main")
	s := served{repo: platform.onDisk(), url: platform.url}
	s.commit(t, "dev", map[string]string{"main.yaml": baseRepoYAML("main", s, "main", ".", ""),
		"shared.yaml": baseRepoYAML("shared", s, "main", ".", "")})
	s.commit(t, "alone", map[string]string{"small.yaml": clusterTypeYAML("small")})
	config := func(branch, commits string) string {
		return platform.provider + controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = %q\n  environment = \"dev\"\n  base_commits = %s", s.url,
			branch, commits))
	}
	head := platform.repo.Head(t, "main")
	expectMistakes(t, map[string]mistake{
		"null": {config("dev", "{ main = null }"),
			`base_commits["main"] is null: no commit is verified for this environment yet. The data source does not read the head of the branch instead.`},
		"null, read": {config("dev", "{ main = data.kalypso_promotion.dev.commit }") +
			promotionHCL("dev", fmt.Sprintf(`environment = "dev"; source {; repo = %[1]q; branch = "main"; }; target {; repo = %[1]q; branch = "none"; }; after {; environment = "test"; repo = %[1]q; branch = "none"; no_checks = true; }`, s.url)), "Nothing is verified yet"},
		"unknown": {config("dev", fmt.Sprintf("{ mian = %q }", head)),
			`The control plane has no BaseRepo "mian". Did you mean "main"? Its BaseRepos are: main, shared.`},
		"two unknown":   {config("dev", fmt.Sprintf("{ main = %[1]q, a = %[1]q, shraed = %[1]q }", head)), `Did you mean "shared"?`},
		"none at all":   {config("alone", fmt.Sprintf("{ main = %q }", head)), "It has no BaseRepo at all."},
		"no commit":     {config("dev", `{ main = "HEAD" }`), "must be a git commit id"},
		"not in there":  {config("dev", `{ main = "1234567812345678123456781234567812345678" }`), "1234567812345678123456781234567812345678"},
		"wrong element": {config("dev", "{ main = [] }"), "string required"},
	})
}

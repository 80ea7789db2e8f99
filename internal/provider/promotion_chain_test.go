// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// promotes makes commits of main that change the workload, which all environments have.
func (c *chain) promotes(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.commit(name, gittest.Revision{Files: controlPlaneFiles(name)})
	}
}

// controlPlaneFiles is a control plane whose workload has this version in every environment.
func controlPlaneFiles(version string) map[string][]byte {
	workload := kalypsoObject("Workload", "web", "version: "+version, "{deploymentTargets: [{name: dev, environment: dev}, {name: stage, "+
		"environment: stage}, {name: prod, environment: prod}]}")
	return map[string][]byte{
		"templates.yaml": []byte(strings.Replace(templatesYAML, "{{ .DeploymentTargetName }}", "{{ .DeploymentTargetName }}, labels: {version: "+
			"{{ .Labels.version }}}", 1)),
		"large.yaml": []byte(clusterTypeYAML("large")), "small.yaml": []byte(clusterTypeYAML("small")), "workload.yaml": []byte(workload),
		"policies.yaml": []byte(policyYAML("large", "", "large") + "---\n" + policyYAML("small", "", "small")),
	}
}

// environmentFiles is the configuration of an environment with the control plane in main.
func environmentFiles(repo string) map[string][]byte {
	base := kalypsoObject("BaseRepo", "main", "", fmt.Sprintf("{repo: %q, branch: main, path: .}", repo))
	return map[string][]byte{"main.yaml": []byte(base)}
}

// environmentHCL promotes to an environment, reads it at that release and writes it.
func (c *chain) environmentHCL(name, promotion string) string {
	return fmt.Sprintf(`
data "kalypso_promotion" %[1]q {
  %[2]s
}

data "kalypso_control_plane" %[1]q {
  repo        = %[3]q
  branch      = "env-%[1]s"
  environment = %[1]q
  release     = data.kalypso_promotion.%[1]s.release
}

resource "kalypso_gitops_commit" %[1]q {
  environment = %[1]q
  manifests   = data.kalypso_control_plane.%[1]s.manifests
  release     = data.kalypso_control_plane.%[1]s.release
  repo        = %[3]q
  branch      = %[1]q
}
`, name, promotion, c.url)
}

// at checks which commits of main what is in some folders comes from: "dev:." is the
// branch's.
func (c *chain) at(want map[string]string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for place, commit := range want {
			branch, folder, _ := strings.Cut(place, ":")
			files := c.repo.Files(c.t, branch)
			if text := files[path.Join(folder, "large/web-"+branch+"/reconciler.yaml")]; !strings.Contains(text, "version: "+commit) {
				return fmt.Errorf("%s is not at %s:\n%s", place, commit, text)
			}
		}
		return nil
	}
}

// newPromotingChain is a chain with a control plane, whose GitHub takes what is written.
func newPromotingChain(t testing.TB) (c *chain, provider string) {
	t.Helper()
	c = newChain(t)
	c.promotes("c1")
	for _, environment := range []string{"dev", "stage", "prod"} {
		c.repo.CommitFiles(t, "env-"+environment, environmentFiles(c.url), "environment")
	}
	return c, fmt.Sprintf("provider \"kalypso\" {\n forge {\n  url_prefix = %q\n  type = \"github\"\n  base_url = %[1]q\n  token = %q\n }\n}\n",
		c.server.Address(), c.server.AddToken("kalypso", true))
}

// promotionOf checks what became of a promotion.
func (c *chain) promotionOf(name, want, reason string) statecheck.StateCheck {
	return expectPromoted{promoting{c, "", want, reason}, name, "data.kalypso_promotion." + name}
}

// A chain of three environments from the first commit on. A commit goes on once the clusters of the
// environment before report that it works, and nothing is written before. A rollback with git holds,
// although another commit is merged, until resume_after names the bad commit.
func TestAccPromotion_chain(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c, provider := newPromotingChain(t)
	environments := func(names ...string) string {
		text := provider
		for i, name := range names {
			text += c.environmentHCL(name, c.to(name, names[max(0, i-1):i]...))
		}
		return text
	}
	two, three := environments("dev", "stage"), environments("dev", "stage", "prod")
	report := func(branch string) func() {
		return func() { c.green(c.repo.Head(t, branch), "1m") }
	}
	bad := filepath.Join(t.TempDir(), "bad")
	resumed := strings.Replace(three, "\n  environment = \"stage\"\n  target",
		fmt.Sprintf("\n  resume_after = file(%q)\n  environment = \"stage\"\n  target", bad), 1)
	var original map[string]string
	inSteps(t,
		resource.TestStep{Config: environments("dev"), Check: c.at(map[string]string{"dev": "c1"})},
		resource.TestStep{Config: two, ExpectError: saying("Nothing is verified yet")},
		resource.TestStep{PreConfig: report("dev"), Config: two, Check: c.at(map[string]string{"dev": "c1", "stage": "c1"})},
		resource.TestStep{
			PreConfig: report("stage"), Config: three, Check: c.at(map[string]string{"dev": "c1", "stage": "c1", "prod": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("dev", "up_to_date c1", ""), c.promotionOf("prod", "promote c1: c1 verified", "")),
		},
		resource.TestStep{
			PreConfig: func() { original = c.repo.Files(t, "stage"); c.promotes("c2") }, Config: three,
			Check: c.at(map[string]string{"dev": "c2", "stage": "c1", "prod": "c1"}),
		},
		resource.TestStep{
			PreConfig: func() { c.red(c.repo.Head(t, "dev"), "2m") }, Config: three,
			Check:             c.at(map[string]string{"dev": "c2", "stage": "c1", "prod": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("stage", "up_to_date c1: c2 failed", "failed in dev: kustomization/apps")),
		},
		resource.TestStep{PreConfig: report("dev"), Config: three, Check: c.at(map[string]string{"dev": "c2", "stage": "c2", "prod": "c1"})},
		resource.TestStep{ // git revert in stage, and another team merges
			PreConfig: func() {
				reverted := map[string][]byte{}
				for file, text := range original {
					reverted[file] = []byte(text)
				}
				c.green(c.repo.Commit(t, gittest.Revision{Branch: "stage", Files: reverted, Message: "Revert"}), "1m")
				c.promotes("c3")
			},
			Config: three, Check: c.at(map[string]string{"dev": "c3", "stage": "c1", "prod": "c1"}),
		},
		resource.TestStep{
			PreConfig: report("dev"), Config: three, Check: c.at(map[string]string{"dev": "c3", "stage": "c1", "prod": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("stage", "held c1: c3 verified", "resume_after")),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := os.WriteFile(bad, []byte(c.id("c2")), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			Config: resumed, Check: c.at(map[string]string{"dev": "c3", "stage": "c3", "prod": "c1"}),
		},
		resource.TestStep{PreConfig: report("stage"), Config: resumed, Check: c.at(map[string]string{"stage": "c3", "prod": "c3"})},
	)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"fmt"
	"path"
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
		workload := kalypsoObject("Workload", "web", "version: "+name, "{deploymentTargets: [{name: dev, environment: dev}, {name: stage, "+
			"environment: stage}]}")
		c.commit(name, gittest.Revision{Files: map[string][]byte{
			"templates.yaml": []byte(strings.Replace(templatesYAML, "{{ .DeploymentTargetName }}", "{{ .DeploymentTargetName }}, labels: {version: "+
				"{{ .Labels.version }}}", 1)),
			"large.yaml": []byte(clusterTypeYAML("large")), "small.yaml": []byte(clusterTypeYAML("small")), "workload.yaml": []byte(workload),
			"policies.yaml": []byte(policyYAML("large", "", "large") + "---\n" + policyYAML("small", "", "small")),
		}})
	}
}

// environmentHCL promotes to an environment, reads it at that commit and writes it.
func (c *chain) environmentHCL(name, promotion, commit string) string {
	return fmt.Sprintf(`
data "kalypso_promotion" %[1]q {
  %[2]s
}

data "kalypso_control_plane" %[1]q {
  repo           = %[3]q
  branch         = "env-%[4]s"
  environment    = %[4]q
  base_commits   = { main = data.kalypso_promotion.%[1]s.commit }
  source_commits = data.kalypso_promotion.%[1]s.sources
}

resource "kalypso_gitops_commit" %[1]q {
  environment = %[4]q
  manifests   = data.kalypso_control_plane.%[1]s.manifests
  sources     = data.kalypso_control_plane.%[1]s.sources
  repo        = %[3]q
  %[5]s
}

resource "kalypso_commit_status" %[1]q {
  repo       = %[3]q
  commit     = data.kalypso_promotion.%[1]s.commit
  context    = "kalypso/%[4]s"
  state      = "success"
  depends_on = [kalypso_gitops_commit.%[1]s]
}
`, name, promotion, c.url, strings.TrimSuffix(name, "_canary"), commit)
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
	for _, environment := range []string{"dev", "stage"} {
		base := kalypsoObject("BaseRepo", "main", "", fmt.Sprintf("{repo: %q, branch: main, path: .}", c.url))
		c.repo.CommitFiles(t, "env-"+environment, map[string][]byte{"main.yaml": []byte(base)}, "environment")
	}
	return c, fmt.Sprintf("provider \"kalypso\" {\n forges = [{ url_prefix = %q, type = \"github\", base_url = %[1]q, token = %q }]\n}\n",
		c.server.Address(), c.server.AddToken("kalypso", true))
}

// promotionOf checks what became of a promotion.
func (c *chain) promotionOf(name, want, reason string) statecheck.StateCheck {
	return expectPromoted{promoting{c, "", want, reason}, name, "data.kalypso_promotion." + name}
}

// A chain from the first commit on. A commit goes to dev. It goes on to stage once dev's
// clusters and the report about dev are green. A failure stops there, and the commit
// that fixes it goes on.
func TestAccPromotion_chain(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c, provider := newPromotingChain(t)
	dev := c.environmentHCL("dev", c.to("dev"), `branch = "dev"`)
	both := provider + dev + c.environmentHCL("stage", c.to("stage", "dev")+"  source_checks {\n context = \"kalypso/dev\"\n creators = "+
		"[\"kalypso\"]\n }\n", `branch = "stage"`)
	inSteps(t,
		resource.TestStep{Config: provider + dev, Check: c.at(map[string]string{"dev": "c1"})},
		resource.TestStep{Config: both, ExpectError: saying(`base_commits["main"] is null`)}, // nothing is reported yet
		resource.TestStep{
			PreConfig: func() { c.green(c.repo.Head(t, "dev"), "1m") },
			Config:    both, Check: c.at(map[string]string{"dev": "c1", "stage": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("dev", "up_to_date c1", ""), c.promotionOf("stage", "promote c1 from -: c1 verified", "")),
		},
		resource.TestStep{
			PreConfig: func() { c.promotes("c2") },
			Config:    both, Check: c.at(map[string]string{"dev": "c2", "stage": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("stage", "up_to_date c1: c2 not_deployed", "")), // as before the apply
		},
		resource.TestStep{
			PreConfig: func() { c.red(c.repo.Head(t, "dev"), "1m") },
			Config:    both, Check: c.at(map[string]string{"dev": "c2", "stage": "c1"}),
			ConfigStateChecks: checks(c.promotionOf("stage", "up_to_date c1: c2 failed", `kustomization/apps reports "says failure"`)),
		},
		resource.TestStep{PreConfig: func() { c.promotes("c3") }, Config: both, Check: c.at(map[string]string{"dev": "c3", "stage": "c1"})},
		resource.TestStep{
			PreConfig: func() { c.green(c.repo.Head(t, "dev"), "1m") },
			Config:    both, Check: c.at(map[string]string{"dev": "c3", "stage": "c3"}),
			ConfigStateChecks: checks(c.promotionOf("stage", "promote c3 from c1: c3 verified", "")),
		},
	)
}

// Waves share branch and path, each with a list of cluster types. The second wave follows
// the first, and uses the reports of its clusters alone. A cluster type that moves to the
// first wave gets the commit of that wave.
func TestAccPromotion_wavesOfOnePlace(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c, provider := newPromotingChain(t)
	types := func(list string) string { return "cluster_types = [" + list + "]" }
	waves := func(canary, rest string) string {
		checks := "dynamic \"checks\" {\n for_each = [" + canary + "]\n content {\n context = \"kalypso/dev/${checks.value}/*\"\n }\n }"
		to := func(list string) string {
			return strings.Replace(c.to("dev"), c.place("dev"), c.place("dev", types(list)), 1)
		}
		after := c.after("dev", checks, types(canary))
		text := provider + c.environmentHCL("dev_canary", to(canary), "branch = \"dev\"\n  "+types(canary))
		if rest != "gone" {
			text += c.environmentHCL("dev", to(cmp.Or(rest, canary))+after, "branch = \"dev\"\n  "+types(rest))
		}
		return text
	}
	at := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			files := c.repo.Files(t, "dev")
			for name, commit := range want {
				if text := files[name+"/web-dev/reconciler.yaml"]; !strings.Contains(text, "version: "+commit) {
					return fmt.Errorf("%s is not at %s:\n%s", name, commit, text)
				}
			}
			if text, there := files[trackingPath]; there {
				return fmt.Errorf("a wave says what the whole is at: %s", text)
			}
			return nil
		}
	}
	report := func(clusterType, state string) {
		c.reports(c.repo.Head(t, "dev"), "kalypso/dev/"+clusterType+"/1", state, "1m")
	}
	both := waves(`"small"`, `"large"`)
	inSteps(t,
		resource.TestStep{Config: waves(`"small"`, "gone"), Check: at(map[string]string{"small": "c1"})},
		resource.TestStep{PreConfig: func() { report("small", "success") }, Config: both,
			Check: at(map[string]string{"small": "c1", "large": "c1"})},
		resource.TestStep{
			PreConfig: func() { c.promotes("c2") },
			Config:    both, Check: at(map[string]string{"small": "c2", "large": "c1"}),
		},
		resource.TestStep{
			PreConfig:         func() { report("large", "success") },
			Config:            both,
			ConfigStateChecks: checks(c.promotionOf("dev", "up_to_date c1: c2 waiting", `no report of "kalypso/dev/small/*" yet`)),
		},
		resource.TestStep{
			PreConfig: func() { report("small", "success"); report("large", "failure") },
			Config:    both, Check: at(map[string]string{"small": "c2", "large": "c2"}),
			ConfigStateChecks: checks(c.promotionOf("dev", "promote c2 from c1: c2 verified", ""), c.promotionOf("dev_canary", "up_to_date c2", "")),
		},
		resource.TestStep{
			PreConfig: func() { c.promotes("c3") },
			Config:    both, Check: at(map[string]string{"small": "c3", "large": "c2"}),
		},
		resource.TestStep{ // all is in the first wave now
			Config: waves(`"large", "small"`, ""), Check: at(map[string]string{"small": "c3", "large": "c3"}),
			ConfigStateChecks: checks(c.promotionOf("dev_canary", "up_to_date c3", "")),
		},
		resource.TestStep{
			Config: waves(`"large", "small"`, "gone"),
			Check: func(*terraform.State) error {
				expectNeverGone(t, c.repo, "dev", "large/web-dev/reconciler.yaml", "small/web-dev/reconciler.yaml")
				return nil
			},
		},
	)
}

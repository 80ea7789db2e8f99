// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/azuretest"
)

// forgeHCL are the parts of a configuration: the environment dev is proposed to people, its merged
// commit gets a status, and stage follows dev with a request that the forge merges.
//
//go:embed testdata/forges
var forgeHCL embed.FS

// config is the configuration with some parts. The request of dev has these settings; without
// settings, dev has no request.
func (f atForge) config(settings string, parts ...string) string {
	text := f.provider
	for _, part := range parts {
		content, _ := forgeHCL.ReadFile("testdata/forges/" + part + ".tf")
		text += "\n" + string(content)
	}
	request := ""
	if settings != "" {
		request = requestHCL(settings)
	}
	return strings.NewReplacer("REPO", f.url, "REQUEST", request).Replace(text)
}

// On every forge, dev accepts changes only by reviewed requests. Once dev's commit has a status, the
// release goes on to stage.
func TestAccForges(t *testing.T) {
	t.Parallel()
	for name, start := range doubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acrossEnvironments(t, start(t))
		})
	}
}

// TestAccGitea_environments is TestAccForges on a real Gitea.
func TestAccGitea_environments(t *testing.T) {
	t.Parallel()
	acrossEnvironments(t, newAtGitea(t))
}

func acrossEnvironments(t *testing.T, f atForge) {
	t.Helper()
	f.protect("dev")
	address := "kalypso_gitops_commit.dev"
	has := func(name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), value)
	}
	unknown := []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)}
	for _, name := range []string{"last_commit", "status", "notes", "pull_request_url", "merged_commit"} {
		unknown = append(unknown, plancheck.ExpectUnknownValue(address, tfjsonpath.New(name)))
	}
	before := f.head("dev")
	inSteps(t,
		resource.TestStep{
			Config: f.config(f.settings, "dev"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: unknown},
			ConfigStateChecks: checks(has("status", knownvalue.StringExact("proposed")), has("merged_commit", knownvalue.Null())),
			Check: check(func() error {
				if diff := cmp.Diff([]string{f.wanted}, f.requests()); diff != "" || f.head("dev") != before {
					return fmt.Errorf("dev is at %s, the requests (-want +got):\n%s", f.head("dev"), diff)
				}
				return nil
			}),
		},
		resource.TestStep{
			PreConfig: func() { f.merge(1) },
			Config:    f.config(f.settings, "dev", "status"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop)}},
			ConfigStateChecks: checks(has("status", knownvalue.StringExact("in_sync")), has("merged_commit", knownvalue.NotNull())),
			Check: check(func() error {
				if got := f.statuses(f.head("dev")); !slices.Equal(got, []string{"kalypso/dev/tests " + f.success}) {
					return fmt.Errorf("the statuses are %q", got)
				}
				return f.carries("dev")
			}),
		},
		resource.TestStep{
			Config: f.config(f.settings, "dev", "status", "stage"), Check: check(func() error { return f.carries("stage") }),
			ConfigStateChecks: checks(statecheck.ExpectKnownValue("data.kalypso_promotion.stage", tfjsonpath.New("decision"),
				knownvalue.StringExact("promote"))),
		},
	)
}

// carries checks that a branch has the environment's packages and the files of others.
func (f atForge) carries(branch string) error {
	if text := f.read(branch, "large/web-"+branch+"/reconciler.yaml"); !strings.Contains(text, "version: c1") {
		return fmt.Errorf("%s has not the control plane's version:\n%s", branch, text)
	}
	if text := f.read(branch, "docs/index.md"); text != "# Docs\n" {
		return fmt.Errorf("the file of others in %s is %q", branch, text)
	}
	return nil
}

// A setting that a forge lacks is an error of the plan, which names both.
func TestForges_missingSettings(t *testing.T) {
	t.Parallel()
	mistakes := map[string]mistake{}
	for forge, settings := range map[string]map[string]string{
		"gitlab": {
			`team_reviewers = ["platform"]`: "GitLab does not have team_reviewers",
			`auto_merge = "rebase"`:         `GitLab does not have auto_merge = "rebase"`,
		},
		"azure": {
			`team_reviewers = ["platform"]`: "Azure Repos does not have team_reviewers",
			`reviewers = ["octocat"]`:       `Azure Repos does not have names in reviewers ("octocat")`,
			`auto_merge = "squash"`:         "Azure Repos does not have auto_merge without wait_for_merge",
			fmt.Sprintf(`team_reviewers = [%q]; labels = ["a"]`, azuretest.Reviewer): "of groups into reviewers",
		},
	} {
		f := doubles[forge](t)
		for setting, want := range settings {
			mistakes[forge+": "+setting] = mistake{f.config(setting, "dev"), want}
		}
	}
	expectMistakes(t, mistakes)
}

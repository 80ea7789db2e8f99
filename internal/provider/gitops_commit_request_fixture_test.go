// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// github is a GitHub whose repository has a branch prod with a foreign file.
type github struct {
	gitServer
	server *githubtest.Server
}

func newGitHub(t testing.TB) github {
	t.Helper()
	repo := gittest.NewBare(t)
	repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
	server := githubtest.Start(t, repo)
	h := github{server: server}
	h.repo, h.url = repo, server.URL()
	h.provider = h.authenticated(fmt.Sprintf("token = %q", server.AddToken("kalypso", true)))
	return h
}

// authenticated gives the provider block that authenticates with these attributes.
func (h github) authenticated(attributes string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  forges = [{
    url_prefix = %[1]q
    type       = "github"
    base_url   = %[1]q
    %[2]s
  }]
}
`, h.server.Address(), attributes)
}

// proposing is the fleet, whose changes are proposed with these settings.
func (h github) proposing(family, settings string) string {
	return fleetHCL(h.gitServer, fleetOptions{family: family, commit: "pull_request = {" + settings + "}"})
}

// open gives the requests that are open.
func (h github) open() []githubtest.Pull {
	return slices.DeleteFunc(h.server.Pulls(), func(p githubtest.Pull) bool { return p.State != "open" })
}

// only gives the one request that is open.
func (h github) only(t testing.TB) githubtest.Pull {
	t.Helper()
	open := h.open()
	if len(open) != 1 {
		t.Fatalf("there are %d open requests: %+v", len(open), open)
	}
	return open[0]
}

// holds tells whether a branch has the family in the package web-live of small.
func (h github) holds(t testing.TB, branch, family string) error {
	t.Helper()
	files := h.repo.Files(t, branch)
	if text := files["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: "+family) {
		return fmt.Errorf("%s does not hold family %s:\n%s", branch, family, text)
	}
	if files["docs/index.md"] != "# Docs\n" {
		return fmt.Errorf("%s has lost the foreign file", branch)
	}
	return nil
}

// hasStatus is a state check.
func hasStatus(status string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("status"), knownvalue.StringExact(status))
}

func hasMerged(commit knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("merged_commit"), commit)
}

func checks(all ...statecheck.StateCheck) []statecheck.StateCheck { return all }

// check makes a test of what is there after a step.
func check(test func() error) resource.TestCheckFunc {
	return func(*terraform.State) error { return test() }
}

// inSteps applies steps one after the other.
func inSteps(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: protoV6ProviderFactories, Steps: steps})
}

// unchanged is a step in which nothing is to do.
func unchanged(config string, status string) resource.TestStep {
	return resource.TestStep{
		Config: config, ConfigStateChecks: checks(hasStatus(status)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	}
}

var headBranch = regexp.MustCompile(`^kalypso/prod/[0-9a-f]{12}$`)

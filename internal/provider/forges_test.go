// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/azuretest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitlabtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// On GitLab and Azure Repos, a change is proposed, reviewed and merged, and its commit gets a
// status. A setting that the forge lacks is an error of the plan.
func TestAccForges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		start           func(t testing.TB, repo *gitmem.Repo, options ...gittest.HTTPOption) *forgetest.Server
		settings, state string
	}{
		"gitlab": {gitlabtest.Start, `labels = ["kalypso"]; reviewers = ["octocat"]`, "success"},
		"azure":  {azuretest.Start, fmt.Sprintf(`labels = ["kalypso"]; reviewers = [%q]`, azuretest.Reviewer), "succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
			server := test.start(t, repo)
			server.Protect("prod")
			h := gitServer{repo: repo, url: server.URL()}
			h.provider = fmt.Sprintf("provider \"kalypso\" {\n forges = [{ url_prefix = %[1]q, "+
				"type = %[2]q, base_url = %[1]q, token = %[3]q }]\n}\n",
				server.Address(), name, server.AddToken("kalypso", true))
			proposing := func(settings string) string {
				return fleetHCL(h, fleetOptions{family: "blue", commit: requestHCL(settings)})
			}
			inSteps(t,
				resource.TestStep{Config: proposing(`team_reviewers = ["platform"]`), ExpectError: saying("does not have team_reviewers")},
				resource.TestStep{
					Config: proposing(test.settings), ConfigStateChecks: checks(hasStatus("proposed"), hasMerged(knownvalue.Null())),
					Check: check(func() error {
						all := server.Requests()
						if len(all) != 1 || all[0].Base != "prod" || len(all[0].Labels) != 1 || len(all[0].Reviewers) != 1 {
							return fmt.Errorf("the requests are %+v", all)
						}
						return nil
					}),
				},
				resource.TestStep{
					PreConfig: func() {
						server.Change(t, 1, func(q *forgetest.Request) { q.Approved = true })
						server.Merge(t, 1, "squash")
					},
					Config: proposing(test.settings), ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				},
				resource.TestStep{
					Config: proposing(test.settings) + fmt.Sprintf("resource \"kalypso_commit_status\" \"test\" {\n repo = %q\n "+
						"commit = kalypso_gitops_commit.prod.merged_commit\n context = \"kalypso/stage\"\n state = \"success\"\n}\n", h.url),
					Check: check(func() error {
						all := server.Statuses(repo.Head(t, "prod"))
						if len(all) != 1 || all[0].State != test.state || all[0].Context != "kalypso/stage" {
							return fmt.Errorf("the statuses are %+v", all)
						}
						return nil
					}),
				},
			)
		})
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/githubtest"
)

// A change is proposed, and once it is merged, by whatever method and whatever
// becomes of its branch, nothing is left to do.
func TestAccPullRequest_merged(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash", "rebase"} {
		for _, deleted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deleted %t", method, deleted), func(t *testing.T) {
				t.Parallel()
				h := newGitHub(t)
				h.server.Configure(func(s *githubtest.Settings) { s.DeleteBranchOnMerge = deleted })
				before := h.repo.Head(t, "prod")
				settings := `labels = ["kalypso"], reviewers = ["octocat"], team_reviewers = ["platform"]`
				config := h.proposing("blue", settings)
				inSteps(t,
					resource.TestStep{
						Config: config,
						ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
							plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("status")), plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("pull_request_number"))),
						ConfigStateChecks: checks(hasStatus("proposed"), hasMerged(knownvalue.Null())),
						Check: check(func() error {
							p := h.only(t)
							if !headBranch.MatchString(p.Head) || !strings.HasSuffix(p.Head, h.repo.Tree(t, p.Head, "")[:12]) || p.Base != "prod" || p.Title != "prod: +3 ~0 -0 packages in 2 cluster types" {
								return fmt.Errorf("the request is %+v", p)
							}
							if !slices.Equal(p.Labels, []string{"kalypso"}) || !slices.Equal(p.Users, []string{"octocat"}) || !slices.Equal(p.Teams, []string{"platform"}) {
								return fmt.Errorf("the request is %+v", p)
							}
							if h.repo.Head(t, "prod") != before {
								return fmt.Errorf("the branch was written")
							}
							return h.holds(t, p.Head, "blue")
						}),
					},
					unchanged(config, "proposed"),
					resource.TestStep{
						PreConfig: func() { h.server.Merge(t, h.only(t).Number, method) },
						Config:    config, ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
						Check:            check(func() error { return h.holds(t, "prod", "blue") }),
					},
					unchanged(config, "in_sync"),
					resource.TestStep{
						Config:            h.proposing("green", settings),
						ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
						ConfigStateChecks: checks(hasStatus("proposed")),
						Check:             check(func() error { return h.holds(t, h.only(t).Head, "green") }),
					},
				)
			})
		}
	}
}

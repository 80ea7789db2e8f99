// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// headBranch is how the branches of requests are called.
var headBranch = regexp.MustCompile(`^kalypso/prod/[0-9a-f]{12}$`)

// A change is proposed, and once it is merged, nothing is left to do.
func TestAccPullRequest_merged(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.server.Configure(func(s *githubtest.Settings) { s.DeleteBranchOnMerge = true })
	before := h.repo.Head(t, "prod")
	settings := `labels = ["kalypso"]; reviewers = ["octocat"]; team_reviewers = ["platform"]`
	config := h.proposing("blue", settings)
	open := []plancheck.PlanCheck{summary("+3 ~0 -0 packages in 2 cluster types")}
	for _, name := range []string{"last_commit", "status", "proposal", "pull_request_url", "merged_commit"} {
		open = append(open, plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New(name)))
	}
	reported := []statecheck.StateCheck{
		statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("pull_request_url"), knownvalue.StringExact(h.url+"/pull/1")),
		statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("last_commit"), knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{40}$`))),
	}
	inSteps(t,
		resource.TestStep{
			Config:            config,
			ConfigPlanChecks:  planned(plancheck.ResourceActionCreate, open...),
			ConfigStateChecks: append(checks(hasStatus("proposed"), hasMerged(knownvalue.Null())), reported...),
			Check: check(func() error {
				p := h.only(t)
				if !headBranch.MatchString(p.Head) || p.Base != "prod" || p.Title != "prod: +3 ~0 -0 packages in 2 cluster types" {
					return fmt.Errorf("the request is %+v", p)
				}
				if !slices.Equal(p.Labels, []string{"kalypso"}) || !slices.Equal(p.Users, []string{"octocat"}) ||
					!slices.Equal(p.Teams, []string{"platform"}) {
					return fmt.Errorf("the request is %+v", p)
				}
				if h.repo.Head(t, "prod") != before {
					return fmt.Errorf("the branch was written")
				}
				return h.holds(t, p.Head, "blue")
			}),
		},
		resource.TestStep{
			PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") },
			Config:    config, ConfigStateChecks: append(checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())), reported...),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            check(func() error { return h.holds(t, "prod", "blue") }),
		},
		resource.TestStep{
			Config:            h.proposing("green", settings),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
			ConfigStateChecks: checks(hasStatus("proposed")),
			Check:             check(func() error { return h.holds(t, h.only(t).Head, "green") }),
		},
	)
}

// Settings of a request may be unknown at plan. The previewed values are known
// nevertheless.
func TestAccPullRequest_unknownSettings(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	unknown := "resource \"terraform_data\" \"title\" { input = \"Title\" }\n" + h.proposing("black", "title = terraform_data.title.output")
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", "")},
		resource.TestStep{
			PreConfig:        func() { h.server.Merge(t, h.only(t).Number, "squash") },
			Config:           unknown,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
			Check: check(func() error {
				if p := h.only(t); p.Title != "Title" {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
	)
}

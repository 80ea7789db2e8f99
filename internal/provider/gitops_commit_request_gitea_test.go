// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// onGitea is a repository on a real Gitea.
type onGitea struct {
	*giteatest.Repo
	t *testing.T
}

// proposing is the fleet, whose changes to main are proposed with these settings.
func (h onGitea) proposing(family, settings string) string {
	r := gitServer{url: h.URL(), provider: fmt.Sprintf("provider \"kalypso\" {\n  forges = [{ url_prefix = %q, type = \"gitea\", token = %q }]\n}\n", h.Address(), h.Token(giteatest.Writer))}
	return fleetHCL(r, fleetOptions{family: family, commit: "branch = \"main\"\n  pull_request = {" + settings + "}"})
}

// open gives the requests that are open.
func (h onGitea) open() []*gitea.PullRequest {
	pulls, _, err := h.As(h.t, giteatest.Other).ListRepoPullRequests(giteatest.Owner, h.Name(), gitea.ListPullRequestsOptions{State: gitea.StateOpen})
	if err != nil {
		h.t.Fatal(err)
	}
	return pulls
}

// only gives the one request that is open.
func (h onGitea) only() *gitea.PullRequest {
	open := h.open()
	if len(open) != 1 {
		h.t.Fatalf("there are %d open requests", len(open))
	}
	return open[0]
}

func (h onGitea) merge(style gitea.MergeStyle, deleted bool) {
	number := h.only().Index
	for range 100 { // Gitea looks for conflicts in the background
		options := gitea.MergePullRequestOption{Style: style, DeleteBranchAfterMerge: &deleted}
		if done, _, err := h.As(h.t, giteatest.Reviewer).MergePullRequest(giteatest.Owner, h.Name(), number, options); err == nil && done {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	h.t.Fatalf("Gitea does not merge request %d", number)
}

// edit pushes a reviewer's commit to the request's branch: a file in a package of ours.
func (h onGitea) edit() {
	_, _, err := h.As(h.t, giteatest.Reviewer).CreateFile(giteatest.Owner, h.Name(), "small/web-live/more.yaml", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "more", BranchName: h.only().Head.Ref}, Content: base64.StdEncoding.EncodeToString([]byte("more: true\n")),
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestAccGitea_pullRequest goes through what becomes of requests on a real Gitea.
func TestAccGitea_pullRequest(t *testing.T) {
	t.Parallel()
	h := onGitea{giteatest.NewRepo(t), t}
	settings := `labels = ["kalypso"]`
	var steps []resource.TestStep
	families := []string{"red", "green", "blue"}
	for i, style := range []gitea.MergeStyle{gitea.MergeStyleMerge, gitea.MergeStyleSquash, gitea.MergeStyleRebase} {
		config := h.proposing(families[i], settings)
		steps = append(steps,
			resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("proposed")), Check: check(func() error {
				if p := h.only(); len(p.Labels) != 1 || !strings.HasPrefix(p.Head.Ref, "kalypso/prod/") {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			})},
			unchanged(config, "proposed"),
			resource.TestStep{
				PreConfig: func() { h.merge(style, i > 0) },
				Config:    config, ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		)
	}
	var first *gitea.PullRequest
	config := h.proposing("white", settings)
	closed := gitea.StateClosed
	steps = append(steps,
		resource.TestStep{Config: h.proposing("black", settings)},
		resource.TestStep{ // overtakes it
			PreConfig: func() { first = h.only() },
			Config:    config, Check: check(func() error {
				if p := h.only(); p.Index == first.Index || h.Head(t, first.Head.Ref) != "" {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		resource.TestStep{
			PreConfig: h.edit, RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(theCommit, "status", "drifted"),
		},
		resource.TestStep{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: checks(hasStatus("proposed"))},
		unchanged(config, "proposed"),
		resource.TestStep{
			PreConfig: func() {
				first = h.only()
				if _, _, err := h.As(t, giteatest.Reviewer).EditPullRequest(giteatest.Owner, h.Name(), first.Index, gitea.EditPullRequestOption{State: &closed}); err != nil {
					t.Fatal(err)
				}
			},
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(theCommit, "status", "closed"),
		},
		resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("proposed")), Check: check(func() error {
			if p := h.only(); p.Index == first.Index {
				return fmt.Errorf("the closed request is open again: %+v", p)
			}
			return nil
		})},
	)
	inSteps(t, steps...)
}

// TestAccGitea_protectedBranch writes through a request what may not be pushed.
func TestAccGitea_protectedBranch(t *testing.T) {
	t.Parallel()
	h := onGitea{giteatest.NewRepo(t), t}
	h.Protect(t)
	inSteps(t,
		resource.TestStep{Config: strings.Replace(h.proposing("blue", ""), "pull_request = {}", "", 1), ExpectError: saying("add pull_request = {}")},
		resource.TestStep{Config: h.proposing("blue", ""), ConfigStateChecks: checks(hasStatus("proposed"))},
	)
}

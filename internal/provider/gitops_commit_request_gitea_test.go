// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// TestAccGitea_pullRequest replaces requests on a real Gitea, and follows what people do with them.
func TestAccGitea_pullRequest(t *testing.T) {
	t.Parallel()
	h := onGitea{giteatest.NewRepo(t), t}
	settings := `labels = ["kalypso"]`
	var first *gitea.PullRequest
	config := h.proposing("white", settings)
	closed := gitea.StateClosed
	inSteps(t,
		resource.TestStep{Config: h.proposing("black", settings)},
		resource.TestStep{ // a newer request replaces it
			PreConfig: func() { first = h.only() },
			Config:    config, Check: check(func() error {
				if p := h.only(); p.Index == first.Index || p.Head.Ref == first.Head.Ref {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		resource.TestStep{PreConfig: h.edit, RefreshState: true, ConfigStateChecks: checks(hasStatus("proposed"))},
		unchanged(config, "proposed"),
		resource.TestStep{
			PreConfig: func() {
				first = h.only()
				if _, _, err := h.As(t, giteatest.Reviewer).EditPullRequest(giteatest.Owner, h.Name(), first.Index,
					gitea.EditPullRequestOption{State: &closed}); err != nil {
					t.Fatal(err)
				}
			},
			RefreshState:      true,
			ConfigStateChecks: checks(hasStatus("closed")),
		},
		unchanged(config, "closed"),
		resource.TestStep{Config: h.proposing("black", settings), ConfigStateChecks: checks(hasStatus("proposed")), Check: check(func() error {
			if p := h.only(); p.Index == first.Index {
				return fmt.Errorf("the closed request is open again: %+v", p)
			}
			return nil
		})},
	)
}

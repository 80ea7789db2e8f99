// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// reporting is the fleet, which reports on a commit of the repository itself, with
// further settings.
func (h github) reporting(t testing.TB, family, settings string) string {
	t.Helper()
	source := h.repo.Commits(t, "prod")[0]
	return fleetHCL(h.gitServer, fleetOptions{family: family, commit: fmt.Sprintf("promoted_commit = %q\n  %s\n  %s", source, statusHCL(h.url),
		settings)})
}

// statusHCL is a block that reports in a repository.
func statusHCL(repo string) string { return fmt.Sprintf("report_status {\n repo = %q\n }", repo) }

// expectStates checks the states that were reported so far.
func (h github) expectStates(want ...string) resource.TestCheckFunc {
	return check(func() error {
		var got []string
		for _, status := range h.server.Statuses() {
			got = append(got, status.State)
			if status.Context != "kalypso/prod" || status.Description == "" {
				return fmt.Errorf("the status is %+v", status)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("statuses %+v (-want +got):\n%s", h.server.Statuses(), diff)
		}
		return nil
	})
}

// An apply reports its result, and adding the block alone writes nothing to the branch.
func TestAccGitOpsCommit_reportStatus(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.reporting(t, "blue", "")
	without := strings.Replace(config, statusHCL(h.url), "", 1)
	var head string
	same := func(family string) resource.TestCheckFunc {
		return check(func() error {
			if now := h.repo.Head(t, "prod"); now != head {
				return fmt.Errorf("the branch was written: %s", h.repo.Log(t, "prod"))
			}
			return h.holds(t, "prod", family)
		})
	}
	run := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "octo/fleet",
		"GITHUB_RUN_ID": "77"}
	inStepsWith(t, inEnvironment(run),
		resource.TestStep{Config: without, ConfigStateChecks: checks(hasStatus("in_sync")), Check: h.expectStates()},
		resource.TestStep{
			PreConfig: func() { head = h.repo.Head(t, "prod") },
			Config:    config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(same("blue"), h.expectStates("success"), check(func() error {
				if status := h.server.Statuses()[0]; status.TargetURL != "https://github.com/octo/fleet/actions/runs/77" ||
					!strings.HasSuffix(status.Description, "commit "+head[:12]) {
					return fmt.Errorf("the status is %+v", status)
				}
				return nil
			})),
		},
		resource.TestStep{Config: h.reporting(t, "green", ""), Check: resource.ComposeTestCheckFunc(h.expectStates("success", "success"),
			check(func() error {
				message := h.repo.Message(t, "prod")
				if !strings.HasSuffix(strings.TrimSpace(message), "\nKalypso-Run: https://github.com/octo/fleet/actions/runs/77") {
					return fmt.Errorf("the message is %q", message)
				}
				return h.holds(t, "prod", "green")
			}))},
		resource.TestStep{Config: h.provider + inert, Check: h.expectStates("success", "success")}, // a destroy reports nothing
	)
}

// A merge that is waited for is reported.
func TestAccGitOpsCommit_reportStatusMerged(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.reporting(t, "blue", requestHCL(`auto_merge = "squash"; wait_for_merge = true`))
	inSteps(t,
		resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("in_sync")), Check: h.expectStates("success")},
	)
}

// The repository may be known only when it is applied.
func TestAccGitOpsCommit_reportStatusUnknown(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := fmt.Sprintf("resource \"terraform_data\" \"control_plane\" {\n input = %q\n }\n", h.url) +
		strings.Replace(h.reporting(t, "blue", ""), statusHCL(h.url), "report_status {\n repo = terraform_data.control_plane.output\n }", 1)
	inSteps(t,
		resource.TestStep{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
			summary("+3 ~0 -0 packages in 2 cluster types")), Check: h.expectStates("success")},
	)
}

func TestGitOpsCommit_reportStatusMistakes(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.reporting(t, "blue", "")
	block := func(text string) string { return strings.Replace(config, statusHCL(h.url), text, 1) }
	expectMistakes(t, map[string]mistake{
		"no forge": {block(statusHCL("https://git.example.com/octo/control-plane")), "does not show its kind of forge"},
		"no forge, unknown": {"resource \"terraform_data\" \"x\" {\n input = \"x\"\n }\n" +
			strings.Replace(block(statusHCL("https://git.example.com/octo/control-plane")), "= local.fleet", "= concat(local.fleet, "+
				"[terraform_data.x.output])", 1), "No commit status can be set"},
		"no URL":               {block(statusHCL("octo/control-plane")), "is not a Git repository URL"},
		"a password in it":     {block(statusHCL("https://me:secret@git.example.com/octo/control-plane")), "has a password"},
		"no repository":        {block("report_status {}"), "report_status.repo has to be set"},
		"a misspelled setting": {block("report_status {\n repos = \"x\"\n }"), `An argument named "repos" is not expected here`},
		"a request":            {h.reporting(t, "blue", requestHCL("")), "Set wait_for_merge = true in pull_request"},
		"a request, no wait":   {h.reporting(t, "blue", requestHCL(`auto_merge = "squash"; wait_for_merge = false`)), "Nothing to report"},
	})
}

// TestAccGitea_reportStatus reports on a real Gitea.
func TestAccGitea_reportStatus(t *testing.T) {
	t.Parallel()
	h := onGitea{giteatest.NewRepo(t), t}
	source := h.Head(t, "main")
	config := func(family string) string {
		return strings.Replace(h.proposing(family, ""), requestHCL(""), fmt.Sprintf("promoted_commit = %q\n  %s", source, statusHCL(h.URL())), 1)
	}
	reported := func(want ...string) resource.TestCheckFunc {
		return check(func() error {
			statuses, _, err := h.As(t, giteatest.Other).ListStatuses(giteatest.Owner, h.Name(), source, gitea.ListStatusesOption{})
			if err != nil {
				return err
			}
			slices.SortFunc(statuses, func(a, b *gitea.Status) int { return int(a.ID - b.ID) })
			var got []string
			for _, status := range statuses {
				got = append(got, fmt.Sprintf("%s %s by %s", status.Context, status.State, status.Creator.UserName))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("statuses (-want +got):\n%s", diff)
			}
			return nil
		})
	}
	const success = "kalypso/prod success by " + giteatest.Writer
	inSteps(t,
		resource.TestStep{Config: config("blue"), ConfigStateChecks: checks(hasStatus("in_sync")), Check: reported(success)},
		unchanged(config("blue"), "in_sync"),
		resource.TestStep{Config: config("green"), Check: reported(success, success)},
	)
}

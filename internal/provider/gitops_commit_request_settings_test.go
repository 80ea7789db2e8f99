// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// The body tells a reviewer what changes, and where it comes from.
func TestAccPullRequest_body(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	said := func(all ...string) resource.TestCheckFunc {
		return check(func() error {
			body := h.only(t).Body
			for _, want := range all {
				if !strings.Contains(body, want) {
					return fmt.Errorf("the body does not say %q:\n%s", want, body)
				}
			}
			return nil
		})
	}
	europe := h.proposing("blue", "")
	inSteps(t,
		resource.TestStep{Config: europe, Check: said(
			"+3 ~0 -0 packages in 2 cluster types", "| `large` | `batch-nightly` | added | `batch-on-large` |", "| `small` | `web-live` | added | `web-everywhere` |", "```mermaid", "|added|")},
		resource.TestStep{
			PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") },
			Config:    strings.Replace(europe, `REGION = "Europe"`, `REGION = "Asia"`, 1),
			Check:     said("| `large` | `web-live` | changed | `web-everywhere` |", "| `small` | `web-live` | `REGION` | `Europe` | `Asia` | `all` |"),
		},
		resource.TestStep{ // The same before, although another request is open.
			Config: strings.Replace(europe, `REGION = "Europe"`, `REGION = "Africa"`, 1),
			Check:  said("| `small` | `web-live` | `REGION` | `Europe` | `Africa` | `all` |"),
		},
		resource.TestStep{ // And when it is proposed again.
			PreConfig: func() { h.server.ClosePull(t, h.only(t).Number) },
			Config:    strings.Replace(europe, `REGION = "Europe"`, `REGION = "Africa"`, 1),
			Check:     said("| `small` | `web-live` | `REGION` | `Europe` | `Africa` | `all` |"),
		},
		resource.TestStep{
			Config: fleetHCL(h.gitServer, fleetOptions{family: "blue", withoutBatch: true, commit: "pull_request = {}"}),
			Check:  said("| `large` | `batch-nightly` | removed | "),
		},
	)
}

// Settings are brought up to date in the request that is open.
func TestAccPullRequest_settings(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	commit := func(attributes string) string {
		return fleetHCL(h.gitServer, fleetOptions{commit: "promoted_commit = \"" + promoted + "\"\n  " + attributes})
	}
	var first githubtest.Pull
	after := commit(`pull_request = { title = "Please merge", labels = ["fleet"], branch_prefix = "other-" }`)
	inSteps(t,
		resource.TestStep{
			Config: commit(`pull_request = { draft = true, branch_prefix = "proposals/" }`),
			Check: check(func() error {
				first = h.only(t)
				if !first.Draft || !slices.Equal(first.Labels, []string{"promoted"}) || !strings.HasPrefix(first.Head, "proposals/prod/") {
					return fmt.Errorf("the request is %+v", first)
				}
				return nil
			}),
		},
		resource.TestStep{
			// What a reviewer has pushed beside our folders stays.
			PreConfig: func() {
				h.repo.CommitFiles(t, first.Head, map[string][]byte{"docs/more.md": []byte("more\n")}, "by a reviewer")
			},
			Config: after, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if h.repo.Files(t, first.Head)["docs/more.md"] != "more\n" {
					return fmt.Errorf("the reviewer's commit is lost")
				}
				if p := h.only(t); p.Number != first.Number || p.Title != "Please merge" || !slices.Contains(p.Labels, "fleet") {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		unchanged(after, "proposed"),
	)
}

// What a request lacks is told, and tried again by the next apply.
func TestAccPullRequest_incomplete(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.server.Configure(func(s *githubtest.Settings) { s.Users = nil })
	config := h.proposing("blue", `reviewers = ["octocat"]`)
	inSteps(t,
		resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("proposed")), ExpectNonEmptyPlan: true},
		resource.TestStep{
			PreConfig: func() { h.server.Configure(func(s *githubtest.Settings) { s.Users = []string{"octocat"} }) },
			Config:    config, ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if p := h.only(t); !slices.Equal(p.Users, []string{"octocat"}) {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		unchanged(config, "proposed"),
	)
}

// The forge merges by itself; what it merges at once is in sync at once, and
// wait_for_merge waits for a person.
func TestAccPullRequest_autoMergeAndWait(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", `auto_merge = "squash", wait_for_merge = true`)
	inSteps(t,
		resource.TestStep{
			Config: config, ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
			Check: check(func() error { return h.holds(t, "prod", "blue") }),
		},
		unchanged(config, "in_sync"),
		resource.TestStep{
			PreConfig: func() { h.server.Protect(t, "prod") },
			Config:    h.proposing("green", `auto_merge = "rebase"`), ConfigStateChecks: checks(hasStatus("proposed")),
		},
		resource.TestStep{
			PreConfig: func() { h.server.Approve(t, h.only(t).Number, "octocat") },
			Config:    h.proposing("green", `auto_merge = "rebase"`), ConfigStateChecks: checks(hasStatus("in_sync")),
		},
		resource.TestStep{
			PreConfig:   func() { go closeWhenOpen(t, h) },
			Config:      h.proposing("red", "wait_for_merge = true"),
			ExpectError: saying("was closed without a merge"),
		},
	)
}

// closeWhenOpen closes the next request.
func closeWhenOpen(t *testing.T, h github) {
	for range 600 {
		if open := h.open(); len(open) > 0 {
			h.server.ClosePull(t, open[0].Number)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Waiting ends with the timeout; the next apply takes the same request up again.
func TestAccPullRequest_waitTimesOut(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := func(timeout string) string {
		return fleetHCL(h.gitServer, fleetOptions{family: "blue", commit: "pull_request = { wait_for_merge = true }\n  on_destroy = \"retain\"\n  timeouts { create = \"" + timeout + "\" }"})
	}
	inSteps(t,
		resource.TestStep{Config: config("8s"), ExpectError: saying("was not merged before the operation's time was up")},
		resource.TestStep{
			PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") },
			Config:    config("5m"), ConfigStateChecks: checks(hasStatus("in_sync")),
			Check: check(func() error {
				if all := h.server.Pulls(); len(all) != 1 {
					return fmt.Errorf("requests %+v", all)
				}
				return nil
			}),
		},
	)
}

// Destroying proposes the removal, and closes the request of what is not merged.
func TestAccPullRequest_destroy(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", "")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, Destroy: true},
			{PreConfig: func() {
				if open := h.open(); len(open) > 0 {
					t.Errorf("there was nothing to remove, but %+v is open", open)
				}
			}, Config: config},
			{PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") }, Config: config},
		},
		CheckDestroy: func(*terraform.State) error {
			p := h.only(t)
			if files := h.repo.Files(t, p.Head); len(files) != 1 || !strings.Contains(p.Body, "removed") || !strings.Contains(p.Title, "remove all packages") {
				return fmt.Errorf("the request is %+v, its branch holds %v", p, files)
			}
			return h.holds(t, "prod", "blue")
		},
	})
}

// Turning requests on or off comes to the same packages.
func TestAccPullRequest_onAndOff(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	direct := func(family string) string { return fleetHCL(h.gitServer, fleetOptions{family: family}) }
	none := check(func() error {
		if open := h.open(); len(open) > 0 {
			return fmt.Errorf("open: %+v", open)
		}
		return h.holds(t, "prod", "green")
	})
	inSteps(t,
		resource.TestStep{Config: direct("blue"), ConfigStateChecks: checks(hasStatus("in_sync"))},
		resource.TestStep{Config: h.proposing("blue", ""), ConfigStateChecks: checks(hasStatus("in_sync"))},
		resource.TestStep{Config: h.proposing("green", ""), ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{
			Config: direct("green"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
			ConfigStateChecks: checks(hasStatus("in_sync")), Check: none,
		},
		unchanged(direct("green"), "in_sync"),
		// Also where there is nothing to write then.
		resource.TestStep{Config: h.proposing("red", ""), ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{Config: direct("green"), ConfigStateChecks: checks(hasStatus("in_sync")), Check: none},
		unchanged(direct("green"), "in_sync"),
	)
}

// A move is proposed in both places.
func TestAccPullRequest_moves(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	at := func(path string) string {
		return fleetHCL(h.gitServer, fleetOptions{commit: "pull_request = {}\n  path = \"" + path + "\""})
	}
	inSteps(t,
		resource.TestStep{Config: at("old")},
		resource.TestStep{PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") }, Config: at("new"), ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{
			PreConfig: func() {
				for _, p := range h.open() {
					h.server.Merge(t, p.Number, "squash")
				}
			},
			Config: at("new"), ConfigStateChecks: checks(hasStatus("in_sync")),
			Check: expectPaths(t, h.gitServer, append(below("new", fixtureFiles), "docs/index.md")...),
		},
	)
}

// Two environments propose at once into one repository; each has its own request.
func TestAccPullRequest_twoEnvironments(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := func(family string) string {
		return fleetHCL(h.gitServer, fleetOptions{family: family, commit: "pull_request = {}\n  path = \"prod\""}) + fmt.Sprintf(`
resource "kalypso_gitops_commit" "dev" {
  environment  = "dev"
  manifests    = concat(local.fleet, [kalypso_scheduling_policy.dev.manifest])
  repo         = %q
  branch       = "prod"
  path         = "dev"
  pull_request = {}
}
resource "kalypso_scheduling_policy" "dev" {
  name                       = "test-everywhere"
  deployment_target_selector = { workspace = "web-team", match_labels = { purpose = "test" } }
  cluster_type_selector      = { match_labels = { tier = "cloud" } }
}
`, h.url)
	}
	two := check(func() error {
		open := h.open()
		if len(open) != 2 || strings.HasPrefix(open[0].Head, "kalypso/dev/") == strings.HasPrefix(open[1].Head, "kalypso/dev/") {
			return fmt.Errorf("open: %+v", open)
		}
		return nil
	})
	inSteps(t,
		resource.TestStep{Config: config("blue"), Check: two},
		resource.TestStep{Config: config("green"), Check: two},
		resource.TestStep{
			PreConfig: func() {
				for _, p := range h.open() {
					h.server.Merge(t, p.Number, "merge")
				}
			},
			Config: config("green"), ConfigStateChecks: checks(hasStatus("in_sync")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

// A protected branch without pull_request says to add it.
func TestAccPullRequest_protectedBranch(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.server.Protect(t, "prod")
	inSteps(t,
		resource.TestStep{Config: fleetHCL(h.gitServer, fleetOptions{}), ExpectError: saying("add pull_request = {}")},
		resource.TestStep{Config: h.proposing("blue", ""), ConfigStateChecks: checks(hasStatus("proposed"))},
	)
}

// Plans and refreshes need no more than the right to read; what may not be
// written is said before anything is.
func TestAccPullRequest_credentials(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	settings, writer := h.proposing("blue", ""), h.provider
	as := func(provider string) string { return strings.Replace(settings, writer, provider, 1) }
	reader := as(h.authenticated(fmt.Sprintf("token = %q", h.server.AddToken("reader", false))))
	app := h.server.InstallApp(t, time.Hour)
	inSteps(t,
		resource.TestStep{Config: as("provider \"kalypso\" {}\n"), ExpectError: saying("does not tell which forge it is")},
		resource.TestStep{Config: as(h.authenticated("")), ExpectError: saying("need a token of GitHub")},
		resource.TestStep{Config: as(h.authenticated(`token = "ghp_00000000000000000000expired"`)), ExpectError: saying("refuses the username and password")},
		resource.TestStep{Config: reader, ExpectError: saying("does not allow this")},
		resource.TestStep{Config: as(h.authenticated(fmt.Sprintf("app = {\n id = %d\n private_key = %q\n }", app.ID, app.PrivateKey))), ConfigStateChecks: checks(hasStatus("proposed"))},
		unchanged(reader, "proposed"),
		resource.TestStep{
			Config: as(h.authenticated(`token = "ghp_00000000000000000000expired"`)), PlanOnly: true,
			ExpectError: saying("Check that it is right, and has neither expired nor been revoked"),
		},
		resource.TestStep{Config: settings},
	)
}

// A forge that fails at refresh is an error that says so; one that asks to wait is waited for.
func TestAccPullRequest_forgeFails(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", "")
	h.server.LimitSecondary(2, 1)
	inSteps(t,
		resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{
			PreConfig: func() {
				h.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/pulls/", Times: 1, Status: http.StatusNotFound, Body: `{"message": "Not Found"}`})
			},
			RefreshState: true, ExpectError: saying("The pull request cannot be followed"),
		},
		unchanged(config, "proposed"),
	)
}

// What a request would remove is not removed once nobody wants that any more.
func TestAccPullRequest_exclusiveTakenBack(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := func(exclusive bool) string {
		return fleetHCL(h.gitServer, fleetOptions{commit: fmt.Sprintf("pull_request = {}\n  exclusive = %v", exclusive)})
	}
	foreign := func(want bool) resource.TestCheckFunc {
		return check(func() error {
			if _, there := h.repo.Files(t, h.only(t).Head)["docs/index.md"]; there != want {
				return fmt.Errorf("the request keeps the foreign folder: %v", there)
			}
			return nil
		})
	}
	inSteps(t,
		resource.TestStep{Config: config(true), ExpectNonEmptyPlan: true},
		resource.TestStep{Config: config(true), Check: foreign(false)},
		resource.TestStep{Config: config(false), Check: foreign(true)},
	)
}

// A request is overtaken whoever has rewritten its text, and whatever changes
// beside the fleet.
func TestAccPullRequest_overtakenByNumber(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	inSteps(t,
		resource.TestStep{Config: fleetHCL(h.gitServer, fleetOptions{commit: "pull_request = {}\n  path = \"old\""}), Check: check(func() error { h.only(t); return nil })},
		resource.TestStep{
			Config: strings.ReplaceAll(fleetHCL(h.gitServer, fleetOptions{commit: fmt.Sprintf("pull_request = {}\n  path = \"new\"\n  repo = %q\n  branch = \"prod\"", h.url)}),
				`environment = "prod"`, `environment = "stage"`),
			Check: check(func() error {
				if head := h.only(t).Head; !strings.HasPrefix(head, "kalypso/stage/") {
					return fmt.Errorf("the open request is that of %s", head)
				}
				return nil
			}),
		},
	)
}

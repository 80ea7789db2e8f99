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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// What is set of a request arrives, and what changes of it in the one that is open.
func TestAccPullRequest_settings(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	after := h.proposing("blue", `title = "Please merge"; labels = ["fleet"]; branch_prefix = "other-"`)
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", `draft = true; branch_prefix = "proposals/"`), Check: check(func() error {
			if p := h.only(t); !p.Draft || !strings.HasPrefix(p.Head, "proposals/prod/") {
				return fmt.Errorf("the request is %+v", p)
			}
			return nil
		})},
		resource.TestStep{
			Config: after, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if p := h.only(t); p.Number != 1 || p.Title != "Please merge" || !slices.Equal(p.Labels, []string{"fleet"}) {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		unchanged(after, "proposed"),
	)
}

// What the forge merges by itself at once is in sync at once, also where it is waited for.
func TestAccPullRequest_autoMergeAndWait(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", `auto_merge = "squash"; wait_for_merge = true`)
	inSteps(t,
		resource.TestStep{
			Config: config, ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
			Check: check(func() error { return h.holds(t, "prod", "blue") }),
		},
		unchanged(config, "in_sync"),
	)
}

// Waiting ends with the timeout: the request is noted, and followed from then on.
func TestAccPullRequest_waitTimesOut(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := fleetHCL(h.gitServer, fleetOptions{family: "blue", commit: "pull_request {\n wait_for_merge = true\n }\n  timeouts { create = \"8s\" }"})
	inSteps(t,
		resource.TestStep{Config: config, ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{
			PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") },
			Config:    config, ConfigStateChecks: checks(hasStatus("in_sync")),
			Check: check(func() error {
				if all := h.server.Pulls(); len(all) != 1 {
					return fmt.Errorf("requests %+v", all)
				}
				return h.holds(t, "prod", "blue")
			}),
		},
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
				h.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/pulls/", Times: 1, Status: http.StatusForbidden, Body: `{"message": "Forbidden"}`})
			},
			RefreshState: true, ExpectError: saying("The pull request cannot be followed"),
		},
		unchanged(config, "proposed"),
	)
}

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
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// The settings of a request reach the forge. An open request keeps them, and a request with
// another branch replaces it.
func TestAccPullRequest_settings(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", `draft = true; branch_prefix = "proposals/"`), Check: check(func() error {
			if p := h.only(t); !p.Draft || !strings.HasPrefix(p.Head, "proposals/prod/") {
				return fmt.Errorf("the request is %+v", p)
			}
			return nil
		})},
		resource.TestStep{
			Config:            h.proposing("blue", `title = "Please merge"; labels = ["fleet"]; branch_prefix = "proposals/"`),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate),
			ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if p := h.only(t); p.Number != 1 || p.Title == "Please merge" {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		resource.TestStep{
			Config:            h.proposing("blue", `title = "Please merge"; labels = ["fleet"]; branch_prefix = "other-"`),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate),
			ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if p := h.only(t); p.Number != 2 || !strings.HasPrefix(p.Head, "other-prod/") || p.Title != "Please merge" ||
					!slices.Equal(p.Labels, []string{"fleet"}) {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
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

// Plans and refreshes need only the right to read. If a write is not allowed, an error
// says so before anything is written.
func TestAccPullRequest_credentials(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	settings, writer := h.proposing("blue", ""), h.provider
	as := func(provider string) string { return strings.Replace(settings, writer, provider, 1) }
	reader := as(h.authenticated(fmt.Sprintf("token = %q", h.server.AddToken("reader", false))))
	app := h.server.InstallApp(t, time.Hour)
	const expired = `token = "ghp_00000000000000000000expired"`
	expectMistakes(t, map[string]mistake{
		"no forge": {as("provider \"kalypso\" {}\n"), "does not show its kind of forge"},
		"no token": {as(h.authenticated("")), "need a token of GitHub"},
	})
	inSteps(t,
		resource.TestStep{Config: as(h.authenticated(expired)), ExpectError: saying("refuses the username and password")},
		resource.TestStep{Config: reader, ExpectError: saying("does not allow this")},
		resource.TestStep{Config: as(h.authenticated(fmt.Sprintf("app = {\n id = %d\n private_key = %q\n }", app.ID, app.PrivateKey))),
			ConfigStateChecks: checks(hasStatus("proposed"))},
		resource.TestStep{Config: reader}, // there is nothing to write
		resource.TestStep{Config: as(h.authenticated(expired)), ExpectError: saying("refuses the username and password")},
		resource.TestStep{
			PreConfig: func() {
				h.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/pulls/", Times: 1, Status: http.StatusForbidden,
					Body: `{"message": "Forbidden"}`})
			},
			Config: settings, ExpectError: saying("The pull request cannot be followed"),
		},
	)
}

// Each timeout of the block limits its own operation, and a message names it.
func TestAccGitOpsCommit_timeouts(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	within := func(block, family string) string {
		return fleetHCL(r, fleetOptions{family: family, commit: "timeouts {\n " + block + " = \"1ns\"\n }"})
	}
	inSteps(t,
		resource.TestStep{Config: within("read", "blue"), ExpectError: saying("(timeouts.read)")},
		resource.TestStep{Config: within("create", "blue"), ExpectError: saying("(timeouts.create)")},
		resource.TestStep{Config: within("update", "blue")},
		resource.TestStep{Config: within("update", "green"), ExpectError: saying("(timeouts.update)")},
	)
}

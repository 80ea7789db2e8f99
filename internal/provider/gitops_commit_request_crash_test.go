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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// crash is where the provider is killed: when it makes a request, or when that
// was carried out and is not answered yet.
type crash struct {
	request string
	done    bool
}

// TestAccCLI_pullRequestCrash kills the provider between each two steps of an
// apply. The next apply finishes: exactly one request is open, with its labels.
func TestAccCLI_pullRequestCrash(t *testing.T) {
	t.Parallel()
	const settings = `labels = ["kalypso"]`
	for name, merged := range map[string]bool{"a new request": true, "a newer request": false} {
		steps := crashSteps(t, settings, merged)
		if len(steps) < 1 || merged && len(steps) < 2 {
			t.Fatalf("%s: the apply has only the steps %q", name, steps)
		}
		// Before the branch is pushed, once the request is open, and before it is complete.
		crashes := []crash{{"POST /octo/gitops/git-receive-pack", false}, {steps[0], true}, {steps[len(steps)-1], false}}
		for _, c := range crashes {
			t.Run(fmt.Sprintf("%s, %s, done %t", name, c.request, c.done), func(t *testing.T) {
				t.Parallel()
				h := newGitHub(t)
				w := newBuiltWorkspace(t, h.proposing("blue", settings)).with(envURLPrefix + "=")
				w.mustRun(t, "apply", "-auto-approve")
				h.mayMerge(t, merged)

				w.write(t, "main.tf", h.proposing("green", settings))
				killAt(t, h, w, c)
				w.mustRun(t, "apply", "-auto-approve")
				p := h.only(t)
				if !slices.Equal(p.Labels, []string{"kalypso"}) {
					t.Errorf("the request is %+v", p)
				}
				if err := h.holds(t, p.Head, "green"); err != nil {
					t.Error(err)
				}
				if all := h.server.Pulls(); len(all) > 2 {
					t.Errorf("requests %+v", all)
				}
				w.mustRun(t, "plan", "-detailed-exitcode")
			})
		}
	}
}

// mayMerge merges the one open request, if it should be merged.
func (h github) mayMerge(t *testing.T, merge bool) {
	t.Helper()
	if merge {
		h.server.Merge(t, h.only(t).Number, "squash")
	}
}

// killAt applies, and kills the provider there.
func killAt(t *testing.T, h github, w workspace, c crash) {
	t.Helper()
	w.killed(t, applying, func(kill func()) {
		h.server.Fail(githubtest.Fault{Request: c.request, Lost: c.done, Times: 1, Status: http.StatusBadGateway, Then: kill})
	})
}

// crashSteps returns the requests with which such an apply changes something.
func crashSteps(t *testing.T, settings string, merged bool) []string {
	t.Helper()
	h := newGitHub(t)
	w := newWorkspace(t, h.proposing("blue", settings))
	w.mustRun(t, "apply", "-auto-approve")
	h.mayMerge(t, merged)
	before := len(h.server.Requests())
	w.write(t, "main.tf", h.proposing("green", settings))
	w.mustRun(t, "apply", "-auto-approve")
	var steps []string
	for _, request := range h.server.Requests()[before:] {
		if !strings.HasPrefix(request, "GET ") && !slices.Contains(steps, request) {
			steps = append(steps, request)
		}
	}
	return steps
}

// TestAccCLI_forgeSecretsAreNotShown looks for the forge's token, and those of a
// GitHub App, in everything that a user may see.
func TestAccCLI_forgeSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"token", "app"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := newGitHub(t)
			secret := h.server.AddToken("secretive", true)
			attributes := fmt.Sprintf("token = %q", secret)
			if way == "app" {
				app := h.server.InstallApp(t, time.Hour)
				secret = "ghs_0000"
				attributes = fmt.Sprintf("app = {\n id = %d\n private_key = %q\n }", app.ID, app.PrivateKey)
			}
			config := strings.Replace(h.proposing("blue", ""), h.provider, h.authenticated(attributes), 1)
			w := newBuiltWorkspace(t, config)
			shown := w.applyTraced(t)
			expectLogged(t, shown["log"], "forge", "answered", "proposed")
			for what, text := range shown {
				if strings.Contains(text, secret) || strings.Contains(text, "PRIVATE KEY") {
					t.Errorf("the %s holds a secret", what)
				}
			}
		})
	}
}

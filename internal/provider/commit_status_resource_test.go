// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

const theStatus = "kalypso_commit_status.test"

// statusHCL is a resource that posts a status, with further attributes.
func statusHCL(repo, commit, state, more string) string {
	return fmt.Sprintf("resource \"kalypso_commit_status\" \"test\" {\n repo = %q\n commit = %q\n context = \"kalypso/stage\"\n "+
		"state = %q\n %s\n}\n", repo, commit, state, more)
}

// commits makes two commits.
func (h github) commits(t testing.TB) (one, two string) {
	t.Helper()
	h.repo.CommitFiles(t, "prod", map[string][]byte{"more": []byte("x")}, "more")
	all := h.repo.Commits(t, "prod")
	return all[0], all[1]
}

// posted checks the statuses, as "<commit> <state> <description> <target_url>".
func (h github) posted(want ...string) resource.TestCheckFunc {
	return check(func() error {
		var got []string
		for _, s := range h.server.Statuses() {
			got = append(got, strings.TrimSpace(strings.Join([]string{s.Commit, s.State, s.Description, s.TargetURL}, " ")))
			if s.Context != "kalypso/stage" {
				return fmt.Errorf("the context is %q", s.Context)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("statuses (-want +got):\n%s", diff)
		}
		return nil
	})
}

// plans checks the planned action for the status.
func plans(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(theStatus, action)}}
}

func hasStatusID(id knownvalue.Check) []statecheck.StateCheck {
	return checks(statecheck.ExpectKnownValue(theStatus, tfjsonpath.New("id"), id))
}

// The life of a status: it is posted when an attribute changes, and after a
// hold. Statuses of others with the same context change nothing, and a destroy
// posts nothing.
func TestAccCommitStatus(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	one, two := h.commits(t)
	green := h.provider + statusHCL(h.url, one, "success", "description = \"all\\nis well\"\ntarget_url = \"https://ci.example.com/7\"")
	red, next := h.provider+statusHCL(h.url, one, "error", ""), h.provider+statusHCL(h.url, two, "error", "")
	onHold := func(config string) string { return strings.Replace(config, "forge {", "hold = true\n forge {", 1) }
	later := fmt.Sprintf("resource \"terraform_data\" \"x\" {\n input = %q\n }\n", one) +
		strings.Replace(red, fmt.Sprintf("commit = %q", one), "commit = terraform_data.x.output", 1)
	first, second, third, other := one+" success all⏎is well https://ci.example.com/7", one+" error", two+" error", two+" pending"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		CheckDestroy:             h.posted(first, second, third, other),
		Steps: []resource.TestStep{
			{Config: onHold(green), ConfigStateChecks: hasStatusID(knownvalue.Null()), Check: h.posted()},
			{Config: green, ConfigPlanChecks: plans(plancheck.ResourceActionUpdate), Check: h.posted(first),
				ConfigStateChecks: hasStatusID(knownvalue.StringExact(h.url + "@" + one + "/kalypso/stage"))},
			{Config: later, ConfigPlanChecks: plans(plancheck.ResourceActionReplace), Check: h.posted(first, second)},
			{Config: next, ConfigPlanChecks: plans(plancheck.ResourceActionReplace), Check: h.posted(first, second, third)},
			{
				PreConfig: func() {
					h.server.AddStatuses(githubtest.Status{Commit: two, Context: "kalypso/stage", State: "pending", Creator: "somebody"})
				},
				Config: next, ConfigPlanChecks: plans(plancheck.ResourceActionNoop), Check: h.posted(first, second, third, other),
			},
		},
	})
	planDirectly(t, onHold(red)).Warns(t, "not post the status kalypso/stage")
	planDirectly(t, h.authenticated("")+statusHCL(h.url, one, "success", "")).Fails(t, "No commit status can")
}

// A user has written the repository into the configuration, so its forge gets the token of the
// environment.
func TestCommitStatus_trust(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	one, _ := h.commits(t)
	client := forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: h.server.Address(), Kind: forge.GitHub,
		BaseURL: h.server.Address(), Token: h.server.AddToken("kalypso", true), FromEnvironment: true}}})
	if _, err := client.Repository(t.Context(), h.url); !remote.Is(err, remote.KindWithheld) {
		t.Errorf("a repository that a manifest names: %v", err)
	}
	r := commitStatusResource{&providerData{Forges: client}}
	repo, err := r.repository(t.Context(), &commitStatusModel{Repo: types.StringValue(h.url)})
	if err == nil {
		_, err = repo.Reports(t.Context(), one)
	}
	if err != nil {
		t.Error(err)
	}
}

// If the forge refuses the status, the apply fails.
func TestAccCommitStatus_refused(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	one, _ := h.commits(t)
	forbidden := func(request string) {
		h.server.Fail(githubtest.Fault{Request: request, Status: http.StatusForbidden,
			Header: map[string]string{"X-Accepted-Github-Permissions": "statuses=write"}})
	}
	green := h.provider + statusHCL(h.url, one, "success", "")
	w := newWorkspace(t, green)
	for _, test := range []struct{ config, words string }{
		{h.provider + statusHCL(h.url, strings.Repeat("0a", 20), "success", ""), "has no commit " + strings.Repeat("0a", 20)},
		{green, "lacks a permission: statuses=write"},
	} {
		config, words := test.config, test.words
		w.write(t, "main.tf", config)
		if config == green {
			forbidden("POST /repos/octo/gitops/statuses/")
		}
		if out, _, err := w.run(applying...); err == nil || !saying("The commit status was").MatchString(out) ||
			!saying(words).MatchString(out) {
			t.Errorf("the error does not say %q: %s", words, out)
		}
	}
}

func TestCommitStatus_mistakes(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	commit := strings.Repeat("0a", 20)
	status := func(repo, commit, state, more string) string {
		return h.provider + statusHCL(repo, commit, state, more)
	}
	expectMistakes(t, map[string]mistake{
		"no forge":               {status("https://git.example.com/octo/cp", commit, "success", ""), "does not show its"},
		"a folder":               {status("file:///srv/git/gitops.git", commit, "success", ""), "forge with pull requests"},
		"no URL":                 {status("octo/control-plane", commit, "success", ""), "not a Git repository"},
		"a password in it":       {status("https://me:secret@git.example.com/a/b", commit, "success", ""), "has a password"},
		"an abbreviated commit":  {status(h.url, "0a0a0a0", "success", ""), "is not a full"},
		"an upper-case commit":   {status(h.url, strings.ToUpper(commit), "success", ""), "40 lower-case"},
		"a branch":               {status(h.url, "main", "success", ""), "must be the full"},
		"a state":                {status(h.url, commit, "green", ""), "must be one of"},
		"not a web page":         {status(h.url, commit, "success", "target_url = \"ftp://x/y\""), "must be the URL"},
		"a web page with a user": {status(h.url, commit, "success", "target_url = \"https://me@x/y\""), "must be the URL"},
		"a context of two lines": {strings.Replace(status(h.url, commit, "success", ""), "kalypso/stage", `a\nb`, 1),
			"line of at most 255"},
	})
}

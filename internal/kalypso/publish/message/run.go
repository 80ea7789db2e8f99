// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Run is the run of HCP Terraform or CI that makes a request. It is empty on a person's
// machine.
type Run struct{ Name, URL string }

// RunFromEnvironment reads the run from environment variables with lookup (os.LookupEnv). Only
// apply calls it: a plan with these values would differ from run to run. HCP Terraform comes
// first, because CI may start its runs: TFC_RUN_ID, TFC_WORKSPACE_SLUG, TF_CLOUD_HOSTNAME.
// Then come GitHub Actions, Gitea and Forgejo Actions with the same variables, GitLab CI,
// Azure Pipelines and Jenkins.
func RunFromEnvironment(lookup func(name string) (string, bool)) Run {
	get := func(name string) string {
		value, _ := lookup(name)
		return strings.TrimSpace(value)
	}
	switch id := get("TFC_RUN_ID"); {
	case id != "":
		organization, workspace, _ := strings.Cut(get("TFC_WORKSPACE_SLUG"), "/")
		return newRun("HCP Terraform run "+id, address("https://"+cmp.Or(get("TF_CLOUD_HOSTNAME"), "app.terraform.io"), "/app/",
			url.PathEscape(organization), "/workspaces/", url.PathEscape(workspace), "/runs/", url.PathEscape(id)))
	case get("GITHUB_ACTIONS") == "true" || get("GITEA_ACTIONS") == "true" || get("FORGEJO_ACTIONS") == "true":
		return actions(get)
	case get("GITLAB_CI") == "true":
		return newRun("GitLab CI job "+get("CI_JOB_ID"), cmp.Or(get("CI_JOB_URL"), get("CI_PIPELINE_URL")))
	case strings.EqualFold(get("TF_BUILD"), "true"):
		id := get("BUILD_BUILDID")
		return newRun("Azure Pipelines run "+id, address(strings.TrimRight(get("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"), "/"), "/",
			url.PathEscape(get("SYSTEM_TEAMPROJECT")), "/_build/results?buildId=", url.QueryEscape(id)))
	case get("JENKINS_URL") != "" && get("BUILD_URL") != "":
		return newRun("Jenkins build "+get("BUILD_NUMBER"), get("BUILD_URL"))
	}
	return Run{}
}

func actions(get func(string) string) Run {
	name, id := "GitHub Actions", get("GITHUB_RUN_ID")
	switch {
	case get("FORGEJO_ACTIONS") == "true":
		name, id = "Forgejo Actions", get("GITHUB_RUN_NUMBER") // Forgejo's pages use this number
	case get("GITEA_ACTIONS") == "true":
		name = "Gitea Actions"
	}
	return newRun(name+" run "+id,
		address(strings.TrimRight(get("GITHUB_SERVER_URL"), "/"), "/", get("GITHUB_REPOSITORY"), "/actions/runs/", url.PathEscape(id)))
}

// address joins the parts of a URL; empty if a part is empty.
func address(parts ...string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return strings.Join(parts, "")
}

// newRun leaves out a URL that is not a web page's: environment variables can have any value.
func newRun(name, link string) Run {
	return Run{Name: strings.TrimSpace(name), URL: remote.WebPage(link)}
}

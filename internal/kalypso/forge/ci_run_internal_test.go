// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"strings"
	"testing"
)

func TestRunFromEnvironment(t *testing.T) {
	t.Parallel()
	actions := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "octo/fleet",
		"GITHUB_RUN_ID": "77", "GITHUB_RUN_NUMBER": "5"}
	azure := map[string]string{"TF_BUILD": "True", "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI": "https://dev.azure.com/contoso/",
		"SYSTEM_TEAMPROJECT": "Platform Team", "BUILD_BUILDID": "21"}
	jenkins := map[string]string{"JENKINS_URL": "https://ci.example.com/", "BUILD_NUMBER": "7",
		"BUILD_URL": "https://ci.example.com/job/fleet/7/"}
	with := func(base map[string]string, more ...string) map[string]string {
		all := map[string]string{}
		for name, value := range base {
			all[name] = value
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	for name, test := range map[string]struct {
		environment map[string]string
		want        Run
	}{
		"nothing": {nil, Run{}},
		"HCP Terraform": {map[string]string{"TFC_RUN_ID": "run-abc", "TFC_WORKSPACE_SLUG": "octo/dev"},
			Run{"HCP Terraform run run-abc", "https://app.terraform.io/app/octo/workspaces/dev/runs/run-abc"}},
		"Enterprise": {map[string]string{"TFC_RUN_ID": "run-abc", "TFC_WORKSPACE_SLUG": "octo/dev",
			"TF_CLOUD_HOSTNAME": "tfe.example.com"},
			Run{"HCP Terraform run run-abc", "https://tfe.example.com/app/octo/workspaces/dev/runs/run-abc"}},
		"without a slug": {map[string]string{"TFC_RUN_ID": "run-abc"}, Run{Name: "HCP Terraform run run-abc"}},
		"an evil slug": {map[string]string{"TFC_RUN_ID": "run)>x", "TFC_WORKSPACE_SLUG": "o>c/d\" e"},
			Run{"HCP Terraform run run)>x", "https://app.terraform.io/app/o%3Ec/workspaces/d%22%20e/runs/run%29%3Ex"}},
		"GitHub Actions": {actions, Run{"GitHub Actions run 77", "https://github.com/octo/fleet/actions/runs/77"}},
		"HCP before CI":  {with(actions, "TFC_RUN_ID", "run-abc"), Run{Name: "HCP Terraform run run-abc"}},
		"Gitea Actions": {with(actions, "GITEA_ACTIONS", "true", "GITHUB_SERVER_URL", "https://gitea.example.com/"),
			Run{"Gitea Actions run 77", "https://gitea.example.com/octo/fleet/actions/runs/77"}},
		"Forgejo Actions": {with(actions, "FORGEJO_ACTIONS", "true", "GITHUB_SERVER_URL", "https://codeberg.org"),
			Run{"Forgejo Actions run 5", "https://codeberg.org/octo/fleet/actions/runs/5"}},
		"no web page": {with(actions, "GITHUB_SERVER_URL", "javascript:alert(1)"), Run{Name: "GitHub Actions run 77"}},
		"GitLab CI": {map[string]string{"GITLAB_CI": "true", "CI_JOB_ID": "9",
			"CI_JOB_URL": "https://user:secret@gitlab.com/octo/fleet/-/jobs/9"}, Run{"GitLab CI job 9", "https://gitlab.com/octo/fleet/-/jobs/9"}},
		"a GitLab pipeline": {map[string]string{"GITLAB_CI": "true", "CI_JOB_ID": "9",
			"CI_PIPELINE_URL": "https://gitlab.com/octo/fleet/-/pipelines/3"},
			Run{"GitLab CI job 9", "https://gitlab.com/octo/fleet/-/pipelines/3"}},
		"Azure Pipelines":   {azure, Run{"Azure Pipelines run 21", "https://dev.azure.com/contoso/Platform%20Team/_build/results?buildId=21"}},
		"Azure, no project": {with(azure, "SYSTEM_TEAMPROJECT", ""), Run{Name: "Azure Pipelines run 21"}},
		"Azure, an evil id": {with(azure, "BUILD_BUILDID", "1&x=y\nKalypso-Environment: prod"),
			Run{"Azure Pipelines run 1&x=y\nKalypso-Environment: prod",
				"https://dev.azure.com/contoso/Platform%20Team/_build/results?buildId=1%26x%3Dy%0AKalypso-Environment%3A+prod"}},
		"Jenkins":          {jenkins, Run{"Jenkins build 7", "https://ci.example.com/job/fleet/7/"}},
		"a line break":     {with(jenkins, "BUILD_URL", "https://ci.example.com/\nKalypso-Environment: prod"), Run{Name: "Jenkins build 7"}},
		"a line separator": {with(jenkins, "BUILD_URL", "https://ci.example.com/?a=\u2028b"), Run{Name: "Jenkins build 7"}},
		"white space":      {with(jenkins, "BUILD_URL", "https://ci.example.com/?a=b c"), Run{Name: "Jenkins build 7"}},
		"a foreign path": {with(jenkins, "BUILD_URL", "https://ci.example.com/ü b"),
			Run{"Jenkins build 7", "https://ci.example.com/%C3%BC%20b"}},
		"an endless link": {with(jenkins, "BUILD_URL", "https://ci.example.com/"+strings.Repeat("a", 2000)), Run{Name: "Jenkins build 7"}},
	} {
		got := RunFromEnvironment(func(name string) (string, bool) {
			value, ok := test.environment[name]
			return value, ok
		})
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

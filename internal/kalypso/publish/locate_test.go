// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// A place that comes from a GitOpsRepo is checked as one that is set.
func TestPlaceOfAGitOpsRepo(t *testing.T) {
	t.Parallel()
	for spec, words := range map[string][]string{
		"{repo: 'https://git.example/x', branch: 'not a branch'}":             {"Invalid branch name", "spec.branch"},
		"{repo: 'https://git.example/x', branch: 'not a branch', path: a//b}": {"A GitOpsRepo names a path", "Invalid branch name"},
		"{repo: '../x', branch: prod, path: /}":                               {"Invalid GitOps repository URL"},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			_, m := (&instance{server: s}).plan(t, fromManifests(s, gitOpsRepo("prod", spec)))
			says(t, m.Errors, words...)
		})
	}
}

func gitOpsRepo(name, spec string) string {
	return "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: GitOpsRepo\nmetadata: {name: " + name + "}\nspec: " + spec + "\n"
}

// fromManifests are settings that leave the place to these objects.
func fromManifests(s server, objects ...string) publish.Settings {
	settings := s.settings(with(both("blue"), objects...))
	settings.Repo, settings.Branch, settings.Path = publish.Text{}, publish.Text{}, publish.Text{}
	return settings
}

// Kalypso ignores the path of a GitOpsRepo. So one that is not the root means nothing until
// somebody says whether it counts.
func TestPathOfAGitOpsRepo(t *testing.T) {
	t.Parallel()
	for path, counts := range map[string]bool{"''": false, ".": false, "./": false, "fleet": true, "./fleet/": true, "..": true} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			object := gitOpsRepo("prod", "{repo: '"+s.url+"', branch: prod, path: "+path+"}")
			plan, m := (&instance{server: s}).plan(t, fromManifests(s, object))
			switch {
			case counts && (len(m.Errors) != 1 || m.Errors[0].Setting != "path"):
				t.Errorf("errors: %+v", m.Errors)
			case counts:
				says(t, m.Errors, `GitOpsRepo/prod (object 0, line 1) names the path "`+path+`"`, `path = "." writes at the root, as Kalypso does`)
				if advised := strings.Contains(m.Errors[0].Detail, `path = "`+path+`" writes below that folder`); advised != (path != "..") {
					t.Errorf("advises %s: %v", path, advised)
				}
			case m.Failed() || plan.Location.Path != ".":
				t.Errorf("%+v, errors: %+v", plan, m.Errors)
			}
			for _, chosen := range []string{".", "fleet"} {
				settings := fromManifests(s, object)
				settings.Path = publish.Text{Value: chosen, Given: true}
				if plan, m := (&instance{server: s}).plan(t, settings); m.Failed() || plan.Location.Path != chosen {
					t.Errorf("path = %q: %+v, errors: %+v", chosen, plan, m.Errors)
				}
			}
		})
	}
}

// Of several GitOpsRepos, the path of the one with the resource's repository and branch counts.
func TestPathOfOneOfSeveralGitOpsRepos(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	given := func(value string) publish.Text { return publish.Text{Value: value, Given: true} }
	objects := []string{gitOpsRepo("prod", "{repo: '"+s.url+"', branch: prod, path: fleet}"),
		gitOpsRepo("prod-eu", "{repo: '"+s.url+"', branch: eu}")}
	for branch, asks := range map[string]bool{"prod": true, "eu": false, "elsewhere": false} {
		settings := fromManifests(s, objects...)
		settings.Repo, settings.Branch = given(s.url), given(branch)
		if _, m := (&instance{server: s}).plan(t, settings); m.Failed() != asks {
			t.Errorf("branch %s: %+v", branch, m.Errors)
		}
	}
}

// Kalypso writes to every GitOpsRepo of an environment, a resource to one. If each
// GitOpsRepo has a resource that names it, the plan does not warn.
func TestSeveralGitOpsRepos(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	objects := []string{
		gitOpsRepo("prod", "{repo: '"+s.url+"', branch: prod}"), gitOpsRepo("prod-eu",
			"{repo: 'https://user:hunter2@git.example/eu', branch: eu}"),
		gitOpsRepo("dev", "{repo: 'https://git.example/x', branch: dev}"),
		"apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Environment\nmetadata: {name: dev}\nspec: {controlPlane: {repo: " +
			"'https://git.example/c'}}\n",
	}
	given := func(value string) publish.Text { return publish.Text{Value: value, Given: true} }
	for name, change := range map[string]func(*publish.Settings){
		"neither": func(*publish.Settings) {},
		"repo":    func(settings *publish.Settings) { settings.Repo = given(s.url) },
		"branch":  func(settings *publish.Settings) { settings.Branch = given("prod") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := fromManifests(s, objects...)
			change(&settings)
			_, m := (&instance{server: s}).plan(t, settings)
			says(t, m.Warnings, "- GITOPS_REPO_UNWRITTEN GitOpsRepo/prod-eu: Kalypso writes the environment prod to branch eu of https://")
			for _, w := range m.Warnings {
				if strings.Contains(w.Detail, "GitOpsRepo/dev") || strings.Contains(w.Detail, "hunter2") {
					t.Error(w.Detail)
				}
			}
		})
	}
	settings := fromManifests(s, objects...)
	settings.Repo, settings.Branch = given(s.url), given("prod")
	_, m := (&instance{server: s}).plan(t, settings)
	warnsOf(t, m)
}

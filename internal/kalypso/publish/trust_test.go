// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// newGuarded is a repository behind a server that asks for the login which is in the
// environment.
func newGuarded(t testing.TB) server {
	t.Helper()
	repo := gitmem.New(t)
	host := gittest.ServeHTTP(t, repo, gittest.WithLogin("deployer", "correct-horse"))
	return server{repo: repo, url: host.URL(), login: "correct-horse", fromEnvironment: true, computed: new(atomic.Int64), waits: func() {}}
}

// byManifest are settings whose repo a GitOpsRepo names.
func (s server) byManifest(settings publish.Settings) publish.Settings {
	settings.Repo = publish.Text{}
	settings.Fleet = with(settings.Fleet, fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: GitOpsRepo\nmetadata: {name: "+
		"prod}\nspec: {repo: %q, branch: prod, path: .}\n", s.url))
	return settings
}

// withheld is the text of an error if the credential from environment variables is not
// sent.
var withheld = []string{"Credentials from environment variables were not sent", "the URL comes from manifests", "KALYPSO_GIT_URL_PREFIX",
	"repo"}

func TestTrustInRepo(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	i.apply(t, s.settings(both("green")))
	i.standsStill(t, s.settings(both("green")))
	succeeded(t, i.destroy(t))
	s.holds(t, "prod")
}

func TestNoTrustInGitOpsRepo(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	settings := s.byManifest(s.settings(both("blue")))
	plan, m := (&instance{server: s}).plan(t, settings)
	succeeded(t, m)
	says(t, m.Warnings, withheld...)
	says(t, (&instance{server: s}).carryOut(t, settings, plan).Errors, withheld...)
	if head := s.repo.Head(t, "prod"); head != "" {
		t.Errorf("the branch is at %s", head)
	}
}

// Refresh and Destroy see no configuration: they trust the repo that was given when it
// was applied, and a later one from its own apply on.
func TestTrustInWhatWasApplied(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	i := &instance{server: s}
	i.fromEnvironment = false // as with an entry of git
	i.apply(t, s.byManifest(s.settings(both("blue"))))
	i.fromEnvironment = true

	refused := func() {
		t.Helper()
		_, m := i.publisher(t).Refresh(t.Context(), i.applied(), i.inventory(t))
		says(t, m.Errors, withheld...)
		says(t, m.Errors, "takes effect with the next apply")
	}
	refused()
	m := i.destroy(t)
	says(t, m.Errors, withheld...)
	says(t, m.Errors, "takes effect with the next apply")

	// Nothing but the place of its URL has changed, and that is to be applied.
	settings := s.byManifest(s.settings(both("blue")))
	settings.Repo = publish.Text{Value: s.url, Given: true}
	plan, planned := i.publisher(t).Plan(t.Context(), i.job(t, settings)) // without a refresh
	succeeded(t, planned)
	if plan.Differs || !plan.CommitOpen {
		t.Errorf("the plan is %+v", plan)
	}
	refused()
	commit := i.was.Commit
	succeeded(t, i.carryOut(t, settings, plan))
	s.commits(t, "prod", 1)
	if i.was.Commit != commit {
		t.Errorf("commit %s, want %s", i.was.Commit, commit)
	}
	i.standsStill(t, settings)
	succeeded(t, i.destroy(t))
	s.holds(t, "prod")
}

// A move trusts the old and the new host, each where its repo was given.
func TestTrustInMoves(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]struct{ old, moved bool }{
		"both were given":          {true, true},
		"the new one is given":     {false, true},
		"the old one was given":    {true, false},
		"neither has been written": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newGuarded(t), newGuarded(t)
			i := &instance{server: from}
			old, moved := from.settings(both("blue")), to.settings(both("blue"))
			if !given.old {
				old = from.byManifest(old)
			}
			if !given.moved {
				moved = to.byManifest(moved)
			}
			i.fromEnvironment = false
			i.apply(t, old)
			i.fromEnvironment = true
			plan, m := i.publisher(t).Plan(t.Context(), i.job(t, moved))
			succeeded(t, m)
			m = i.carryOut(t, moved, plan)
			if !given.moved {
				says(t, m.Errors, withheld...)
				from.holds(t, "prod", fleetFiles...)
				return
			}
			succeeded(t, m)
			to.holds(t, "prod", fleetFiles...)
			if given.old {
				from.holds(t, "prod")
				return
			}
			says(t, m.Warnings, "The old place was not cleaned")
			says(t, m.Warnings, withheld...)
			from.holds(t, "prod", fleetFiles...)
		})
	}
}

// The user who imports has written the URL.
func TestTrustInImports(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	(&instance{server: s}).apply(t, s.settings(both("blue")))
	i := &instance{server: s}
	inv, m := i.publisher(t).Import(t.Context(), git.Location{Repo: s.url, Branch: "prod", Path: "."}, "prod")
	succeeded(t, m)
	i.was = &publish.Applied{
		Settings: publish.Settings{Detail: inv.Detail, Removal: ownership.Delete}, Location: inv.Location, Instance: inv.Instance,
		Attributes: publish.Attributes{Packages: inv.Packages},
	}
	i.note(t, inv.Inventory)
	i.apply(t, s.settings(both("green")))
	i.standsStill(t, s.settings(both("green")))
}

// Terraform keeps no notes of a tainted resource that it replaces: the one that comes takes
// the folders over by the record.
func TestTrustInReplacementOfTainted(t *testing.T) {
	t.Parallel()
	s := newGuarded(t)
	settings := s.settings(both("blue"))
	i := &instance{server: s}
	i.apply(t, settings)
	instanceID := i.was.Instance

	i.run, i.noted = s.publisher(t), nil
	succeeded(t, i.run.Destroy(t.Context(), publish.Job{Settings: &i.was.Settings, Was: i.applied(), Inventory: i.inventory(t)}, false))
	i.was = nil
	plan, m := i.plan(t, settings)
	succeeded(t, m)
	succeeded(t, i.carryOut(t, settings, plan))
	if i.was.Instance == instanceID {
		t.Errorf("it is the same instance again")
	}
	s.holds(t, "prod", fleetFiles...)
	i.run = nil
	i.standsStill(t, settings)
}

// The provider gives the forge's token to the same hosts as Git's login. A plan reports if
// it does not give it.
func TestTrustInForges(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	s.fromEnvironment = true
	i := &instance{server: s}
	_, m := i.plan(t, s.byManifest(s.proposing("blue")))
	says(t, m.Errors, "Pull requests are not possible", "KALYPSO_FORGE_TOKEN", "the URL comes from manifests", "KALYPSO_GIT_URL_PREFIX",
		"(forges)")
	if asked := s.github.Requests(); len(asked) > 0 {
		t.Errorf("the forge was asked: %s", strings.Join(asked, ", "))
	}
	i.apply(t, s.proposing("blue"))
	i.refreshed(t, ownership.Proposed)
	s.merge(t, "squash")
	i.refreshed(t, ownership.InSync)
	i.apply(t, s.proposing("green"))
	succeeded(t, i.destroy(t))
}

// A repository of this machine that a GitOpsRepo alone names is not even looked at.
func TestNoLocalRepositoryOfAGitOpsRepo(t *testing.T) {
	t.Parallel()
	local := gittest.NewBare(t)
	s := newServer(t)
	s.url = local.FileURL()
	settings := s.byManifest(s.settings(both("blue")))
	client, err := git.NewClient(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{server: s, run: publish.New(publish.Options{Git: client})}
	_, m := i.plan(t, settings)
	says(t, m.Errors, "A manifest names a local repository", "GitOpsRepo/prod (object 0, line 1)", local.FileURL(),
		"exactly this URL in the attribute repo", "KALYPSO_GIT_URL_PREFIX")
	says(t, i.carryOut(t, settings, &publish.Plan{}).Errors, "GitOpsRepo/prod (object 0, line 1)")
	if head := local.Head(t, "prod"); head != "" {
		t.Errorf("the branch is at %s", head)
	}
	settings.Repo = publish.Text{Value: local.FileURL(), Given: true}
	i.apply(t, settings)
	if local.Head(t, "prod") == "" {
		t.Error("nothing is written where the configuration names the same repository")
	}

	// Content that was applied with trust is not read without it.
	applied := &instance{server: s}
	elsewhere := s.byManifest(s.settings(fleetOf("stage", "blue", "medium")))
	last := &elsewhere.Fleet.Manifests[len(elsewhere.Fleet.Manifests)-1]
	last.Text = strings.Replace(last.Text, "{name: prod}", "{name: stage}", 1)
	applied.apply(t, elsewhere)
	applied.run = i.run
	_, m = applied.run.Refresh(t.Context(), applied.applied(), applied.inventory(t))
	says(t, m.Errors, "the configuration does not name this folder", "it takes effect with the next apply")
}

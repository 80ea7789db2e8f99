// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"slices"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A plan without a change asks the Git server for its references, and for a commit that somebody else has made. A server that sends whole
// commits only is asked as often.
func TestPlanWithoutAChangeAsksLittle(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		moves, sendsAll, changesSettings bool
		requests                         int64
	}{
		"the branch did not move":                        {requests: 1},
		"somebody else moved the branch":                 {moves: true, requests: 2},
		"the same, from a server that sends all":         {moves: true, sendsAll: true, requests: 2},
		"another setting":                                {changesSettings: true, requests: 5},
		"another setting, and the branch moved":          {changesSettings: true, moves: true, requests: 5},
		"another setting, from a server that sends all":  {changesSettings: true, sendsAll: true, requests: 3},
		"the same, and the branch moved at another path": {changesSettings: true, sendsAll: true, moves: true, requests: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			repo.Limit(t, !test.sendsAll, !test.sendsAll)
			counted := gittest.ServeHTTP(t, repo)
			s := &server{repo: repo, url: counted.URL()}
			r, settings := s.resource(), s.settings(both("blue"))
			r.apply(t, settings)
			if test.moves {
				s.edit(t, map[string]string{"docs/index.md": "# Docs\n"})
			}
			before := counted.Requests()
			r.plansNothing(t, settings, !test.changesSettings)
			if asked := counted.Requests() - before; asked != test.requests {
				t.Errorf("%d requests, want %d", asked, test.requests)
			}
		})
	}
}

// If a configuration no longer names its branch, Terraform keeps that of the state, and nothing looks changed. But the fleet names
// another one.
func TestPlanWithoutItsBranch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	r, settings := s.resource(), s.settings(with(both("blue"), "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: GitOpsRepo\n"+
		"metadata: {name: prod}\nspec: {repo: "+s.url+", branch: next, path: .}\n"))
	r.apply(t, settings)
	r.plansNothing(t, settings, true)
	settings.Branch = publish.Text{}
	job := r.job(settings)
	job.IsSame = true
	plan, m := r.publisher(t).Plan(t.Context(), job)
	if succeeded(t, m); !slices.Equal(plan.Replaces, []string{"branch"}) {
		t.Errorf("the plan replaces because of %q", plan.Replaces)
	}
}

// A plan with an open request that nobody changed asks the forge for it, and for nothing else.
func TestPlanWithAnOpenRequestAsksLittle(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	r, settings := s.resource(), s.proposing("blue")
	r.apply(t, settings)
	before := len(s.github.Requests())
	r.plansNothing(t, settings, true)
	if asked := s.github.Requests()[before:]; len(asked) > 3 {
		t.Errorf("%d requests to the forge: %q", len(asked), asked)
	}
}

// In an apply, Terraform plans once more. The apply takes what that plan has rendered, and other input is rendered again.
func TestApplyRendersOnce(t *testing.T) {
	t.Parallel()
	s, rendered := newServer(t), 0
	s.compute = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		rendered++
		return engine.Compute(ctx, in)
	}
	s.shared = s.publisher(t)
	r := s.resource()
	for i, family := range []string{"blue", "green"} {
		if r.apply(t, s.settings(both(family))); rendered != i+1 {
			t.Errorf("%s: rendered %d times", family, rendered)
		}
	}
	s.holds(t, "prod", fleetFiles...)
}

// plansNothing refreshes and plans in one run of Terraform, and checks that nothing is to do.
func (r *resource) plansNothing(t *testing.T, settings publish.Settings, isSame bool) {
	t.Helper()
	run := *r
	run.server = &server{repo: r.repo, url: r.url, github: r.github}
	publisher := run.publisher(t)
	found, m := publisher.Refresh(t.Context(), run.job(settings))
	succeeded(t, m)
	if text := string(found.Memory.Text()); text != string(r.memory.Text()) {
		t.Errorf("Terraform would report a change outside of it: %s after %s", text, r.memory.Text())
	}
	job := run.job(settings)
	job.Was.Attributes, job.Memory, job.IsSame = found.Attributes, found.Memory, isSame
	plan, m := publisher.Plan(t.Context(), job)
	succeeded(t, m)
	if plan.CommitUnknown || plan.RequestUnknown || len(m.Warnings) > 0 {
		t.Errorf("something is to do: %+v, %+v", plan, m.Warnings)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// fetching is the publisher of a run that fetches at most so many bytes at a time; zero for
// the default.
func (s server) fetching(t testing.TB, most int64) *publish.Publisher {
	t.Helper()
	client, err := git.NewClient(git.Options{MaxFetch: most})
	if err != nil {
		t.Fatal(err)
	}
	return publish.New(publish.Options{Git: client, Version: "test", MaxDiffLines: 400, Lookup: s.lookup,
		Compute: func(ctx context.Context, in engine.Input) (*engine.Result, error) {
			s.computed.Add(1)
			return engine.Compute(ctx, in)
		}})
}

// A plan without changes asks nobody, and a plan that changes something asks once, and
// runs the engine once.
func TestPlanReadsOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var reads atomic.Int64
	_, handler := s.repo.Handler(t)
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/info/refs") {
			reads.Add(1)
		}
		handler.ServeHTTP(w, request)
	}))
	t.Cleanup(counting.Close)
	s.url = counting.URL + "/repo.git"
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	coarse := s.settings(both("blue"))
	coarse.Detail = engine.DetailClusterType
	removed := s.settings(fleet("blue", "large"))
	for name, test := range map[string]struct {
		settings     publish.Settings
		reads, times int64
	}{
		"the same":      {s.settings(both("blue")), 0, 0},
		"other keys":    {coarse, 0, 1},
		"a change":      {s.settings(both("green")), 1, 1},
		"less":          {removed, 1, 1},
		"another place": {inFolder(s.settings(both("blue")), "elsewhere"), 1, 1},
	} {
		reads.Store(0)
		s.computed.Store(0)
		plan, m := i.fetching(t, 0).Plan(t.Context(), i.job(t, test.settings))
		succeeded(t, m)
		if reads.Load() != test.reads || s.computed.Load() != test.times || plan.Differs != (test.reads > 0) {
			t.Errorf("%s: it read %d times, and ran the engine %d times: %+v", name, reads.Load(), s.computed.Load(), plan)
		}
	}
}

// If the branch cannot be read, or nothing can read it yet, the plan has a sentence in
// place of the diff. It plans everything else.
func TestPlanCannotRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	applied := &instance{server: s}
	applied.apply(t, s.settings(both("blue")))
	for name, i := range map[string]*instance{"an update": applied, "a creation": {server: s}} {
		for told, p := range map[string]*publish.Publisher{
			"The GitOps repository cannot be read": s.fetching(t, 1), "": publish.New(publish.Options{Version: "test", MaxDiffLines: 400}),
		} {
			plan, m := p.Plan(t.Context(), i.job(t, s.settings(both("green"))))
			succeeded(t, m)
			const sentence = "(The changed files are not shown, because the branch cannot be read.)\n"
			if plan.Diff != sentence || !plan.Differs {
				t.Errorf("%s: %+v", name, plan)
			}
			says(t, m.Warnings, plan.Summary+"\n\n "+strings.TrimSpace(sentence), told)
		}
	}
}

// The old side is the present branch, even if it has moved since the last look. None of it
// is kept.
func TestOldSide(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited: once\n"})
	i.refreshed(t, ownership.Drifted)
	s.edit(t, "prod", map[string]string{"large/web-live/reconciler.yaml": "edited: twice\n"})
	plan, m := i.publisher(t).Plan(t.Context(), i.job(t, s.settings(both("blue"))))
	if succeeded(t, m); !strings.Contains(plan.Diff, "-edited: twice\n") || strings.Contains(plan.Diff, "once") {
		t.Errorf("diff\n%s", plan.Diff)
	}
	i.refresh(t)
	for _, content := range []string{"edited", "content", "files"} {
		if strings.Contains(string(i.noted), content) {
			t.Errorf("%q is kept in %s", content, i.noted)
		}
	}
}

// Of a folder in which more differs than anybody reads, the name is shown.
func TestTooManyFilesDiffer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	stray := map[string]string{"small/web-live/stray": "stray\n"}
	for n := range 5001 {
		stray[fmt.Sprintf("large/stray/%d", n)] = "x"
	}
	s.edit(t, "prod", stray)
	plan := i.apply(t, s.settings(both("blue")))
	if !strings.HasPrefix(plan.Diff, "(not shown, because too many files differ: large") {
		t.Errorf("diff\n%s", plan.Diff)
	}
	i.standsStill(t, s.settings(both("blue")))
}

// The plan of a large fleet names the coarser detail once, with its change.
func TestPlanSuggestsDetail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		packages int
		detail   engine.Detail
		want     int
	}{{2000, engine.DetailPackage, 0}, {2100, engine.DetailPackage, 1}, {2100, engine.DetailClusterType, 0}} {
		s := newServer(t)
		in := engine.Input{Environment: fleetgen.Environment}
		for _, text := range fleetgen.Large(test.packages) {
			in.Manifests = append(in.Manifests, manifest.Text{Text: text})
		}
		settings := s.settings(in)
		settings.Detail = test.detail
		_, m := (&instance{server: s}).plan(t, settings)
		succeeded(t, m)
		if told := fmt.Sprint(m.Warnings); strings.Count(told, `This resource has 2100 packages. With detail = "cluster_type"`) != test.want {
			t.Errorf("%d packages by %s: %s", test.packages, test.detail, told)
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// regrouping is a fleet whose cluster types go from wave to wave at random.
type regrouping struct {
	server
	*rand.Rand
	waves []*instance
	// settings are what each wave was told last, and families the content that each has.
	settings []publish.Settings
	types    []string
	steps    []string
}

const regroupedTypes, regroupedWaves = 6, 3

func newRegrouping(t *testing.T, seed uint64) *regrouping {
	t.Helper()
	g := &regrouping{server: newServer(t), Rand: rand.New(rand.NewPCG(seed, 0)), waves: make([]*instance, regroupedWaves),
		settings: make([]publish.Settings, regroupedWaves)}
	for i := range regroupedTypes {
		g.types = append(g.types, fmt.Sprint("type-", i))
	}
	return g
}

// step regroups, plans all waves in one run and applies them in any order, of which some may
// fail.
func (g *regrouping) step(t *testing.T, last bool) {
	t.Helper()
	lists := make([][]string, regroupedWaves)
	nobodys := regroupedWaves
	if last || g.IntN(3) > 0 {
		nobodys-- // all have an owner
	}
	for _, name := range g.types {
		at := g.IntN(nobodys + 1)
		if at < regroupedWaves {
			lists[at] = append(lists[at], name)
		}
	}
	run := g.publisher(t)
	for i := range g.waves {
		if g.waves[i] == nil {
			g.waves[i] = &instance{server: g.server}
		}
		g.waves[i].run = run
	}
	plans := make([]*publish.Plan, regroupedWaves)
	order := g.Perm(regroupedWaves)
	for _, i := range order {
		family := []string{"blue", "green", "red"}[g.IntN(3)]
		if last {
			family = "last"
		}
		in := fleet(family, g.types...)
		in.ClusterTypes = slices.Clip(append([]string{}, lists[i]...))
		g.settings[i] = g.server.settings(in)
		g.settings[i].Removal = []ownership.Removal{ownership.Empty, ownership.Delete}[g.IntN(2)]
		if _, m := (&instance{server: g.server, was: g.waves[i].was, noted: g.waves[i].noted}).plan(t, g.settings[i]); m.Failed() {
			// Another one has what its last apply wrote: it is created anew.
			says(t, m.Errors, "Folders have another owner now", "Remove the resource from the state")
			g.waves[i] = &instance{server: g.server, run: run}
		}
		var m message.Messages
		plans[i], m = g.waves[i].plan(t, g.settings[i])
		g.steps = append(g.steps, fmt.Sprintf("plan %d: %s %v", i, family, lists[i]))
		succeeded(t, m)
	}
	for _, i := range g.Perm(regroupedWaves) {
		fails := !last && g.IntN(4) == 0
		g.steps = append(g.steps, fmt.Sprintf("apply %d, failed %t", i, fails))
		if !fails {
			succeeded(t, g.waves[i].carryOut(t, g.settings[i], plans[i]))
		}
	}
}

// expectWhole checks that each commit of the branch holds what an earlier one held of the
// fleet: a reconciler of any cluster type never loses a package.
func (g *regrouping) expectWhole(t *testing.T) {
	t.Helper()
	held := map[string]bool{}
	for _, commit := range g.repo.Commits(t, "prod") {
		there := map[string]bool{}
		for _, path := range g.repo.Paths(t, commit) {
			if !strings.HasPrefix(path, ".kalypso/") {
				there[path] = true
			}
		}
		for path := range held {
			if !there[path] {
				t.Fatalf("%s is gone in %s\n%s", path, g.repo.Message(t, commit), strings.Join(g.steps, "\n"))
			}
		}
		maps.Copy(held, there)
	}
}

// Waves that are regrouped at random, in whatever order they are applied, whatever
// fails meanwhile, never take from the branch what the fleet has; and where all are
// applied, each has what its list names.
func TestRegroupingLosesNothing(t *testing.T) {
	t.Parallel()
	for seed := range race.Seeds(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := newRegrouping(t, seed)
			for range 10 {
				g.step(t, false)
			}
			g.step(t, true)
			for _, w := range g.waves {
				w.run = nil
			}
			g.expectWhole(t)
			owners := map[string]string{}
			for i, w := range g.waves {
				if names := g.settings[i].Fleet.ClusterTypes; len(names) > 0 {
					owners[w.was.Instance] = strings.Join(slices.Sorted(slices.Values(names)), " ")
				}
				w.standsStill(t, g.settings[i])
			}
			g.owned(t, owners)
			for _, name := range g.types {
				if text := g.repo.Files(t, "prod")[name+"/web-live/reconciler.yaml"]; !strings.Contains(text, "family: last") {
					t.Errorf("%s holds\n%s\n%s", name, text, strings.Join(g.steps, "\n"))
				}
			}
		})
	}
}

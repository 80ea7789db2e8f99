// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// Resources do anything in any order, with states that may be old. No resource changes a
// path that another one owns, each folder has one owner, and an applied location does not
// change.
func TestHistories(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ merges, tampers bool }{"commits": {}, "merges": {merges: true},
		"by hand": {merges: true, tampers: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range race.Seeds(30) {
				h := &history{t: t, random: rand.New(rand.NewPCG(seed, 7)), branch: newBranch(t)}
				h.tell("seed %d", seed)
				for n := range 4 {
					h.resources = append(h.resources, &modelResource{
						name: fmt.Sprint("resource-", n), environment: []string{"dev", "dev", "prod"}[h.random.IntN(3)],
						location: git.Location{Repo: h.branch.repo.URL(), Branch: "main", Path: []string{".", "a", "a", "a/b"}[h.random.IntN(4)]},
					})
				}
				for range 15 {
					h.step(test.merges, test.tampers)
					if !test.tampers {
						h.ownersAreOne()
					}
					if !test.merges {
						h.recordsAreApart()
					}
				}
				if !test.tampers {
					h.settles()
					h.ownersAreOne()
				}
			}
		})
	}
}

// step is one thing that happens.
func (h *history) step(merges, tampers bool) {
	r := h.resources[h.random.IntN(len(h.resources))]
	switch dice := h.random.IntN(12); {
	case tampers && dice < 2:
		h.tamper()
	case r.proposed != nil:
		h.merge(r)
	case merges && dice < 5:
		h.propose(r)
	case r.inv == nil && dice == 6:
		h.imports(r)
	case r.inv == nil || dice < 9:
		h.apply(r)
	case dice == 9:
		h.forget(r)
	default:
		h.destroy(r)
	}
}

// othersAreKept checks that no path of others was changed. These are the paths that others
// have recorded, except paths that were taken over and older claims.
func (h *history) othersAreKept(r *modelResource, a *ownership.Attempt, before *tree.Dir, claimed ownership.Records) {
	h.t.Helper()
	for instance, record := range claimed {
		if instance == a.Inventory.Instance {
			continue
		}
		for _, folder := range record.Paths() {
			taken := slices.ContainsFunc(a.Decision.TakenOver, func(c ownership.Claim) bool { return c.Path == folder })
			if find(before, folder).ID != find(h.branch.root(), folder).ID && !taken {
				h.wrong("%s has changed %s of %s", r.name, folder, record)
			}
			if taken && (record.Environment != r.environment || !record.At(r.location)) {
				h.wrong("%s has taken over %s from %s", r.name, folder, record)
			}
		}
	}
	h.onlyOursChanges(r, a, before, claimed[a.Inventory.Instance].Record)
	ours := slices.Concat(slices.Collect(maps.Keys(a.Paths)), a.Inventory.Paths(), []string{ownership.RecordsFolder})
	for path, e := range files(before) {
		isOurs := slices.ContainsFunc(ours, func(at string) bool { return path == at || strings.HasPrefix(path, at+"/") })
		if !isOurs && find(h.branch.root(), path).ID != e.ID {
			h.wrong("%s has changed %s, which is not its own", r.name, path)
		}
	}
}

// onlyOursChanges checks that the resource was allowed to change the former content. Its
// record named it, or the state did and it was as applied, or the resource took it over.
func (h *history) onlyOursChanges(r *modelResource, a *ownership.Attempt, before *tree.Dir, mine ownership.Record) {
	h.t.Helper()
	for _, path := range slices.Concat(slices.Collect(maps.Keys(a.Paths)), a.Inventory.Paths()) {
		was, edit := find(before, path), a.Decision.Change.Edits[path]
		applied := a.Inventory.Applied[path]
		_, wanted := a.Paths[path]
		state := applied != ownership.Object{}
		switch {
		case was.ID.IsZero(), was.ID == ownership.EmptiedFolder.ID, was.ID == find(h.branch.root(), path).ID,
			mine.Lists(path) && (state || wanted), state && was.ID == applied.ID,
			wanted && (edit.Unchecked || was.ID == edit.Also):
		default:
			h.wrong("%s has changed %s, and nothing shows that it may", r.name, path)
		}
	}
}

// standsStill checks that nothing is to be done after an apply, whether one looks again
// or not.
func (h *history) standsStill(r *modelResource) {
	h.t.Helper()
	again := r.wants
	for _, looked := range []bool{false, true} {
		if looked {
			r.inv.Head = tree.ID{}
			h.refresh(r)
		}
		d := ownership.Decide(again, r.inv)
		if d.Changes || len(d.Lost)+len(d.Refused)+len(d.TakenOver)+len(d.Left)+len(d.Forbidden) > 0 {
			h.wrong("%s has something to do (looked: %t): %+v", r.name, looked, d)
		}
	}
}

// ownersAreOne checks that no two resources take a folder for their own, nor folders that
// lie in each other, once they have looked.
func (h *history) ownersAreOne() {
	h.t.Helper()
	owners := map[string]*modelResource{}
	for _, r := range h.resources {
		if r.inv == nil {
			continue
		}
		looked := *r
		h.keep(&looked)
		h.refresh(&looked)
		others := looked.inv.Claimants()
		for path, object := range looked.inv.Owned {
			recorded := looked.inv.Records[looked.inv.Instance].Lists(path) // else several may remember it
			if others.Claim(path) || object.Mode != tree.ModeDir || !recorded {
				continue
			}
			for other, owner := range owners {
				if path == other || strings.HasPrefix(path, other+"/") || strings.HasPrefix(other, path+"/") {
					h.wrong("%s takes %s for its own, and %s %s", r.name, path, owner.name, other)
				}
			}
			owners[path] = r
		}
	}
}

// recordsAreApart checks that no two records claim the same.
func (h *history) recordsAreApart() {
	h.t.Helper()
	records := h.branch.records()
	for instance, r := range records {
		for _, folder := range r.Paths() {
			if others := records.Claimants(instance).Of(folder); len(others) > 0 {
				h.wrong("%s is claimed by %s and %s", folder, r, others)
			}
		}
	}
}

// settles checks that applies without any change come to an end: nobody takes back what
// another one does.
func (h *history) settles() {
	h.t.Helper()
	const rounds = 4
	for round := range rounds {
		before := h.branch.head()
		for _, r := range h.resources {
			if r.inv == nil {
				continue
			}
			h.refresh(r)
			again := r.wants
			if again.Paths == nil { // as it was imported
				again.Paths = map[string]tree.Entry{}
				for path, object := range r.inv.Owned {
					again.Paths[path] = find(h.branch.root(), path)
					if object.ID.IsZero() {
						delete(again.Paths, path)
					}
				}
			}
			h.tell("%s (%s) applies again", r.name, r.inv.Instance)
			if a, ok := h.attempt(r, r.inv, again); ok {
				r.inv, r.wants = ownership.Holding(a.Decision, h.branch.head()), again
				h.keep(r)
			}
		}
		if h.branch.head() == before {
			return
		}
		if round == rounds-1 {
			h.wrong("there is no end of it")
		}
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// patience is that of the removals here; time is that of a bubble, and passes at once.
const patience = 2 * time.Second

// folder is what everybody here wants.
var folder = []string{"large"}

// leaving is the inventory of who has it.
func leaving() *Inventory {
	return &Inventory{Owned: Objects{"large": {Mode: tree.ModeDir}}}
}

// leave has a resource whose plan has seen no other one leave a place.
func leave(ctx context.Context, s *succession, place string) error {
	_, _, err := s.bequeath(ctx, place, bequest{Inventory: leaving()}, false, patience)
	return err
}

// A removal waits as long as it has to, and says how that ended.
func TestSuccessionAwait(t *testing.T) {
	t.Parallel()
	const notCreated, neverBegun = "was not created. Nothing was removed", "was planned, but is not created. Nothing was removed"
	for name, test := range map[string]struct {
		// come is what the other resource does, while the removal waits.
		come func(s *succession)
		// takes is how long the removal waits, and words are what its error says;
		// empty where there is none.
		takes time.Duration
		words string
	}{
		"nobody comes": {func(*succession) {}, patience, ""},
		"somebody comes elsewhere": {func(s *succession) {
			s.begin("elsewhere", folder, false)(true)
		}, patience, ""},
		"it was created before": {func(s *succession) {
			s.begin("here", folder, false)(false)
		}, 0, ""},
		"planned at once, created later": {func(s *succession) {
			s.announce("here", folder)
			time.Sleep(5 * time.Second)
			end := s.begin("here", folder, false)
			time.Sleep(time.Minute)
			end(false)
		}, 65 * time.Second, ""},
		"planned just in time": {func(s *succession) {
			time.Sleep(patience - 1)
			s.announce("here", folder)
			s.begin("here", folder, false)(false)
		}, patience - 1, ""},
		"begun without a plan that was seen": {func(s *succession) {
			time.Sleep(time.Second)
			end := s.begin("here", folder, false)
			time.Sleep(time.Second)
			end(false)
		}, 2 * time.Second, ""},
		"too late": {func(s *succession) {
			time.Sleep(patience + 1)
			s.begin("here", folder, false)(true)
		}, patience, ""},
		"it fails": {func(s *succession) {
			s.announce("here", folder)
			end := s.begin("here", folder, false)
			time.Sleep(time.Second)
			end(true)
		}, time.Second, notCreated},
		"it has failed before": {func(s *succession) {
			s.begin("here", folder, false)(true)
		}, 0, notCreated},
		"one of two fails": {func(s *succession) {
			one, other := s.begin("here", folder, false), s.begin("here", folder, false)
			one(true)
			other(false)
		}, 0, notCreated},
		"it is planned, and Terraform ends before": {func(s *succession) {
			s.announce("here", folder)
		}, startPatience, neverBegun},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSuccession()
				go test.come(s)
				synctest.Wait()
				began := time.Now()
				err := leave(t.Context(), s, "here")
				if took := time.Since(began); took != test.takes {
					t.Errorf("it took %s, want %s", took, test.takes)
				}
				if (err != nil) != (test.words != "") || err != nil && !strings.Contains(err.Error(), test.words) {
					t.Errorf("error %v", err)
				}
				time.Sleep(time.Hour) // until the other one is done, too
			})
		})
	}
}

// The time of a removal ends, whatever it waits for.
func TestSuccessionAwaitEnds(t *testing.T) {
	t.Parallel()
	for name, come := range map[string]func(s *succession){
		"nobody came":     func(*succession) {},
		"it was planned":  func(s *succession) { s.announce("here", folder) },
		"it was begun":    func(s *succession) { s.begin("here", folder, false) },
		"it began anew":   func(s *succession) { s.begin("here", folder, false); s.begin("here", folder, false) },
		"another is done": func(s *succession) { s.begin("elsewhere", folder, false)(false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSuccession()
				come(s)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				if err := leave(ctx, s, "here"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("error %v after %s", err, time.Since(began))
				}
			})
		})
	}
}

// However many resources come and go at once, those that remove wait for those that come.
func TestSuccessionOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSuccession()
		places := []string{"a", "b", "c", "d", "e"}
		var created sync.Map
		var all sync.WaitGroup
		for n := range 50 {
			place := places[n%len(places)]
			fails := place == "c"
			all.Go(func() {
				err := leave(t.Context(), s, place)
				if _, ok := created.Load(place); !ok || (err != nil) != fails {
					t.Errorf("%s: created %t, error %v", place, ok, err)
				}
			})
			if n < len(places) {
				all.Go(func() {
					time.Sleep(time.Duration(n) * 100 * time.Millisecond)
					s.announce(place, folder)
					time.Sleep(time.Second)
					end := s.begin(place, folder, false)
					time.Sleep(time.Second)
					created.Store(place, true)
					end(fails)
				})
			}
			all.Go(func() {
				instance := s.newInstance()
				s.follow([]Claim{{Record: Record{Instance: "from " + instance}}})
				if !s.isMade(instance) || !s.isFollowed("from "+instance) || s.isFollowed(instance) || s.isMade("from "+instance) {
					t.Errorf("%s is not noted", instance)
				}
			})
		}
		all.Wait()
	})
}

// What is handed over is taken once, where it was left.
func TestSuccessionHandOver(t *testing.T) {
	t.Parallel()
	s := newSuccession()
	dev := placeKey("dev", git.Location{Repo: "https://git.example/gitops", Branch: "main", Path: "fleet"})
	left := leaving()
	s.handOver(dev, bequest{Inventory: left})
	for name, place := range map[string]string{
		"another environment": placeKey("prod", git.Location{Repo: "https://git.example/gitops", Branch: "main", Path: "fleet"}),
		"another branch":      placeKey("dev", git.Location{Repo: "https://git.example/gitops", Branch: "next", Path: "fleet"}),
		"another path":        placeKey("dev", git.Location{Repo: "https://git.example/gitops", Branch: "main", Path: "fleet/a"}),
		"another repository":  placeKey("dev", git.Location{Repo: "https://git.example/other", Branch: "main", Path: "fleet"}),
	} {
		if got := s.takeHanded(place, folder); got != nil {
			t.Errorf("%s takes %+v", name, got)
		}
	}
	if got := s.takeHanded(dev, []string{"small"}); got != nil {
		t.Errorf("who wants another folder takes %+v", got)
	}
	spelled := placeKey("dev", git.Location{Repo: "https://GIT.example:443/gitops/", Branch: "main", Path: "./fleet/"})
	if got := s.takeHanded(spelled, folder); got != left {
		t.Errorf("another spelling of the place takes %+v", got)
	}
	if got := s.takeHanded(dev, folder); got != nil {
		t.Errorf("it is taken again: %+v", got)
	}
}

// What a resource retains is left to its heir as far as that one wants it.
func TestSuccessionRetained(t *testing.T) {
	t.Parallel()
	s := newSuccession()
	left := leaving()
	left.Owned["small"] = Object{Mode: tree.ModeDir}
	s.handOver("here", bequest{left, true})
	if got := s.takeHanded("here", folder); got == nil || len(got.Owned) != 1 || got.Owned["large"].Mode == "" || len(left.Owned) != 2 {
		t.Errorf("taken %+v of %+v", got, left)
	}
}

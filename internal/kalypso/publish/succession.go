// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/overview"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// succession is what the resources of one run know of each other, so that what one
// gives up and another one takes is never gone in between. An heir is a resource that
// comes to the same place and wants some of the same folders: several may share a place.
type succession struct {
	mutex sync.Mutex
	// arrivals are the resources that come to a place, and handed is what resources
	// that go leave to those that come.
	arrivals map[string][]*arrival
	handed   map[string][]bequest
	// parts are what resources write and remove, and gains are folders of a place that
	// resources which are there get.
	parts map[string]part
	gains map[string]map[string]bool
	// announced is closed, and made anew, with each arrival.
	announced chan struct{}
	// made are the instances that this run has made, and followed those that others
	// have taken over from.
	made, followed map[string]bool
}

// arrival is a resource that is created.
type arrival struct {
	wants       map[string]bool // folders
	begun, done chan struct{}
	// failed is true where it could not be created, and held where it is on hold.
	failed, held bool
}

// bequest is what a resource leaves to its heir; where it retains, what that one does
// not want is nobody's.
type bequest struct {
	*Inventory
	retains bool
}

// startPatience is how long a resource that was planned may take until it is created.
const startPatience = 10 * time.Second

// placeKey tells one environment's place from all others.
func placeKey(environment string, loc git.Location) string { return environment + "\n" + loc.Key() }

func newSuccession() *succession {
	return &succession{
		arrivals: map[string][]*arrival{}, handed: map[string][]bequest{}, parts: map[string]part{}, gains: map[string]map[string]bool{}, announced: make(chan struct{}), made: map[string]bool{}, followed: map[string]bool{},
	}
}

// arrive returns who comes to a place and wants these folders; the mutex is held.
func (s *succession) arrive(place string, wants []string) *arrival {
	for _, a := range s.arrivals[place] {
		if slices.Equal(slices.Sorted(maps.Keys(a.wants)), wants) {
			return a
		}
	}
	a := &arrival{wants: map[string]bool{}, begun: make(chan struct{}), done: make(chan struct{})}
	for _, path := range wants {
		a.wants[path] = true
	}
	s.arrivals[place] = append(s.arrivals[place], a)
	close(s.announced)
	s.announced = make(chan struct{})
	return a
}

// isHeirOf reports whether the resource wants one of the folders.
func (a *arrival) isHeirOf(folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return a.wants[folder] })
}

// announce notes that a resource that wants these folders is to be created at a place.
func (s *succession) announce(place string, wants []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.arrive(place, wants)
}

// begin notes that a resource is being created, and returns how to note that it is, or
// could not be. One that is on hold leaves everything as it is for now.
func (s *succession) begin(place string, wants []string, held bool) (end func(failed bool)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	a := s.arrive(place, wants)
	a.held = held
	open(a.begun)
	return func(failed bool) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		a.failed = a.failed || failed
		open(a.done)
	}
}

// open opens what others wait at, once.
func open(gate chan struct{}) {
	select {
	case <-gate:
	default:
		close(gate)
	}
}

// heir returns who inherits from an inventory; nil where nobody is known yet. announced
// is closed once somebody else comes.
func (s *succession) heir(place string, inv *Inventory) (heir *arrival, announced chan struct{}) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, a := range s.arrivals[place] {
		if a.isHeirOf(inv.leaves()) {
			return a, s.announced
		}
	}
	return nil, s.announced
}

// awaitHeir returns who inherits from an inventory, where one is planned within so much
// time; else nil.
func (s *succession) awaitHeir(ctx context.Context, place string, inv *Inventory, patience time.Duration) *arrival {
	up := time.After(patience)
	for {
		heir, announced := s.heir(place, inv)
		if heir != nil {
			return heir
		}
		select {
		case <-announced:
		case <-up:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// leaves returns the folders that an inventory has, or had as far as its packages tell.
func (inv *Inventory) leaves() []string {
	all := map[string]bool{}
	for path, object := range inv.Owned {
		if object.Mode == tree.ModeDir {
			all[path] = true
		}
	}
	for key := range inv.Packages {
		if _, isOverview := overview.OfKey(key); isOverview || engine.IsOwnedFile(key) {
			continue
		}
		if name, _, inFolder := strings.Cut(key, "/"); inFolder || inv.Detail == engine.DetailClusterType {
			all[inv.Location.Join(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// bequeath leaves what a destroyed resource has to its heir, and waits for that one
// where both are under way at the same time: followed is true where the plan has told
// that one comes, else it may take so long until one is planned. It reports whether the
// heir has what there was, or will, and returns the heir; nil for none. Errors: it
// failed, or never began.
func (s *succession) bequeath(ctx context.Context, place string, left bequest, followed bool, patience time.Duration) (*arrival, bool, error) {
	s.handOver(place, left)
	if !followed && s.awaitHeir(ctx, place, left.Inventory, patience) == nil {
		s.takeBack(place, left.Inventory)
		return nil, false, ctx.Err() // nobody comes
	}
	if !followed {
		patience = startPatience
	}
	heir := s.awaitHeir(ctx, place, left.Inventory, patience)
	err := heir.await(ctx, patience)
	if followed && errors.Is(err, errLater) {
		return heir, true, nil
	}
	stayed := s.takeBack(place, left.Inventory)
	return heir, err == nil && !stayed, err
}

// errLater says that a resource has not begun to be created: Terraform may create it
// only once the destroyed one is gone, where what it needs waits for that.
var errLater = errors.New("the resource that is to take over the folders was planned, but is not created. Nothing was removed; apply again")

// await waits until the resource is created, which has to begin within so much time; nil
// is one that nobody has heard of.
func (a *arrival) await(ctx context.Context, patience time.Duration) error {
	if a == nil {
		return errLater
	}
	select {
	case <-a.begun:
	case <-time.After(patience):
		return errLater
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.failed { // written before done was closed
		return errors.New("the resource that is to take over the folders was not created. Nothing was removed; apply again")
	}
	return nil
}

// handOver leaves what a resource has to its heir at a place.
func (s *succession) handOver(place string, left bequest) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.handed[place] = append(s.handed[place], left)
}

// takeBack takes back what was left at a place, and reports whether it was still there.
func (s *succession) takeBack(place string, inv *Inventory) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := slices.IndexFunc(s.handed[place], func(left bequest) bool { return left.Inventory == inv })
	if i >= 0 {
		s.handed[place] = slices.Delete(s.handed[place], i, i+1)
	}
	return i >= 0
}

// takeHanded returns what was left at a place by whoever has one of these paths, once;
// nil for nothing.
func (s *succession) takeHanded(place string, wants []string) *Inventory {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	isWanted := func(path string) bool { return slices.Contains(wants, path) }
	i := slices.IndexFunc(s.handed[place], func(left bequest) bool { return slices.ContainsFunc(left.leaves(), isWanted) })
	if i < 0 {
		return nil
	}
	left := s.handed[place][i]
	s.handed[place] = slices.Delete(s.handed[place], i, i+1)
	if !left.retains {
		return left.Inventory
	}
	kept := *left.Inventory
	kept.Owned = maps.Clone(kept.Owned)
	maps.DeleteFunc(kept.Owned, func(path string, _ Object) bool { return !isWanted(path) })
	return &kept
}

// newInstance makes an instance of this run.
func (s *succession) newInstance() string { return s.noteMade(newInstance()) }

// noteMade notes that an instance is of this run, and returns it.
func (s *succession) noteMade(instance string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.made[instance] = true
	return instance
}

// isMade reports whether this run has made an instance.
func (s *succession) isMade(instance string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.made[instance]
}

// follow notes from whom something was taken over.
func (s *succession) follow(claims []Claim) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, claim := range claims {
		s.followed[claim.Instance] = true
	}
}

// isFollowed reports whether something was taken over from an instance.
func (s *succession) isFollowed(instance string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.followed[instance]
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/ocm"
)

// worlds is how many are compared, of up to three placements each.
const worlds = 2500

// TestSameAsHub holds ours against Open Cluster Management's own scheduler, over random
// worlds: what each filter drops, every score and total, and what is chosen and in which
// group, as far as neither a tie nor a rule of ours is involved.
func TestSameAsHub(t *testing.T) {
	t.Parallel()
	seen := &cases{counts: map[string]int{}}
	t.Cleanup(func() { seen.check(t) })
	const parts = 10
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < worlds; seed += parts {
				compare(t, uint64(seed), seen)
				if t.Failed() {
					return // one world is enough to look at
				}
			}
		})
	}
}

// compare compares all placements of one world.
func compare(t *testing.T, seed uint64, seen *cases) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 17))
	w := generate(r)
	text := w.manifests(t, r)
	f, err := newFleet(text)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	decisions, err := decide(f)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	known := w.foreign() // what Balance counts
	for _, p := range w.placements {
		ours := verdicts(t, f, decisions[p.Name])
		c := &comparison{T: t, world: w, placement: p, ours: ours, seen: seen}
		history := w.own(p)
		if c.counted() {
			history = append(history, known...)
		}
		c.hub = w.ask(t, p, history)
		c.all()
		if t.Failed() {
			t.Fatalf("seed %d, placement %s:\n%s", seed, p.Name, text)
		}
		// Ours: Balance counts what placements before it in this run have been given here.
		known = append(known, decided(p, ours))
	}
}

// own are the earlier decisions of a placement.
func (w *world) own(p *clusterv1beta1.Placement) []*clusterv1beta1.PlacementDecision {
	return slices.DeleteFunc(slices.Clone(w.decisions), func(d *clusterv1beta1.PlacementDecision) bool {
		return d.Namespace != p.Namespace || d.Labels[clusterv1beta1.PlacementLabel] != p.Name
	})
}

// foreign are the decisions of placements that are not decided here.
func (w *world) foreign() []*clusterv1beta1.PlacementDecision {
	return slices.DeleteFunc(slices.Clone(w.decisions), func(d *clusterv1beta1.PlacementDecision) bool {
		return d.Namespace == namespace && slices.ContainsFunc(w.placements, func(p *clusterv1beta1.Placement) bool {
			return d.Labels[clusterv1beta1.PlacementLabel] == p.Name
		})
	})
}

// decided is what ours has decided, as a hub keeps it.
func decided(p *clusterv1beta1.Placement, ours map[string]verdict) *clusterv1beta1.PlacementDecision {
	d := &clusterv1beta1.PlacementDecision{}
	d.Name, d.Namespace, d.Labels = "now-"+p.Name, p.Namespace, map[string]string{clusterv1beta1.PlacementLabel: p.Name}
	for name, v := range ours {
		if v.chosen {
			d.Status.Decisions = append(d.Status.Decisions, clusterv1beta1.ClusterDecision{ClusterName: name})
		}
	}
	return d
}

// comparison is about one placement.
type comparison struct {
	*testing.T
	world     *world
	placement *clusterv1beta1.Placement
	ours      map[string]verdict
	hub       outcome
	seen      *cases
}

func (c *comparison) all() {
	if c.hub.err != nil {
		c.Fatalf("the hub says %s", c.hub.err)
	}
	c.filters()
	c.scores()
	c.decisions()
	c.seen.placement(c)
}

// filters compares which clusters each filter drops.
func (c *comparison) filters() {
	for name, v := range c.ours {
		want := ocm.Code("")
		switch {
		case !slices.Contains(c.hub.inSets, name):
			want = ocm.CodeClusterSet
		case !slices.Contains(c.hub.matched, name):
			want = ocm.CodePredicate
		case !slices.Contains(c.hub.tolerated, name):
			want = ocm.CodeTaint
		case !dropped(v.Code):
			continue
		}
		if v.Code != want {
			c.Errorf("ours says of %s %s (asked for %s, found %s), the hub %q", name, v.Code, v.Asked, v.Found, want)
		}
	}
}

// scores compares every prioritizer's scores, and the totals.
func (c *comparison) scores() {
	balanced := true
	for name, v := range c.ours {
		if dropped(v.Code) {
			continue
		}
		var ours, hub []string
		without := int64(0) // what Balance adds to every total of a hub, if ours does not count it
		for _, s := range v.Scores {
			ours = append(ours, fmt.Sprintf("%s * %d = %d", s.Name, s.Weight, s.Score))
		}
		for _, p := range c.hub.prioritizers {
			if p.Name == "Balance" && !c.counted() {
				without, balanced = p.Scores[name]*int64(p.Weight), false
				continue
			}
			hub = append(hub, fmt.Sprintf("%s * %d = %d", p.Name, p.Weight, p.Scores[name]))
		}
		slices.Sort(ours)
		slices.Sort(hub)
		if diff := gocmp.Diff(hub, ours); diff != "" {
			c.Errorf("scores of %s (-hub +ours):\n%s", name, diff)
		}
		if v.total != c.hub.totals[name]-without {
			c.Errorf("the total of %s is %d, that of the hub %d", name, v.total, c.hub.totals[name]-without)
		}
	}
	if !balanced {
		c.seen.add("Balance that counts on a hub only")
	}
}

// counted reports whether ours counts Balance: where it is listed, or there are decisions.
func (c *comparison) counted() bool {
	return len(c.world.decisions) > 0 || slices.ContainsFunc(c.placement.Spec.PrioritizerPolicy.Configurations,
		func(p clusterv1beta1.PrioritizerConfig) bool {
			return p.ScoreCoordinate.BuiltIn == "Balance"
		})
}

// decisions compares what is chosen: the cluster types above and below the total of the last
// one that the hub has chosen, unless all of it is a tie, and the groups.
func (c *comparison) decisions() {
	ranked := slices.SortedFunc(slices.Values(c.hub.tolerated), func(a, b string) int { return cmp.Compare(c.ours[b].total, c.ours[a].total) })
	n := len(c.hub.chosen)
	tie := n > 0 && n < len(ranked) && c.ours[ranked[n-1]].total == c.ours[ranked[n]].total
	got := 0
	for name, v := range c.ours {
		if v.chosen {
			got++
		}
		if tie && v.total == c.ours[ranked[n-1]].total && !dropped(v.Code) {
			continue
		}
		if want := slices.Contains(c.hub.chosen, name); v.chosen != want {
			c.Errorf("ours has chosen %s: %t, the hub %t", name, v.chosen, want)
		}
		if !tie && v.chosen && v.group != c.hub.groups[name] {
			c.Errorf("%s is in the group %v, on the hub in %v", name, v.group, c.hub.groups[name])
		}
	}
	if got != n {
		c.Errorf("ours has chosen %d, the hub %d", got, n)
	}
	switch {
	case tie:
		c.seen.add("a tie at the last one chosen")
	case n > 0 && n < len(ranked):
		c.seen.add("equal decisions, some are left out")
	case n > 0:
		c.seen.add("equal decisions, all")
	default:
		c.seen.add("nothing is chosen")
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package composition

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Conflict is a pair of ConfigMaps that set the same scalars to different values for the
// same assignments. Only the order of their names decides: the winner is not more specific than
// the loser, by its labels or by its assignments.
type Conflict struct {
	// Winner is the name of the ConfigMap whose values count. Loser is the name of the other
	// one.
	Winner, Loser string
	// Paths lead to the scalars, sorted. They are paths of leaves, but an element of a list has its
	// name in the path: "list[name=one].v".
	Paths []string
	// Assignments are the keys of the assignments, sorted.
	Assignments []string
}

// Usage is the use of ConfigMaps by assignments.
type Usage struct {
	layers []layer
	// distinct are the configurations, with their assignments.
	distinct map[*Config][]*placement.Assignment
}

// Usage returns the use of ConfigMaps by the assignments.
func (c *Composer) Usage(assignments []*placement.Assignment) *Usage {
	u := &Usage{layers: c.layers, distinct: map[*Config][]*placement.Assignment{}}
	for _, a := range assignments {
		config := c.Compose(a)
		u.distinct[config] = append(u.distinct[config], a)
	}
	return u
}

// Conflicts returns the conflicts of the configurations, sorted by winner and
// loser. Cost: the scalars of every distinct configuration.
func (u *Usage) Conflicts() []Conflict {
	r := newRivalry(u)
	found := map[contest]*Conflict{}
	for config, assignments := range u.distinct {
		for contest, paths := range r.contests(config.applying) {
			conflict, known := found[contest]
			if !known {
				conflict = &Conflict{Winner: contest.winner, Loser: contest.loser}
				found[contest] = conflict
			}
			conflict.Paths = append(conflict.Paths, paths...)
			for _, a := range assignments {
				conflict.Assignments = append(conflict.Assignments, a.Key())
			}
		}
	}
	conflicts := make([]Conflict, 0, len(found))
	for _, c := range found {
		c.Paths = wording.Sorted(c.Paths)
		slices.Sort(c.Assignments)
		conflicts = append(conflicts, *c)
	}
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(strings.Compare(a.Winner, b.Winner), strings.Compare(a.Loser, b.Loser))
	})
	return conflicts
}

// Unused returns the names of the ConfigMaps that apply to no assignment, sorted.
func (u *Usage) Unused() []string {
	used := bitset.New(uint(len(u.layers)))
	for config := range u.distinct {
		used.InPlaceUnion(config.applying)
	}
	unused := map[string]bool{}
	for i, l := range u.layers {
		others, known := unused[l.configMap]
		unused[l.configMap] = !used.Test(uint(i)) && (others || !known)
	}
	maps.DeleteFunc(unused, func(_ string, isUnused bool) bool { return !isUnused })
	return slices.Sorted(maps.Keys(unused))
}

// rivalry finds the layers that win over others only because of their names.
type rivalry struct {
	layers []layer
	// scalars of each layer, by path.
	scalars []map[string]any
	// reach is the set of configurations that contain a layer, for each layer.
	reach []*bitset.BitSet
}

func newRivalry(u *Usage) *rivalry {
	r := &rivalry{layers: u.layers, scalars: make([]map[string]any, len(u.layers)), reach: make([]*bitset.BitSet, len(u.layers))}
	for i, l := range u.layers {
		r.scalars[i] = map[string]any{}
		for _, e := range l.entries {
			addScalars(r.scalars[i], e.key, e.value)
		}
		r.reach[i] = bitset.New(uint(len(u.distinct)))
	}
	number := uint(0)
	for config := range u.distinct {
		for i := range config.applying.EachSet() {
			r.reach[i].Set(number)
		}
		number++
	}
	return r
}

type contest struct{ winner, loser string }

// contests returns the conflicts within one configuration, with their paths.
func (r *rivalry) contests(applying *bitset.BitSet) map[contest][]string {
	setBy := map[string][]uint{} // path to layers, in the order of the merge
	for i := range applying.EachSet() {
		for path := range r.scalars[i] {
			setBy[path] = append(setBy[path], i)
		}
	}
	found := map[contest][]string{}
	for path, layers := range setBy {
		winner := layers[len(layers)-1]
		for _, loser := range layers[:len(layers)-1] {
			if r.scalars[loser][path] != r.scalars[winner][path] && r.byNameOnly(winner, loser) {
				pair := contest{r.layers[winner].configMap, r.layers[loser].configMap}
				found[pair] = append(found[pair], path)
			}
		}
	}
	return found
}

// byNameOnly reports whether the winner wins over the loser only because of their names: both are
// platform ConfigMaps or both are from Azure App Configuration, and the winner is not more specific.
func (r *rivalry) byNameOnly(winner, loser uint) bool {
	w, l := &r.layers[winner], &r.layers[loser]
	return w.configMap != l.configMap && (w.appKey == "") == (l.appKey == "") &&
		!w.narrower(l) && !r.reach[loser].IsStrictSuperSet(r.reach[winner])
}

// narrower reports whether the layer has all labels of the other layer, and more.
func (l *layer) narrower(other *layer) bool {
	more := 0
	for key := range l.labels {
		if _, shared := other.labels[key]; !shared && IsSelecting(key) {
			more++
		}
	}
	for key, value := range other.labels {
		if own, shared := l.labels[key]; IsSelecting(key) && (!shared || own != value) {
			return false
		}
	}
	return more > 0
}

// addScalars follows the rules of merge. Elements of lists with the same name are one
// element. All others are appended, so they cannot conflict.
func addScalars(scalars map[string]any, path string, v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if name, ok := nameOf(element); ok {
				addScalars(scalars, fmt.Sprintf("%s[name=%v]", path, name), element)
			}
		}
	case map[string]any:
		for key, value := range v {
			addScalars(scalars, keyPath(path, key), value)
		}
	case map[any]any:
		for key, value := range v {
			addScalars(scalars, keyPath(path, fmt.Sprint(key)), value)
		}
	default:
		scalars[path] = v
	}
}

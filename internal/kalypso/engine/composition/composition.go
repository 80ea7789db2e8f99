// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package composition makes the platform configuration of an assignment from the ConfigMaps
// that apply to it. It records the provenance of every value, and checks the configuration
// against its JSON Schemas (docs/guides/semantics.md, section 3).
//
//	layer       what one merge puts over the values: a ConfigMap, or one key of App Configuration
//	member      a layer or a schema, which labels select for an assignment
//	leaf        a scalar of the result, or an empty list or map
//	provenance  which ConfigMap set a value, and which it replaced
//	contest     a pair of ConfigMaps that set one value differently
//	violation   a place where the configuration breaks a schema
package composition

import (
	"encoding/binary"
	"sync"

	"github.com/bits-and-blooms/bitset"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
)

// Config is the composed configuration. Assignments to which the same ConfigMaps apply share
// one Config, so its content must not change.
type Config struct {
	// Values are strings, []any lists, and maps: map[string]any, or map[any]any if a key
	// is not a string. Scalars inside lists and maps keep their YAML type.
	Values map[string]any

	// applying are the positions of the merged layers.
	applying *bitset.BitSet
	leaves   func() []Leaf
}

// Leaves returns every leaf of the values with its provenance, sorted by path. The first
// call computes the leaves, because planning does not need them.
func (c *Config) Leaves() []Leaf {
	return c.leaves()
}

// Composer composes the configuration of any assignment of one fleet. It is safe for
// concurrent use.
type Composer struct {
	fleet    *fleet.Fleet
	layers   []layer
	applying *selector // over layers
	// sources are the places of ConfigMaps in the input, by name, in parentheses.
	sources map[string]string

	configs sync.Map // of the set of applying layers, as text, to *Config
}

// New decodes every ConfigMap of the fleet, once.
func New(f *fleet.Fleet) *Composer {
	layers := newLayers(f.ConfigMaps)
	labels := make([]map[string]string, len(layers))
	for i, l := range layers {
		labels[i] = l.labels
	}
	c := &Composer{
		fleet:    f,
		layers:   layers,
		applying: newSelector(f, labels),
		sources:  make(map[string]string, len(f.ConfigMaps)),
	}
	for _, m := range f.ConfigMaps {
		c.sources[m.Name] = " (" + m.Source.String() + ")"
	}
	return c
}

// Compose returns the configuration of the assignment. Cost: a few bit tests per ConfigMap,
// and one merge for every set of ConfigMaps.
func (c *Composer) Compose(a *placement.Assignment) *Config {
	set := c.applying.match(a.ClusterType, a.Target)
	var buffer [128]byte
	key := buffer[:0]
	for _, word := range set.Words() {
		key = binary.LittleEndian.AppendUint64(key, word)
	}

	if known, ok := c.configs.Load(string(key)); ok {
		return known.(*Config) //nolint:errcheck,forcetypeassert // the map contains nothing else
	}
	var layers []layer // in the order of the merge
	for i := range set.EachSet() {
		layers = append(layers, c.layers[i])
	}
	config, _ := c.configs.LoadOrStore(string(key), newConfig(set, layers))
	return config.(*Config) //nolint:errcheck,forcetypeassert // as above
}

func newConfig(set *bitset.BitSet, layers []layer) *Config {
	return &Config{
		Values:   compose(layers, nil),
		applying: set,
		leaves: sync.OnceValue(func() []Leaf {
			root := &provenance{}
			return inMergeOrder(leavesOf(compose(layers, root), root), layers)
		}),
	}
}

// compose merges the layers. It records in root which ConfigMap set each value, unless root is nil.
func compose(layers []layer, root *provenance) map[string]any {
	values := map[string]any{}
	for _, l := range layers {
		for _, e := range l.entries {
			old, existed := values[e.key]
			at := root.child(e.key, existed, l.configMap)
			if existed {
				values[e.key] = merge(old, e.value, at, l.configMap)
			} else {
				values[e.key] = e.value
			}
		}
	}
	return values
}

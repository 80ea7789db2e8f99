// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree

import (
	"maps"
	"slices"
	"strings"
)

// With returns the directory with changes, by slash-separated paths. An entry without a mode
// removes the file. Empty directories disappear, because git does not keep them.
func (d *Dir) With(changes map[string]Entry) *Dir {
	if len(changes) == 0 {
		return d
	}
	here, below := map[string]Entry{}, map[string]map[string]Entry{}
	for path, e := range changes {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			e.Name = name
			here[name] = e
			continue
		}
		if below[name] == nil {
			below[name] = map[string]Entry{}
		}
		below[name][rest] = e
	}

	entries := map[string]Entry{}
	for _, e := range d.Entries {
		entries[e.Name] = e
	}
	for name, e := range here {
		if entries[name] = e; e.Mode == "" {
			delete(entries, name)
		}
	}
	for name, changes := range below {
		old, existed := entries[name]
		sub := &Dir{}
		if old.Dir != nil {
			sub = old.Dir
		}
		switch sub = sub.With(changes); {
		case len(sub.Entries) > 0:
			entries[name] = Subdir(name, sub)
		case existed && old.Mode.IsDir():
			delete(entries, name)
		}
	}
	return FromForeign(slices.Collect(maps.Values(entries)))
}

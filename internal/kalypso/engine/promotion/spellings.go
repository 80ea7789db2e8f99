// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import "slices"

// spellings gives each source one name in all environments of a decision: the first that was read.
type spellings struct {
	key func(name string) string
	// byKey has the name of each key, and first that of each name that was read.
	byKey, first map[string]string
}

func newSpellings(key func(name string) string) *spellings {
	if key == nil {
		key = func(name string) string { return name }
	}
	return &spellings{key: key, byKey: map[string]string{}, first: map[string]string{}}
}

// unify returns sources with their first names. It returns false if two names of one source have
// different commits. It does not change the sources.
func (s *spellings) unify(sources Sources) (Sources, bool) {
	var others []string
	for name := range sources {
		if s.first[name] != name {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return sources, true
	}
	slices.Sort(others)
	for _, name := range others {
		key := s.key(name)
		if s.byKey[key] == "" {
			s.byKey[key] = name
		}
		s.first[name] = s.byKey[key]
	}
	unified := Sources{}
	for name, commit := range sources {
		first := s.first[name]
		if other, again := unified[first]; again && other != commit {
			return nil, false
		}
		unified[first] = commit
	}
	return unified, true
}

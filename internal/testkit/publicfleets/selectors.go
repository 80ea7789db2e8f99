// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// selector is a label selector as these repositories write it: without quotes around some values.
type selector struct {
	MatchLabels      map[string]any `json:"matchLabels,omitempty"`
	MatchExpressions []struct {
		Key      string `json:"key"`
		Operator string `json:"operator"`
		Values   []any  `json:"values,omitempty"`
	} `json:"matchExpressions,omitempty"`
	// MatchLabelsApplyMode may be OR: any of the labels is enough.
	MatchLabelsApplyMode string `json:"matchLabelsApplyMode,omitempty"`
}

// uses returns the keys of a selector, with their operators.
func (of selector) uses() []string {
	uses := slices.Sorted(maps.Keys(of.MatchLabels))
	for _, e := range of.MatchExpressions {
		uses = append(uses, e.Key+" "+e.Operator)
	}
	return uses
}

// selectors translates the selectors by which a repository sends configuration to OpenShift clusters:
// a selector that uses a key in a new way becomes a policy. The repository does
// not contain clusters, so the cluster types have labels that the selectors ask for.
func selectors(s *sample, checkouts []fs.FS) error {
	if err := s.addTemplates(); err != nil {
		return err
	}
	values := map[string][]string{} // of each key
	known := map[string]bool{}
	policies := 0
	err := fs.WalkDir(checkouts[0], "deploy", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Base(file) != "config.yaml" {
			return err
		}
		var config struct{ SelectorSyncSet *selector }
		if read(checkouts[0], file, &config) != nil || config.SelectorSyncSet == nil {
			return nil //nolint:nilerr // some files of this name are another tool's
		}
		uses := config.SelectorSyncSet.uses()
		if !slices.ContainsFunc(uses, func(use string) bool { return !known[use] }) {
			return nil
		}
		for _, use := range uses {
			known[use] = true
		}
		for _, one := range s.replaced(*config.SelectorSyncSet, values) {
			policies++
			if err := s.add("SchedulingPolicy", fmt.Sprintf("policy-%d", policies), nil, object{
				"deploymentTargetSelector": object{}, "clusterTypeSelector": object{"labelSelector": one},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.add("Workload", "config", nil, object{"deploymentTargets": []any{object{"name": "all"}}}); err != nil {
		return err
	}
	const clusterTypes = 6
	for i := range clusterTypes {
		labels := map[string]string{}
		for k, key := range slices.Sorted(maps.Keys(values)) {
			options := slices.Compact(slices.Sorted(slices.Values(values[key])))
			if chosen := (i*(k+3) + k) % (len(options) + 1); chosen < len(options) {
				labels[key] = options[chosen]
			}
		}
		if err := s.addClusterType(fmt.Sprintf("cluster-%d", i+1), labels); err != nil {
			return err
		}
	}
	return nil
}

// mostValues is how many values of an expression the sample has.
const mostValues = 2

// replaced returns the selectors that a selector stands for, with other names, and collects the values
// of each key.
func (s *sample) replaced(of selector, values map[string][]string) []object {
	word := func(key string, value any) string {
		name := s.name("value", fmt.Sprint(value))
		values[key] = append(values[key], name)
		return name
	}
	labels := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(of.MatchLabels)) {
		replaced := s.key(key)
		labels[replaced] = word(replaced, of.MatchLabels[key])
	}
	var expressions []any
	for _, e := range of.MatchExpressions {
		key := s.key(e.Key)
		expression := object{"key": key, "operator": e.Operator}
		var words []string
		for _, value := range e.Values[:min(len(e.Values), mostValues)] {
			words = append(words, word(key, value))
		}
		if len(words) > 0 {
			expression["values"] = words
		}
		expressions = append(expressions, expression)
	}
	if of.MatchLabelsApplyMode != "OR" {
		return []object{selectorOf(labels, expressions)}
	}
	var all []object
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, selectorOf(map[string]string{key: labels[key]}, expressions))
	}
	return all
}

func selectorOf(labels map[string]string, expressions []any) object {
	one := object{}
	if len(labels) > 0 {
		one["matchLabels"] = labels
	}
	if len(expressions) > 0 {
		one["matchExpressions"] = expressions
	}
	return one
}

// key replaces the key of a label, and keeps whether it has a prefix.
func (s *sample) key(original string) string {
	prefix, name, hasPrefix := strings.Cut(original, "/")
	if !hasPrefix {
		return s.name("key", original)
	}
	return s.name("team", prefix) + ".example/" + s.name("key", name)
}

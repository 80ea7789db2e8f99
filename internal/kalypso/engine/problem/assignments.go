// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// whole returns what happened, and for which assignment.
func (p Problem) whole() string { return p.Detail + shownBy([]Problem{p}) }

// Together returns the list with those problems as one that differ in nothing but their
// assignments: what is wrong in a template is so for all that use it.
func (l List) Together() List {
	var all List
	first := map[Problem]int{}
	shown := map[int][]Problem{}
	for _, p := range l {
		same := p
		same.Assignment, same.Source = "", ""
		i, known := first[same]
		if !known || p.Assignment == "" {
			i = len(all)
			first[same] = i
			all = append(all, same)
		}
		shown[i] = append(shown[i], p)
	}
	for i, problems := range shown {
		all[i].Detail += shownBy(problems)
	}
	return all
}

// maxListed is how many assignments a problem lists by name.
const maxListed = 5

// shownBy ends a text with the assignments that show the same problem, or the first of them,
// and the places of their deployment targets in the input.
func shownBy(same []Problem) string {
	var keys, sources []string
	for _, p := range same {
		keys, sources = append(keys, p.Assignment), append(sources, p.Source)
	}
	return named(keys, " Assignment: ", " %d assignments: ") + named(sources, " Deployment target: ", " Deployment targets: ")
}

// named lists names, which may be empty, behind words for one of them or for many.
func named(names []string, one, many string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	sorted = slices.DeleteFunc(sorted, func(name string) bool { return name == "" })
	switch len(sorted) {
	case 0:
		return ""
	case 1:
		return one + sorted[0] + "."
	}
	return strings.Replace(many, "%d", strconv.Itoa(len(sorted)), 1) + wording.First(sorted, maxListed) + "."
}

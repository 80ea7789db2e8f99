// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// whole returns what happened, and for which assignment.
func (p Problem) whole() string {
	if p.Assignment == "" {
		return p.Detail
	}
	return p.Detail + " " + Assignments([]string{p.Assignment})
}

// Together returns the list with those problems as one that differ in nothing but their
// assignments: what is wrong in a template is so for all that use it.
func (l List) Together() List {
	var all List
	first := map[Problem]int{}
	shown := map[int][]string{}
	for _, p := range l {
		same := p
		same.Assignment = ""
		i, known := first[same]
		if !known || p.Assignment == "" {
			i = len(all)
			first[same] = i
			all = append(all, same)
		}
		if p.Assignment != "" {
			shown[i] = append(shown[i], p.Assignment)
		}
	}
	for i, assignments := range shown {
		all[i].Detail += " " + Assignments(assignments)
	}
	return all
}

// maxListed is how many assignments a problem lists by name.
const maxListed = 5

// Assignments is the sentence that names assignments, or the first of them.
func Assignments(keys []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(keys)))
	if len(sorted) == 1 {
		return "Assignment: " + sorted[0] + "."
	}
	return fmt.Sprintf("%d assignments: %s.", len(sorted), wording.First(sorted, maxListed))
}

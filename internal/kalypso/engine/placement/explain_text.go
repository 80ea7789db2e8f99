// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"fmt"
	"strings"
)

// Text returns the explanation of a pair as lines for a person: the answer, then each
// policy with its requirements.
func (e *Explanation) Text(target, clusterType string) string {
	var b strings.Builder
	answer := "is not placed on cluster type " + clusterType
	if e.Placed {
		answer = fmt.Sprintf("is placed on cluster type %s by %s", clusterType, strings.Join(e.Policies, ", "))
	}
	fmt.Fprintf(&b, "Deployment target %s %s.\n", target, answer)
	for _, s := range e.Steps {
		found := s.Found
		switch {
		case s.Policy == "":
			fmt.Fprintf(&b, "- wanted: %s; found: %s\n", s.Requirement, found)
			continue
		case s.Stage == StagePolicy:
			fmt.Fprintf(&b, "- policy %s %s\n", s.Policy, found)
			continue
		case s.Holds && strings.HasSuffix(s.Requirement, " = "+found):
			found = ""
		}
		mark := "no "
		if s.Holds {
			mark = "yes"
		}
		if found != "" {
			found = ", found " + found
		}
		fmt.Fprintf(&b, "    %s %s%s\n", mark, s.Requirement, found)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

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
		switch {
		case s.Policy == "":
			fmt.Fprintf(&b, "- wanted: %s; found: %s\n", s.Requirement, s.Found)
		case s.Stage == StagePolicy:
			fmt.Fprintf(&b, "- policy %s %s\n", s.Policy, s.Found)
		default:
			fmt.Fprintf(&b, "    %s\n", s.text())
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sides name the half of a pair that a requirement is about.
var sides = map[Stage]string{StageDeploymentTarget: "deployment target: ", StageClusterType: "cluster type: "}

// text returns a requirement as a line for a person. It leaves out the actual value if the
// requirement already says it.
func (s Step) text() string {
	text := "no  "
	if s.Holds {
		text = "yes "
	}
	text += sides[s.Stage] + s.Requirement
	if s.Found == "" || s.Holds && strings.HasSuffix(s.Requirement, " = "+s.Found) {
		return text
	}
	return text + ", found " + s.Found
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Problems that differ in their assignments alone are one, in whatever order they come.
func TestTogether(t *testing.T) {
	t.Parallel()
	failed := func(detail, assignment string) problem.Problem {
		return problem.Problem{Summary: "Template failed", Subject: "Template/x", Detail: detail, Assignment: assignment}
	}
	var list problem.List
	for i := range 7 {
		list.Add(failed("No field.", fmt.Sprintf("edge/%d", 6-i)))
	}
	list.Add(failed("No function.", "edge/3"))
	list.Add(problem.Problem{Summary: "Missing template", Detail: "It is missing."})
	list.Add(problem.Problem{Summary: "Missing template", Detail: "It is missing."})
	want := problem.List{
		{Summary: "Missing template", Detail: "It is missing."},
		{Summary: "Template failed", Subject: "Template/x",
			Detail: "No field. 7 assignments: edge/0, edge/1, edge/2, edge/3, edge/4 and 2 more."},
		{Summary: "Template failed", Subject: "Template/x", Detail: "No function. Assignment: edge/3."},
	}
	if diff := cmp.Diff(want, list.Together().Err()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := failed("No field.", "edge/0").Text(), "Template/x: No field. Assignment: edge/0."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

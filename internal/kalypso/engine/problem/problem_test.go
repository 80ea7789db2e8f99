// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

func TestProblemReadsAsALine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		problem problem.Problem
		want    string
	}{
		"all known": {
			problem.Problem{Summary: "Unknown field", Subject: "ClusterType/large", Where: "manifests[2], line 14", Detail: "Remove it."},
			"Unknown field in ClusterType/large (manifests[2], line 14): Remove it.",
		},
		"no subject": {problem.Problem{Summary: "Invalid YAML", Where: "fleet.yaml", Detail: "Fix it."}, "Invalid YAML (fleet.yaml): Fix it."},
		"no place": {problem.Problem{Summary: "Missing template", Subject: "ClusterType/x", Detail: "Add it."},
			"Missing template in ClusterType/x: Add it."},
		"only words": {problem.Problem{Summary: "Wrong", Detail: "It is."}, "Wrong: It is."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.problem.Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEmptyListIsNoError(t *testing.T) {
	t.Parallel()
	var l problem.List
	if err := l.Err(); err != nil {
		t.Errorf("Err gave %v", err)
	}
	l.AddErr("Never", nil)
	if err := l.Err(); err != nil {
		t.Errorf("Err gave %v after a nil error was added", err)
	}
}

func TestErrSortsAndKeepsEachProblemOnce(t *testing.T) {
	t.Parallel()
	a, b, c := problem.Problem{Summary: "A", Detail: "x"}, problem.Problem{Summary: "B", Detail: "x"},
		problem.Problem{Summary: "C", Detail: "x"}
	l := problem.List{c, a, b, a}
	err := l.Err()
	var got problem.List
	if !errors.As(err, &got) {
		t.Fatalf("Err gave %T, want a List", err)
	}
	if diff := cmp.Diff(problem.List{a, b, c}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("A: x\nB: x\nC: x", err.Error()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(problem.List{c, a, b, a}, l); diff != "" {
		t.Errorf("Err changed the list itself (-want +got):\n%s", diff)
	}
}

func TestAddErrTakesOverWhatItKnows(t *testing.T) {
	t.Parallel()
	a, b, c := problem.Problem{Summary: "A"}, problem.Problem{Summary: "B"}, problem.Problem{Summary: "C"}
	var l problem.List
	l.AddErr("Many", fmt.Errorf("wrapped: %w", problem.List{a, b}.Err()))
	l.AddErr("One", fmt.Errorf("wrapped: %w", c))
	l.AddErr("Other", errors.New("broken"))
	want := problem.List{a, b, c, {Summary: "Other", Detail: "broken"}}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

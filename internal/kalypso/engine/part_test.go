// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// Parts of a fleet are the same as the whole, cluster type by cluster type. Placement is
// that of the whole, and the promoted commit's file belongs to no cluster type.
func TestComputeInParts(t *testing.T) {
	t.Parallel()
	in := input(fleetgen.Large(100))
	in.PromotedCommit = "c1"
	whole, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(whole.Folders))
	for _, wanted := range [][]string{{}, names[:1], {names[2], "unknown", names[1], names[2]}, names} {
		in.ClusterTypes = wanted
		part, err := engine.Compute(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var others []string
		for _, name := range names {
			is, was := part.Folders[name], whole.Folders[name]
			if !slices.Contains(wanted, name) {
				others = append(others, name)
			}
			if written := is != nil; written != slices.Contains(wanted, name) || written && is.ID != was.ID {
				t.Errorf("of %v, %s is written: %t", wanted, name, written)
			}
		}
		if diff := cmp.Diff(others, part.Others); diff != "" {
			t.Errorf("others of %v (-want +got):\n%s", wanted, diff)
		}
		if len(part.Placement.Assignments) != 100 || part.FilesBeside != nil || part.Fleet.PromotedCommit != in.PromotedCommit {
			t.Errorf("of %v: %d assignments, files %v, at %q", wanted, len(part.Placement.Assignments), part.FilesBeside, part.Fleet.PromotedCommit)
		}
	}
}

// An error in a cluster type does not prevent the writing of another one.
func TestComputeBesideWhatIsWrong(t *testing.T) {
	t.Parallel()
	in := input(append(fleetgen.Large(10), `apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: broken}
spec: {reconciler: missing, namespaceService: missing}
`, `apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: everything}
spec: {deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
`))
	if _, err := engine.Compute(t.Context(), in); err == nil {
		t.Error("nothing is wrong with it")
	}
	in.ClusterTypes = []string{}
	if _, err := engine.Compute(t.Context(), in); err != nil {
		t.Error(err)
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen_test

import (
	"fmt"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// TestShapes computes a fleet of every shape: sound, and as large as it was asked for.
func TestShapes(t *testing.T) {
	t.Parallel()
	const assignments, filesPerAssignment = 100, 3
	for _, shape := range fleetgen.Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			in := engine.Input{Environment: fleetgen.Environment}
			for i, text := range fleetgen.LargeOf(shape, assignments) {
				in.Manifests = append(in.Manifests, manifest.Text{Name: fmt.Sprintf("manifests[%d]", i), Text: text})
			}
			result, err := engine.Compute(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(result.Placement.Assignments); n != assignments {
				t.Errorf("%d assignments, want %d", n, assignments)
			}
			if n := len(result.Files()) - len(result.Folders); n != assignments*filesPerAssignment { // each folder has a README
				t.Errorf("%d rendered files, want %d", n, assignments*filesPerAssignment)
			}
			if found, err := result.Findings(t.Context(), nil); err != nil || len(found) > 0 {
				t.Errorf("findings: %v, %v", found, err)
			}
		})
	}
}

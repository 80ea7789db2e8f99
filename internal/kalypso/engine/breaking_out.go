// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// Findings returns what the owner of the fleet may want to know. For a result that was
// placed only, it leaves out the findings that need rendered output. For a large fleet, it
// reads only some of the rendered files, unless everyFile is true. Findings for which
// assignments failed (Input.Reject) are in Failures instead. The error is the end of the
// context.
func (r *Result) Findings(ctx context.Context, everyFile bool) ([]findings.Finding, error) {
	composer := r.composer
	if composer == nil {
		composer = composition.New(r.Fleet)
	}
	found := findings.Find(ctx, findings.Facts{Fleet: r.Fleet, Placement: r.Placement, Composer: composer, Folders: r.Folders,
		EveryFile: everyFile})
	found = slices.DeleteFunc(found, func(f findings.Finding) bool { return slices.Contains(r.rejected, f) })
	return found, ended(ctx, r.Fleet.Environment)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// Findings returns what the owner of the fleet may want to know. For a result that was
// placed only, it leaves out the findings that need rendered output. For a large fleet, it
// reads only some of the rendered files, unless everyFile is true.
func (r *Result) Findings(everyFile bool) []findings.Finding {
	composer := r.composer
	if composer == nil {
		composer = composition.New(r.Fleet)
	}
	return findings.Find(findings.Facts{Fleet: r.Fleet, Placement: r.Placement, Composer: composer, Folders: r.Folders, EveryFile: everyFile,
		BreakingOut: r.breakingOut})
}

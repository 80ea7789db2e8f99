// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// maxNotPromoted is how many objects the finding names.
const maxNotPromoted = 10

// ofEnvironment are the kinds whose objects belong to one environment or describe its clusters,
// so nobody promotes them.
var ofEnvironment = []manifest.Kind{manifest.KindEnvironment, manifest.KindGitOpsRepo, manifest.KindBaseRepo, manifest.KindNote,
	manifest.KindManagedCluster, manifest.KindPlacementDecision, manifest.KindAddOnPlacementScore, manifest.KindCustomResourceDefinition}

// notPromoted reports objects without a source, if the platform's other objects come from a
// promoted source. If only workloads come from repositories, the promoted id may be the version
// of the platform's objects in HCL.
func notPromoted(f *fleet.Fleet) []Finding {
	var beside []string
	isPromoted := false
	for _, m := range f.Metadata() {
		switch {
		case slices.Contains(ofEnvironment, m.Kind):
		case m.Source.Origin == "":
			beside = append(beside, m.ID())
		case m.Kind != manifest.KindWorkload:
			isPromoted = isPromoted || strings.Contains(m.Source.Origin, "#") // repo#branch:file
		}
	}
	if f.PromotedCommit == "" || !isPromoted || len(beside) == 0 {
		return nil
	}
	return []Finding{newFinding(NotPromoted, "Environment/"+f.Environment, fmt.Sprintf(
		"The promoted source does not have %s: %s. A change of these objects reaches every environment at once. Put all objects into a "+
			"versioned module, and promote its version as the candidate. Or move them as YAML to the promoted source: first apply hold = true of "+
			"kalypso_gitops_commit in all later environments, because otherwise their next plans remove packages. Remove the hold of an "+
			"environment when the commit with the objects is verified for it.",
		wording.Count(len(beside), "object"), wording.First(beside, maxNotPromoted)))}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package placement

import (
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

// decisions returns the decisions of the fleet's placements, by policies. Selectors that
// cannot be used are reported with their requirements.
func decisions(f *fleet.Fleet) (map[string]*scheduling.Decision, error) {
	if !slices.ContainsFunc(f.Policies, func(p *manifest.SchedulingPolicy) bool { return p.Placement != "" }) {
		return nil, nil
	}
	selected, _, _ := selections(f)
	return decide(f, selected)
}

// decided returns the decision of a placement about a pair, as a requirement, with the
// scores behind it. It returns nothing if the placement was not asked about the cluster
// type.
func decided(f *fleet.Fleet, d *scheduling.Decision, target *fleet.Target, clusterType *manifest.ClusterType) ([]requirement, []Step) {
	if d == nil {
		return nil, nil
	}
	v, candidate := d.Verdict(slices.Index(f.Targets, target), slices.Index(f.ClusterTypes, clusterType))
	if !candidate {
		return nil, nil
	}
	subject := "placement " + d.Name
	r := requirement{
		Step: Step{
			Stage: StagePlacement, Holds: v.Code == scheduling.CodeChosen, Code: StepCode(v.Code),
			Requirement: subject + ": " + v.Asked, Found: v.Found,
		},
		subject: subject, wants: v.Asked,
	}
	var scores []Step
	for _, s := range v.Scores {
		scores = append(scores, Step{
			Stage: StagePlacement, Holds: true, Code: CodeScore,
			Requirement: fmt.Sprintf("%s: score of %s, times %d", subject, s.Name, s.Weight), Found: fmt.Sprint(s.Score),
		})
	}
	return []requirement{r}, scores
}

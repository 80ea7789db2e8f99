// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// maxAsked is how many commits of a release are searched for reports.
const maxAsked = 10

// health fills in the health of an environment and of its packages, if the forge of the
// repository is known and has credentials. For each context, the newest commit with the present
// release that has a report of it counts. It asks about the head, and about earlier ones of the
// commits while a cluster type has no report. A forge that refuses, or whose configuration is
// wrong, is listed as unreadable.
func (r Reader) health(ctx context.Context, at Deployed, e *deployments.Environment, clusterTypes []string, commits []GitOpsCommit) {
	on, err := r.Forges.Repository(ctx, at.Branch.Repo)
	if errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken) {
		return // without a forge, health is not known
	}
	var reports []deployments.Status
	var reported map[string]deployments.Health
	isSilent := func(name string) bool { return reported[name].State == "" }
	for i, c := range commits[:min(len(commits), maxAsked)] {
		if err != nil || i > 0 && !slices.ContainsFunc(clusterTypes, isSilent) || !slices.Equal(at.releases(c), e.Releases) {
			break
		}
		var statuses []forge.Status
		statuses, err = on.Statuses(ctx, c.ID.String())
		for _, s := range statuses {
			if !slices.ContainsFunc(reports, func(newer deployments.Status) bool { return newer.Context == s.Context }) {
				reports = append(reports, deployments.Status{Context: s.Context, Description: s.Description, State: healthStates[s.State]})
			}
		}
		reported = deployments.HealthIn(e.Name, clusterTypes, reports)
	}
	if err != nil {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("Health: %s.", err))
	}
	e.Health = deployments.HealthOf(reports)
	for i := range e.Packages {
		e.Packages[i].Health = reported[e.Packages[i].ClusterType]
	}
}

var healthStates = map[forge.StatusState]deployments.HealthState{
	forge.Success: deployments.Healthy, forge.Failure: deployments.Unhealthy, forge.Pending: deployments.Progressing,
}

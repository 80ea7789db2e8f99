// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// maxAsked is how many commits of a release are searched for reports.
const maxAsked = 10

// health fills in the clusters and the health of an environment, from the given reports and those
// of the repository's forge, if the forge is known and has credentials. For each context, the newest
// commit with the present release that has a report of it counts, and of its reports the latest. It asks about the head, and about
// earlier commits on the line of first parents while a cluster is silent. A forge that refuses, or whose
// configuration is wrong, is listed as unreadable.
func (r Reader) health(ctx context.Context, at Place, e *inventory.Environment, commits []commit) {
	on, err := r.Forges.Repository(ctx, at.Branch.Repo)
	asks := err == nil
	if errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken) {
		err = nil // the given reports are all
	}
	var reports []inventory.Status
	e.Report(at.Expected, nil)
	asked := 0
	for _, c := range slices.Backward(commits) {
		if !c.OnLine {
			continue
		}
		if err != nil || asked == maxAsked || asked > 0 && !e.IsSilent() || !slices.Equal(c.releases(), e.Releases) {
			break
		}
		asked++
		var here []forge.Status
		for _, g := range at.Reports[c.ID.String()] {
			here = append(here, forge.Status{Context: g.Context, State: forge.StatusState(g.State), Time: g.Time})
		}
		if asks {
			var found []forge.Status
			found, err = on.Reports(ctx, c.ID.String())
			here = append(here, found...)
		}
		slices.SortStableFunc(here, func(a, b forge.Status) int { return b.Time.Compare(a.Time) })
		for _, s := range here {
			if !slices.ContainsFunc(reports, func(newer inventory.Status) bool { return newer.Context == s.Context }) {
				reports = append(reports, inventory.Status{Context: s.Context, Description: s.Description, State: inventory.HealthState(s.State)})
			}
		}
		e.Report(at.Expected, reports)
	}
	if err != nil {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("Health: %s.", err))
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// parallelReports is how many commits are asked about at a time.
const parallelReports = 8

// health fills in the health of an environment and of its packages, where the forge of its
// repository is known and there are credentials for it. Where nothing is reported on the
// head, the commits that gave packages their content are asked about. A forge that refuses
// is told as unreadable.
func (r Reader) health(ctx context.Context, repo string, e *deployments.Environment) {
	on, err := r.Forges.Repository(ctx, repo)
	if err != nil {
		return // no forge, or no token
	}
	reported := map[string]deployments.Health{}
	if e.Health, err = healthOf(ctx, on, e.Head); err == nil && e.Health.State == "" {
		reported, err = healths(ctx, on, e.Packages)
	}
	if err != nil {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("Health: %s.", err))
	}
	for i := range e.Packages {
		p := &e.Packages[i]
		if p.Health = e.Health; p.Health.State == "" {
			p.Health = reported[p.Changed.Commit]
		}
	}
}

// healths returns what is reported on the commits that gave packages their content, by
// these. After an error, it is what was known before.
func healths(ctx context.Context, on *forge.Repository, packages []deployments.Package) (map[string]deployments.Health, error) {
	var mu sync.Mutex
	reported := map[string]deployments.Health{}
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(parallelReports)
	asked := map[string]bool{"": true} // older than what was read
	for _, p := range packages {
		commit := p.Changed.Commit
		if asked[commit] {
			continue
		}
		asked[commit] = true
		workers.Go(func() error {
			health, err := healthOf(ctx, on, commit)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			reported[commit] = health
			return nil
		})
	}
	return reported, workers.Wait()
}

// healthOf returns what is reported on a commit.
func healthOf(ctx context.Context, on *forge.Repository, commit string) (deployments.Health, error) {
	statuses, err := on.Statuses(ctx, commit)
	if err != nil {
		return deployments.Health{}, err
	}
	reports := make([]deployments.Report, len(statuses))
	for i, s := range statuses {
		reports[i] = deployments.Report{Context: s.Context, Description: s.Description, State: healthStates[s.State]}
	}
	return deployments.HealthOf(reports), nil
}

var healthStates = map[forge.StatusState]deployments.HealthState{
	forge.Success: deployments.Healthy, forge.Failure: deployments.Unhealthy, forge.Pending: deployments.Progressing,
}

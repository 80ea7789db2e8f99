// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// parallelReports is how many commits are read from the forge at the same time.
const parallelReports = 8

// health fills in the health of an environment and of its packages, if the forge of the
// repository is known and has credentials. If the head has no report about the cluster type of
// a package, the reports on the commit of the package's content count. A forge that refuses,
// or whose configuration is wrong, is listed as unreadable.
func (r Reader) health(ctx context.Context, repo string, e *deployments.Environment, clusterTypes []string) {
	on, err := r.Forges.Repository(ctx, repo)
	if errors.Is(err, forge.ErrNoForge) || errors.Is(err, forge.ErrNoToken) {
		return // without a forge, health is not known
	}
	if err != nil {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("Health: %s.", err))
		return
	}
	reports, err := reportsOn(ctx, on, e.Head)
	e.Health = deployments.HealthOf(reports)
	reported := deployments.HealthIn(e.Name, clusterTypes, reports)
	silent := map[string]bool{}
	for i := range e.Packages {
		p := &e.Packages[i]
		if p.Health = reported[p.ClusterType]; p.State == "" && p.Changed != nil && p.Changed.Commit != e.Head {
			silent[p.Changed.Commit] = true
		}
	}
	earlier := map[string]map[string]deployments.Health{}
	if err == nil {
		var all map[string][]deployments.Report
		all, err = reportsOnAll(ctx, on, silent)
		for commit, reports := range all {
			earlier[commit] = deployments.HealthIn(e.Name, clusterTypes, reports)
		}
	}
	if err != nil {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("Health: %s.", err))
	}
	for i := range e.Packages {
		if p := &e.Packages[i]; p.State == "" && p.Changed != nil {
			p.Health = earlier[p.Changed.Commit][p.ClusterType]
		}
	}
}

// reportsOnAll returns the reports on commits, by commit. After an error, it returns the
// reports until then.
func reportsOnAll(ctx context.Context, on *forge.Repository, commits map[string]bool) (map[string][]deployments.Report, error) {
	var mu sync.Mutex
	reported := map[string][]deployments.Report{}
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(parallelReports)
	for commit := range commits {
		workers.Go(func() error {
			reports, err := reportsOn(ctx, on, commit)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			reported[commit] = reports
			return nil
		})
	}
	return reported, workers.Wait()
}

func reportsOn(ctx context.Context, on *forge.Repository, commit string) ([]deployments.Report, error) {
	statuses, err := on.Statuses(ctx, commit)
	if err != nil {
		return nil, err
	}
	reports := make([]deployments.Report, len(statuses))
	for i, s := range statuses {
		reports[i] = deployments.Report{Context: s.Context, Description: s.Description, State: healthStates[s.State]}
	}
	return reports, nil
}

var healthStates = map[forge.StatusState]deployments.HealthState{
	forge.Success: deployments.Healthy, forge.Failure: deployments.Unhealthy, forge.Pending: deployments.Progressing,
}

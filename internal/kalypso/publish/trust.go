// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Every operation first says whose hosts get the credentials from environment variables:
// the hosts that a person has written down, and not those that a GitOpsRepo names.

// trusting returns the context of an operation for the settings' own repo.
func (s *Settings) trusting(ctx context.Context) context.Context {
	if !s.Repo.Given {
		return ctx
	}
	return remote.Trusting(ctx, s.Repo.Value)
}

// givenRepo is the part of Inventory.Given that stands for repo.
const givenRepo = "repo"

func hasGivenRepo(inv *ownership.Inventory) bool {
	return slices.Contains(strings.Split(inv.Given, ","), givenRepo)
}

// givesRepo reports whether repo is given but was not given at the job's last apply. This
// changes the hosts that later operations trust, and an apply notes it.
func (job Job) givesRepo() bool {
	return job.Was != nil && job.Repo.Given && !hasGivenRepo(job.Inventory)
}

// trustingApplied returns the context of an operation for the place of an inventory, if
// its repo was given when it was applied.
func trustingApplied(ctx context.Context, inv *ownership.Inventory) context.Context {
	if !hasGivenRepo(inv) {
		return ctx
	}
	return remote.Trusting(ctx, inv.Location.Repo)
}

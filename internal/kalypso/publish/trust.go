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

// Every operation first names the hosts that get the credentials from environment variables:
// hosts from the configuration, and not hosts that only a GitOpsRepo names.

// trusting returns the context of an operation for the settings' repo.
func (s *Settings) trusting(ctx context.Context) context.Context {
	if !s.Repo.Given {
		return ctx
	}
	return remote.Trusting(ctx, s.Repo.Value)
}

// givenRepo is the text for repo in Inventory.Given.
const givenRepo = "repo"

func hasGivenRepo(inv *ownership.Inventory) bool {
	return slices.Contains(strings.Split(inv.Given, ","), givenRepo)
}

// givesRepo reports whether repo is set but was not set at the job's last apply. This changes
// the hosts that later operations trust, so an apply notes it.
func (job Job) givesRepo() bool {
	return job.Was != nil && job.Repo.Given && !hasGivenRepo(job.Inventory)
}

// trustingApplied returns the context of an operation for the place of an inventory, if repo
// was set at the last apply.
func trustingApplied(ctx context.Context, inv *ownership.Inventory) context.Context {
	if !hasGivenRepo(inv) {
		return ctx
	}
	return remote.Trusting(ctx, inv.Location.Repo)
}

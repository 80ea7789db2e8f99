// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
)

// Reports returns what was reported on the commits of a repository, as its forge has it.
// It connects to nothing yet. Errors: the forge is not known, or has no credentials.
func (r Reader) Reports(ctx context.Context, repo string) (promotion.Reports, error) {
	on, err := r.Forges.Repository(ctx, repo)
	if err != nil {
		return nil, err
	}
	return func(commit string) ([]promotion.Report, error) {
		statuses, err := on.Reports(ctx, commit)
		if err != nil {
			return nil, err
		}
		reports := make([]promotion.Report, len(statuses))
		for i, s := range statuses {
			reports[i] = promotion.Report{
				Context: s.Context, Suite: s.Suite, Outcome: outcomes[s.State], Description: s.Description,
				Creator: s.Creator, Time: s.Time, Number: int64(len(statuses) - i), // the newest comes first
			}
		}
		return reports, nil
	}, nil
}

var outcomes = map[forge.StatusState]promotion.Conclusion{
	forge.Success: promotion.Success, forge.Failure: promotion.Failure, forge.Pending: promotion.Pending,
}

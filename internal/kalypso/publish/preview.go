// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"maps"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// bothSides returns what is there and what the result is, by keys that both have: packages,
// or cluster types where what is there is keyed by something else than detail.
func bothSides(
	decision ownership.Decision, inv *ownership.Inventory, result *engine.Result, detail engine.Detail,
) (before, after engine.Digests, keyed engine.Detail) {
	before = engine.Digests{}
	switch {
	case inv.IsNew(), decision.Moves: // nothing of ours is there yet
	case inv.Detail != detail:
		// What is there is keyed differently; cluster types are comparable in any case.
		detail, before = engine.DetailClusterType, inv.ClusterTypes()
	default:
		before = maps.Clone(inv.Packages)
	}
	if !decision.Moves {
		for _, path := range decision.Released {
			before.RemoveFolder(ownership.KeyOf(inv.Location, path))
		}
	}
	return before, result.Digests(detail), detail
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// Edge is the placement of a deployment target on a cluster type.
type Edge struct {
	Target, ClusterType string
	Kind                ChangeKind
}

// picture draws the placements that change. There is none without edges or with too many.
func (d Description) picture() block {
	edges := slices.SortedStableFunc(slices.Values(d.Edges), func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.ClusterType, b.ClusterType))
	})
	var drawing markdown.Flowchart
	for _, edge := range edges {
		drawing.Edge(edge.Target, edge.ClusterType, string(edge.Kind), edge.Kind == Removed)
	}
	if drawing.Empty() {
		return block{}
	}
	return block{head: "### Placements\n", rows: drawing.Lines(), whole: true}
}

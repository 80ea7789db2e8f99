// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"
)

// Kalypso's own flow, row by row.
func TestAccPromotion_flow(t *testing.T) {
	t.Parallel()
	acceptance(t)
	all := map[string]promoting{}
	first := newChain(t)
	first.commits("c1", "c2")
	all["a commit of main goes to the first environment"] = promoting{chain: first, attributes: first.to("dev"), want: "promote c2 from -: c2 verified"}
	expectPromotions(t, all)
}

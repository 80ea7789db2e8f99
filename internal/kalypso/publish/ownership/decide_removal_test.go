// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// What leaves the fleet, and a destroy: each removal, and whose it is then.
func TestDecideAboutRemovals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]decided{
		"removal: a folder is emptied, and no longer recorded": {
			removing(updating(one, ""), ownership.Empty), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "is emptied", ours: "dev fleet [large]"},
		},
		"removal: deleted": {
			removing(updating(one, ""), ownership.Delete), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "goes", ours: "dev fleet [large]"},
		},
		"removal: retained, it stays in the record": {
			removing(updating(one, ""), ownership.Retain), appliedByUs(two),
			map[string]string{large: kept, small: "is kept"},
		},
		"removal: forbidden": {
			removing(updating(one, ""), ownership.Forbid), appliedByUs(two),
			map[string]string{large: kept, small: "must stay"},
		},
		"removal: what is gone already cannot be kept": {
			removing(updating(one, ""), ownership.Forbid), appliedByUs(map[string]string{"large": "l", "small": ""}),
			map[string]string{large: kept, small: kept},
		},
		"in the fleet, and no longer named: it stays, and stays in the record": {
			leaving(removing(updating(one, ""), ownership.Empty), small), appliedByUs(two),
			map[string]string{large: kept, small: "is kept"},
		},
		"in the fleet, and no longer named: whatever is forbidden": {
			leaving(removing(updating(one, ""), ownership.Forbid), small), appliedByUs(two),
			map[string]string{large: kept, small: "is kept"},
		},
		"in the fleet, and no longer named: a record that was lost comes back with it": {
			leaving(removing(updating(map[string]string{"large": "new"}, ""), ownership.Delete), small), unrecorded(appliedByUs(two)),
			map[string]string{"": "changes", large: "changes", small: "is kept", ours: recorded},
		},
		"in the fleet, and no longer named: what drifted without a record is left": {
			leaving(removing(updating(map[string]string{"large": "new"}, ""), ownership.Delete), small),
			changed(unrecorded(appliedByUs(two)), func(inv *ownership.Inventory) {
				inv.Applied = objects(map[string]string{"large": "l", "small": "before"})
			}),
			map[string]string{"": "changes", large: "changes", small: "is left", ours: "dev fleet [large]"},
		},
		"in the fleet, and no longer named: taken over by another one": {
			leaving(removing(updating(one, ""), ownership.Empty), small), besides(besides(appliedByUs(two), us, claims("fleet", "large")), them,
				claims("fleet", "small")),
			map[string]string{large: kept, small: "is left"},
		},
		"in the fleet, and no longer named: with nothing that is ours": {
			leaving(removing(updating(nil, ""), ownership.Delete), small), appliedByUs(two),
			map[string]string{"": "changes", large: "goes", small: "is kept", ours: "dev fleet [small]"},
		},
		"kept before, it stays in the record": {
			updating(two, ""), besides(appliedByUs(one), us, claims("fleet", "large", "medium")),
			map[string]string{"": "changes", large: kept, small: comes, "fleet/medium": "is kept", ours: "dev fleet [large medium small]"},
		},
		"kept before, until nothing is left of it": {
			updating(two, ""), emptied(besides(appliedByUs(one), us, claims("fleet", "gone", "large")), "fleet/gone"),
			map[string]string{"": "changes", large: kept, small: comes, ours: recorded},
		},
		"kept before, until another record lists it, too": {
			updating(two, ""), besides(besides(appliedByUs(one), us, claims("fleet", "large", "medium")), them, claims("fleet", "medium")),
			map[string]string{"": "changes", large: kept, small: comes, ours: recorded},
		},
		"kept before, it stays when it leaves the fleet: the last apply did not name it": {
			removing(updating(one, ""), ownership.Delete), besides(appliedByUs(one), us, claims("fleet", "large", "medium")),
			map[string]string{large: kept, "fleet/medium": "is kept"},
		},
		"kept before, and named again": {
			updating(two, ""), besides(appliedByUs(one), us, claims("fleet", "large", "small")),
			map[string]string{"": "changes", large: kept, small: comes + whatever},
		},
		"removal: what another record lists is theirs, by whatever removal": {
			removing(updating(one, ""), ownership.Forbid), besides(besides(appliedByUs(two), us, claims("fleet", "large")), them,
				of("prod", claims("fleet", "small"))),
			map[string]string{large: kept, small: "is left"},
		},
		"removal: what two records list is doubled": {
			removing(updating(one, ""), ownership.Delete), besides(appliedByUs(two), them, claims("fleet", "small")),
			map[string]string{large: kept, small: ", doubled by aa, doubled by bb"},
		},
		"removal: a file is deleted in any case": {
			removing(updating(one, ""), ownership.Retain), func() *ownership.Inventory {
				inv := appliedByUs(one)
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{"": "changes", large: kept, tracking: "goes"},
		},
		"removal: but not one that somebody else writes": {
			removing(updating(one, ""), ownership.Delete), func() *ownership.Inventory {
				inv := besides(appliedByUs(one), them, of("stage", at("c1", claims("stage", "large"))))
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{large: kept, tracking: "is left"},
		},
		"removal: an emptied folder is left alone": {
			removing(updating(one, ""), ownership.Delete), emptied(appliedByUs(map[string]string{"large": "l", "small": ""}), small),
			map[string]string{large: kept},
		},

		"destroy: everything goes, and the record": {
			removing(updating(nil, ""), ownership.Delete), appliedByUs(two),
			map[string]string{"": "changes", large: "goes", small: "goes", ours: "goes"},
		},
		"destroy: what is retained stays in the record": {
			removing(updating(nil, ""), ownership.Retain), appliedByUs(two),
			map[string]string{large: "is kept", small: "is kept"},
		},
		"destroy: what is retained keeps its release in the record": {
			removing(reading(updating(nil, ""), "a"), ownership.Retain), besides(appliedByUs(two), us, from("b", claims("fleet", "large", "small"))),
			map[string]string{large: "is kept", small: "is kept"},
		},
		"destroy: and comes into it, where there is none": {
			removing(updating(nil, ""), ownership.Retain), unrecorded(appliedByUs(two)),
			map[string]string{large: "is kept", small: "is kept", ours: recorded},
		},
		"destroy: what no configuration named stays": {
			removing(updating(nil, ""), ownership.Delete), besides(appliedByUs(one), us, claims("fleet", "large", "medium")),
			map[string]string{"": "changes", large: "goes", "fleet/medium": "is kept", ours: "dev fleet [medium]"},
		},
		"destroy: forbidden": {
			removing(updating(nil, ""), ownership.Forbid), appliedByUs(one),
			map[string]string{large: "must stay", ours: "goes"},
		},
		"destroy: what was taken over stays, and so does its record": {
			removing(updating(nil, ""), ownership.Delete), besides(unrecorded(appliedByUs(two)), them, claims("fleet", "large", "small")),
			map[string]string{large: "is left", small: "is left"},
		},
		"destroy: what was taken over in part": {
			removing(updating(nil, ""), ownership.Delete), besides(besides(appliedByUs(two), us, claims("fleet", "small")), them,
				claims("fleet", "large")),
			map[string]string{"": "changes", large: "is left", small: "goes", ours: "goes"},
		},
		"destroy: the promoted commit's file stays with the resource that took it over": {
			removing(updating(nil, ""), ownership.Delete), func() *ownership.Inventory {
				inv := besides(unrecorded(appliedByUs(one)), them, at("c2", claims("fleet", "large")))
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{large: "is left", tracking: "is left"},
		},
		"destroy: a record of ours at another place of the branch stays": {
			removing(updating(nil, ""), ownership.Delete), besides(appliedByUs(one), us, claims("new", "large")),
			map[string]string{"": "changes", large: "goes"},
		},
		"destroy: we go on elsewhere": {
			func() ownership.Desired {
				d := removing(updating(nil, ""), ownership.Delete)
				d.GoesOn = true
				return d
			}(), appliedByUs(one),
			map[string]string{"": "changes", large: "goes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

// leaving is what somebody wants who no longer names folders of the fleet.
func leaving(d ownership.Desired, paths ...string) ownership.Desired {
	d.Leave = paths
	return d
}

// changed has something changed in an inventory.
func changed(inv *ownership.Inventory, change func(*ownership.Inventory)) *ownership.Inventory {
	change(inv)
	return inv
}

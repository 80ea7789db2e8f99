// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// What leaves the fleet, and a destroy: each removal, and whose it is then.
func TestDecideAboutRemovals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]decided{
		"removal: a folder is emptied, and no longer recorded": {
			removing(updating(one, ""), publish.Empty), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "is emptied", ours: "dev fleet [large]"},
		},
		"removal: deleted": {
			removing(updating(one, ""), publish.Delete), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "goes", ours: "dev fleet [large]"},
		},
		"removal: retained, it is no longer recorded": {
			removing(updating(one, ""), publish.Retain), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "is released", ours: "dev fleet [large]"},
		},
		"removal: proposed, the record follows with the next change": {
			func() publish.Desired {
				d := removing(updating(one, ""), publish.Retain)
				d.Propose = true
				return d
			}(), appliedByUs(two),
			map[string]string{large: kept, small: "is released"},
		},
		"removal: forbidden": {
			removing(updating(one, ""), publish.Forbid), appliedByUs(two),
			map[string]string{large: kept, small: "must stay"},
		},
		"removal: what is gone already cannot be kept": {
			removing(updating(one, ""), publish.Forbid), appliedByUs(map[string]string{"large": "l", "small": ""}),
			map[string]string{large: kept, small: kept},
		},
		"removal: left to others, it is offered to them": {
			leaving(removing(updating(one, ""), publish.Empty), small), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "is released", ours: "dev fleet [large], offers [small]"},
		},
		"removal: left to others, whatever is forbidden": {
			leaving(removing(updating(one, ""), publish.Forbid), small), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: "is released", ours: "dev fleet [large], offers [small]"},
		},
		"removal: left to others, and taken over by one": {
			leaving(removing(updating(one, ""), publish.Empty), small), besides(appliedByUs(two), them, claims("fleet", "small")),
			map[string]string{"": "changes", large: kept, small: "is released", ours: "dev fleet [large]"},
		},
		"removal: left to others, with nothing that is ours": {
			leaving(removing(updating(nil, ""), publish.Delete), small), appliedByUs(two),
			map[string]string{"": "changes", large: "goes", small: "is released", ours: "dev fleet [], offers [small]"},
		},
		"removal: what was offered before stays offered": {
			leaving(updating(two, ""), "fleet/medium"), offering(appliedByUs(one), us, "medium", "elsewhere"),
			map[string]string{"": "changes", large: kept, small: comes, ours: "dev fleet [large small], offers [elsewhere medium]"},
		},
		"removal: until nothing is left of it": {
			leaving(updating(two, ""), "fleet/medium"), emptied(offering(appliedByUs(one), us, "medium", "gone"), "fleet/gone"),
			map[string]string{"": "changes", large: kept, small: comes, ours: "dev fleet [large small], offers [medium]"},
		},
		"removal: or somebody has it": {
			leaving(updating(two, "")), offering(besides(appliedByUs(one), them, claims("fleet", "medium")), us, "medium"),
			map[string]string{"": "changes", large: kept, small: comes, ours: recorded},
		},
		"removal: what was offered stays, also by a state that still has it": {
			leaving(removing(updating(nil, ""), publish.Delete)), offering(besides(appliedByUs(two), us, claims("fleet", "large")), us, "small"),
			map[string]string{"": "changes", large: "goes", small: "is released", ours: "dev fleet [], offers [small]"},
		},
		"removal: what only our record names is offered": {
			leaving(updating(two, "")), besides(appliedByUs(two), us, claims("fleet", "large", "medium", "small")),
			map[string]string{large: kept, small: kept},
		},
		"removal: what only our record names is offered with the next change": {
			leaving(updating(two, "")), besides(appliedByUs(one), us, claims("fleet", "large", "medium")),
			map[string]string{"": "changes", large: kept, small: comes, ours: "dev fleet [large small], offers [medium]"},
		},
		"offered by us, it is taken back": {
			updating(two, ""), offering(appliedByUs(one), us, "small"),
			map[string]string{"": "changes", large: kept, small: comes + whatever, ours: recorded},
		},
		"offered by another one, it is taken over": {
			updating(two, ""), offering(besides(appliedByUs(one), them, claims("fleet")), them, "small"),
			map[string]string{"": "changes", large: kept, small: comes + whatever + ", taken over from bb", ours: recorded, theirs: "goes"},
		},
		"offered by another environment, it is not": {
			updating(two, ""), offering(besides(appliedByUs(one), them, of("prod", claims("fleet"))), them, "small"),
			map[string]string{"": "changes", large: kept, small: comes, ours: recorded},
		},
		"removal: a file is deleted in any case": {
			removing(updating(one, ""), publish.Retain), func() *publish.Inventory {
				inv := appliedByUs(one)
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{"": "changes", large: kept, tracking: "goes"},
		},
		"removal: but not one that somebody else writes": {
			removing(updating(one, ""), publish.Delete), func() *publish.Inventory {
				inv := besides(appliedByUs(one), them, of("stage", at("c1", claims("stage", "large"))))
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{large: kept, tracking: "is released"},
		},
		"removal: an emptied folder is left alone": {
			removing(updating(one, ""), publish.Delete), emptied(appliedByUs(map[string]string{"large": "l", "small": ""}), small),
			map[string]string{large: kept},
		},
		"removal: one that others have recorded is theirs, by whatever removal": {
			removing(updating(one, ""), publish.Forbid), besides(appliedByUs(two), them, of("prod", claims("fleet", "small"))),
			map[string]string{"": "changes", large: kept, small: "is released", ours: "dev fleet [large]"},
		},
		"removal: one of an older claim goes": {
			removing(updating(one, ""), publish.Delete), besides(appliedByUs(two), them, earlier(claims("fleet", "small"))),
			map[string]string{"": "changes", large: kept, small: "goes", ours: "dev fleet [large]"},
		},
		"removal: claimed by exclusive, a folder that others recorded is theirs": {
			func() publish.Desired {
				d := removing(updating(one, ""), publish.Delete)
				d.Exclusive = true
				return d
			}(), func() *publish.Inventory {
				inv := besides(appliedByUs(one), them, of("prod", claims("fleet/old", "x")))
				inv.Foreign = objects(map[string]string{"old": "o", "older": "o"})
				return inv
			}(),
			map[string]string{"": "changes", large: kept, "fleet/old": "is released", "fleet/older": "goes"},
		},

		"destroy: everything goes, and the record": {
			removing(updating(nil, ""), publish.Delete), appliedByUs(two),
			map[string]string{"": "changes", large: "goes", small: "goes", ours: "goes"},
		},
		"destroy: nobody looks after what is retained": {
			removing(updating(nil, ""), publish.Retain), appliedByUs(two),
			map[string]string{"": "changes", large: "is released", small: "is released", ours: "goes"},
		},
		"destroy: forbidden": {
			removing(updating(nil, ""), publish.Forbid), appliedByUs(one),
			map[string]string{large: "must stay", ours: "goes"},
		},
		"destroy: what was taken over stays, and so does its record": {
			removing(updating(nil, ""), publish.Delete), besides(appliedByUs(two), them, claims("fleet", "large", "small")),
			map[string]string{"": "changes", large: "is released", small: "is released", ours: "goes"},
		},
		"destroy: what was taken over in part": {
			removing(updating(nil, ""), publish.Delete), besides(appliedByUs(two), them, claims("fleet", "large")),
			map[string]string{"": "changes", large: "is released", small: "goes", ours: "goes"},
		},
		"destroy: the promoted commit's file stays with whoever took it over": {
			removing(updating(nil, ""), publish.Delete), func() *publish.Inventory {
				inv := besides(appliedByUs(one), them, at("c2", claims("fleet", "large")))
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{"": "changes", large: "is released", tracking: "is released", ours: "goes"},
		},
		"destroy: but not with whom we took it over from": {
			removing(updating(nil, ""), publish.Delete), func() *publish.Inventory {
				inv := besides(appliedByUs(one), them, earlier(at("c2", claims("fleet", "large"))))
				inv.Owned[tracking] = tracked("c1")
				return inv
			}(),
			map[string]string{"": "changes", large: "goes", tracking: "goes", ours: "goes"},
		},
		"destroy: a record of ours at another place of the branch stays": {
			removing(updating(nil, ""), publish.Delete), besides(appliedByUs(one), us, claims("new", "large")),
			map[string]string{"": "changes", large: "goes"},
		},
		"destroy: we go on elsewhere": {
			func() publish.Desired {
				d := removing(updating(nil, ""), publish.Delete)
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

// leaving is what somebody wants who leaves paths to others.
func leaving(d publish.Desired, paths ...string) publish.Desired {
	d.Leave, d.Part = paths, true
	return d
}

// offering has the record of an instance offer folders.
func offering(inv *publish.Inventory, instance string, names ...string) *publish.Inventory {
	r := inv.Records[instance]
	slices.Sort(names)
	r.Released = names
	inv.Records[instance] = r
	return inv
}

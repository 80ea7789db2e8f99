// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// The instances of the tables: we, and others.
const (
	us     = "00000000000000aa"
	them   = "00000000000000bb"
	others = "00000000000000cc"
)

// claims is a record of the environment dev at a path of the place's branch.
func claims(path string, clusterTypes ...string) ownership.Recorded {
	return ownership.Recorded{Record: ownership.Record{Environment: "dev", Branch: place.Branch, Path: path, ClusterTypes: clusterTypes}}
}

// of is a record of another environment
func of(environment string, r ownership.Recorded) ownership.Recorded {
	r.Environment = environment
	return r
}

func at(commit string, r ownership.Recorded) ownership.Recorded {
	r.PromotedCommit = commit
	return r
}

// from is a record of a source at a commit, reading wants one.
func from(commit string, r ownership.Recorded) ownership.Recorded {
	r.Sources = map[string]string{"app#main": commit}
	return r
}

func reading(d ownership.Desired, commit string) ownership.Desired {
	d.Sources = map[string]string{"app#main": commit}
	return d
}

// ofOwners is a decision as told has it, with who owns what before and after it.
func ofOwners(t *testing.T, d ownership.Decision) map[string]string {
	t.Helper()
	all := told(d)
	for path, edit := range d.Change.Edits {
		switch instance, isRecord := strings.CutPrefix(path, ".kalypso/"); {
		case !isRecord:
			if edit.Unchecked {
				all[path] += ", whatever is there"
			}
			if !edit.Also.IsZero() {
				all[path] += ", or after " + map[tree.ID]string{tree.File("", []byte("c1")).ID: "c1", tree.File("", []byte("c2")).ID: "c2"}[edit.Also]
			}
		case !edit.Unchecked:
			t.Errorf("the record %s is guarded: the second resource would be refused", path)
		case !edit.Writes():
			all[path] = "goes"
		default:
			r := d.Records[instance]
			if edit.Want.ID != r.File || r.Instance != instance {
				t.Errorf("the record %s is noted as %+v", path, r)
			}
			all[path] = strings.Join(strings.Fields(fmt.Sprintf("%s %s %v %s %s %s", r.Environment, r.Path, r.ClusterTypes,
				r.PromotedCommit, r.SourceCommit, r.Sources["app#main"])), " ")
		}
	}
	add := func(what string, claims []ownership.Claim) {
		for _, claim := range claims {
			all[claim.Path] += fmt.Sprintf(", %s %s", what, claim.Instance[14:])
		}
	}
	add("taken over from", d.TakenOver)
	add("doubled by", d.Doubled)
	add("refused for", d.Refused)
	add("lost to", d.Lost)
	for _, path := range d.Forbidden {
		all[path] += "must stay"
	}
	for _, path := range d.Kept {
		all[path] = "is kept"
	}
	for _, path := range d.Unknown {
		all[path] += ", unknown"
	}
	return all
}

// The words of the tables about owners.
const (
	large, small = "fleet/large", "fleet/small"
	ours, theirs = ".kalypso/" + us, ".kalypso/" + them
	tracking     = engine.PromotedCommitFile
	kept, comes  = "stays", "comes"
	whatever     = ", whatever is there"
	recorded     = "dev fleet [large small]"
)

// The folders of the tables about owners.
var (
	two = map[string]string{"large": "l", "small": "s"}
	one = map[string]string{"large": "l"}
)

// fresh is what is known where we have not written anything yet, appliedByUs what we
// wrote and recorded.
func fresh() *ownership.Inventory { return &ownership.Inventory{Instance: us} }

func appliedByUs(folders map[string]string) *ownership.Inventory {
	r := claims("fleet", slices.Sorted(maps.Keys(folders))...)
	r.Instance = us
	return &ownership.Inventory{Instance: us, Location: place, Owned: objects(folders), Records: ownership.Records{us: r}}
}

// besides adds the record of an instance, unrecorded takes ours away, emptied has an
// emptied folder at a path.
// proposedByUs is the inventory of what was proposed, and never applied.
func proposedByUs(folders map[string]string) *ownership.Inventory {
	inv := appliedByUs(folders)
	inv.Applied = ownership.Objects{}
	return inv
}

func besides(inv *ownership.Inventory, instance string, r ownership.Recorded) *ownership.Inventory {
	if inv.Records == nil {
		inv.Records = ownership.Records{}
	}
	r.Instance = instance
	inv.Records[instance] = r
	return inv
}

func unrecorded(inv *ownership.Inventory) *ownership.Inventory {
	delete(inv.Records, us)
	return inv
}

func emptied(inv *ownership.Inventory, path string) *ownership.Inventory {
	inv.Emptied = map[string]bool{path: true}
	return inv
}

// creating is what a resource wants that is new, updating one that is not.
func creating(folders map[string]string, promoted string) ownership.Desired {
	return updating(folders, promoted)
}

func updating(folders map[string]string, promoted string) ownership.Desired {
	d := wanted(place, folders, promoted)
	d.Environment, d.Promoted = "dev", promoted
	return d
}

func removing(d ownership.Desired, removal ownership.Removal) ownership.Desired {
	d.Removal = removal
	return d
}

// decided is a row: what is decided about what somebody wants and what is there.
type decided struct {
	desired ownership.Desired
	inv     *ownership.Inventory
	want    map[string]string
}

func (d decided) check(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff(d.want, ofOwners(t, ownership.Decide(d.desired, applied(d.inv)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecideAboutOwners(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]decided{
		"create: what is written is recorded": {
			creating(two, "c1"), fresh(),
			map[string]string{"": "changes", large: comes, small: comes, tracking: comes, ours: recorded + " c1"},
		},
		"create: another instance's are taken over, and its record goes": {
			creating(two, ""), besides(fresh(), them, claims("fleet", "large", "small")),
			map[string]string{"": "changes", large: comes + whatever + ", taken over from bb", small: comes + whatever + ", taken over from bb",
				ours: recorded, theirs: "goes"},
		},
		"create: its other folders stay its own": {
			creating(one, ""), besides(fresh(), them, claims("./fleet/", "large", "medium")),
			map[string]string{"": "changes", large: comes + whatever + ", taken over from bb", ours: "dev fleet [large]",
				theirs: "dev ./fleet/ [medium]"},
		},
		"create: two others' are taken over at once": {
			creating(two, ""), besides(besides(fresh(), them, claims("fleet", "large")), others, claims("fleet", "small")),
			map[string]string{
				"": "changes", large: comes + whatever + ", taken over from bb", small: comes + whatever + ", taken over from cc",
				ours: recorded, theirs: "goes", ".kalypso/" + others: "goes",
			},
		},
		"create: what two records list cannot be taken": {
			creating(one, ""), besides(besides(fresh(), them, claims("fleet", "large")), others, claims("fleet", "large", "small")),
			map[string]string{"": "changes", large: comes + ", doubled by bb, doubled by cc", ours: "dev fleet [large]"},
		},
		"create: nor where folders of another environment lie in it": {
			creating(one, ""), besides(besides(fresh(), them, claims("fleet", "large")), others, of("prod", claims("fleet/large", "x"))),
			map[string]string{"": "changes", large: comes + ", refused for bb, refused for cc", ours: "dev fleet [large]"},
		},
		"create: another environment's are refused": {
			creating(two, ""), besides(fresh(), them, of("prod", claims("fleet", "large"))),
			map[string]string{"": "changes", large: comes + ", refused for bb", small: comes, ours: recorded},
		},
		"create: so is a folder in theirs": {
			creating(one, ""), besides(fresh(), them, claims(".", "fleet")),
			map[string]string{"": "changes", large: comes + ", refused for bb", ours: "dev fleet [large]"},
		},
		"create: so is a folder around theirs": {
			creating(one, ""), besides(fresh(), them, claims("fleet/large/deep", "x")),
			map[string]string{"": "changes", large: comes + ", refused for bb", ours: "dev fleet [large]"},
		},
		"create: the same folder of another place of the environment is refused": {
			creating(map[string]string{"b/c": "x"}, ""), besides(fresh(), them, claims("fleet/b", "c")),
			map[string]string{"": "changes", "fleet/b/c": comes + ", refused for bb", ours: "dev fleet [b/c]"},
		},
		"create: paths may lie in each other, and folders beside each other": {
			creating(one, ""), besides(besides(fresh(), them, of("prod", claims(".", "medium", "flee"))), others,
				of("stage", claims("fleet/teams", "large"))),
			map[string]string{"": "changes", large: comes, ours: "dev fleet [large]"},
		},
		"create: an emptied folder has no owner": {
			creating(one, ""), emptied(fresh(), large),
			map[string]string{"": "changes", large: comes + whatever, ours: "dev fleet [large]"},
		},
		"create: what our own record names is ours, as after an interruption": {
			creating(two, ""), besides(fresh(), us, claims("fleet", "large")),
			map[string]string{"": "changes", large: comes + whatever, small: comes, ours: recorded},
		},
		"create: but not where it names another place": {
			creating(one, ""), besides(fresh(), us, claims("old", "large")),
			map[string]string{"": "changes", large: comes, ours: "dev fleet [large]"},
		},
		"create: the promoted commit's file is taken over with the last folder": {
			creating(two, "c2"), besides(fresh(), them, at("c1", claims("fleet", "large", "small"))),
			map[string]string{
				"": "changes", large: comes + whatever + ", taken over from bb", small: comes + whatever + ", taken over from bb",
				tracking: comes + whatever + ", or after c1, taken over from bb", ours: recorded + " c2", theirs: "goes",
			},
		},
		"create: but not while its owner keeps folders": {
			creating(one, "c2"), besides(fresh(), them, at("c1", claims("fleet", "large", "small"))),
			map[string]string{
				"": "changes", large: comes + whatever + ", taken over from bb",
				tracking: comes + ", or after c1, refused for bb", ours: "dev fleet [large] c2", theirs: "dev fleet [small] c1",
			},
		},
		"create: but where we leave the file to others": {
			creating(one, ""), besides(fresh(), them, at("c1", claims("fleet", "large", "small"))),
			map[string]string{"": "changes", large: comes + whatever + ", taken over from bb", ours: "dev fleet [large]",
				theirs: "dev fleet [small] c1"},
		},
		"create: nor from another environment or place": {
			creating(one, "c2"), besides(fresh(), them, of("prod", at("c1", claims("other", "large")))),
			map[string]string{"": "changes", large: comes, tracking: comes + ", refused for bb", ours: "dev fleet [large] c2"},
		},
		"create: the file that our own record names is ours": {
			creating(one, "c2"), besides(fresh(), us, at("c1", claims("fleet", "large"))),
			map[string]string{"": "changes", large: comes + whatever, tracking: comes + ", or after c1", ours: "dev fleet [large] c2"},
		},

		"update: nothing changes": {
			updating(two, ""), appliedByUs(two),
			map[string]string{large: kept, small: kept},
		},
		"update: a record that is gone comes with the next change alone": {
			updating(two, ""), unrecorded(appliedByUs(two)),
			map[string]string{large: kept, small: kept},
		},
		"update: and then it comes": {
			updating(map[string]string{"large": "new", "small": "s"}, ""), unrecorded(appliedByUs(two)),
			map[string]string{"": "changes", large: "changes", small: kept, ours: recorded},
		},
		"update: a record that says the same is not written again": {
			updating(map[string]string{"large": "new", "small": "s"}, ""), appliedByUs(two),
			map[string]string{"": "changes", large: "changes", small: kept},
		},
		"update: the record follows the promoted commit": {
			updating(two, "c1"), appliedByUs(two),
			map[string]string{"": "changes", large: kept, small: kept, tracking: comes, ours: recorded + " c1"},
		},
		"update: what two records list is doubled": {
			updating(map[string]string{"large": "new", "small": "s"}, ""), besides(appliedByUs(two), them, claims("fleet", "large")),
			map[string]string{"": "changes", large: "changes, doubled by aa, doubled by bb", small: kept},
		},
		"update: and also where our record is gone, or nothing changes": {
			updating(two, ""), besides(unrecorded(appliedByUs(two)), them, claims("fleet", "large")),
			map[string]string{large: kept + ", lost to bb", small: kept},
		},
		"update: any owner": {
			updating(two, ""), besides(appliedByUs(two), them, of("prod", claims("fleet/large", "x"))),
			map[string]string{large: kept + ", lost to bb", small: kept},
		},
		"update: a cluster type that comes is taken over": {
			updating(two, ""), besides(appliedByUs(one), them, claims("fleet", "small")),
			map[string]string{"": "changes", large: kept, small: comes + whatever + ", taken over from bb", ours: recorded, theirs: "goes"},
		},
		"update: or refused": {
			updating(two, ""), besides(appliedByUs(one), them, of("prod", claims("fleet", "small"))),
			map[string]string{"": "changes", large: kept, small: comes + ", refused for bb", ours: recorded},
		},
		"update: a folder that was proposed and never applied is not ours": {
			updating(one, ""), besides(unrecorded(proposedByUs(map[string]string{"large": ""})), them, claims("fleet", "large")),
			map[string]string{"": "changes", large: comes + whatever + ", taken over from bb", ours: "dev fleet [large]", theirs: "goes"},
		},
		"update: one that was applied and is gone is lost all the same": {
			updating(one, ""), besides(unrecorded(appliedByUs(map[string]string{"large": ""})), them, claims("fleet", "large")),
			map[string]string{"": "changes", large: comes + ", lost to bb", ours: "dev fleet [large]"},
		},
		"update: or doubled, where our record lists it, too": {
			updating(one, ""), besides(appliedByUs(map[string]string{"large": ""}), them, claims("fleet", "large")),
			map[string]string{"": "changes", large: comes + ", doubled by aa, doubled by bb"},
		},
		"update: another one takes the promoted commit's file with a folder": {
			updating(two, "c2"), besides(appliedByUs(one), them, at("c1", claims("fleet", "small"))),
			map[string]string{"": "changes", large: kept, small: comes + whatever + ", taken over from bb", tracking: comes + whatever +
				", or after c1, taken over from bb", ours: recorded + " c2", theirs: "goes"},
		},
		"update: a source moves, and only the record changes": {
			reading(updating(one, ""), "a"), besides(appliedByUs(one), us, from("b", claims("fleet", "large"))),
			map[string]string{"": "changes", large: kept, ours: "dev fleet [large] a"},
		},
		"update: a source stays": {
			reading(updating(one, ""), "a"), besides(appliedByUs(one), us, from("a", claims("fleet", "large"))),
			map[string]string{large: kept},
		},
		"update: a source moves, and our record is about another place": {
			reading(updating(one, ""), "a"), besides(appliedByUs(one), us, from("b", claims("new", "large"))),
			map[string]string{large: kept},
		},
		"update: the commit moves that only the record names": {
			func() ownership.Desired {
				d := updating(one, "")
				d.Source = "c2"
				return d
			}(), func() *ownership.Inventory {
				r := claims("fleet", "large")
				r.SourceCommit = "c1"
				return besides(appliedByUs(one), us, r)
			}(),
			map[string]string{"": "changes", large: kept, ours: "dev fleet [large] c2"},
		},
		"update: without an id nothing is recorded": {
			updating(map[string]string{"large": "new", "small": "s"}, ""), func() *ownership.Inventory {
				inv := unrecorded(appliedByUs(two))
				inv.Instance = ""
				return inv
			}(),
			map[string]string{"": "changes", large: "changes", small: kept},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

// At another place of the branch, the record comes along, and others' count there too.
func TestDecideAboutOwnersOfAnotherPlace(t *testing.T) {
	t.Parallel()
	next := git.Location{Repo: place.Repo, Branch: place.Branch, Path: "next"}
	d := wanted(next, map[string]string{"large": "l", "small": "s"}, "")
	d.Environment = "dev"
	inv := func(theirs ownership.Recorded) *ownership.Inventory {
		theirs.Instance = them
		return &ownership.Inventory{
			Instance: us, Location: place, Owned: objects(map[string]string{"large": "l"}),
			Records: ownership.Records{us: claims("fleet", "large"), them: theirs},
		}
	}
	for name, test := range map[string]decided{
		"taken over": {
			d, inv(claims("next", "small")),
			map[string]string{
				"": "changes, moves", "next/large": "comes", "next/small": "comes, whatever is there, taken over from bb",
				".kalypso/" + us: "dev next [large small]", ".kalypso/" + them: "goes",
			},
		},
		"refused": {
			d, inv(of("prod", claims(".", "next"))),
			map[string]string{
				"": "changes, moves", "next/large": "comes, refused for bb", "next/small": "comes, refused for bb", ".kalypso/" +
					us: "dev next [large small]",
			},
		},
		"of another branch nothing is known": {
			func() ownership.Desired {
				d := wanted(git.Location{Repo: place.Repo, Branch: "next", Path: "fleet"}, map[string]string{"large": "l"}, "")
				d.Environment = "dev"
				return d
			}(), inv(of("prod", claims("fleet", "large"))),
			map[string]string{"": "changes, moves", "fleet/large": "comes", ".kalypso/" + us: "dev fleet [large]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

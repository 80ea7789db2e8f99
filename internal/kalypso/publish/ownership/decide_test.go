// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// dir is a folder with one file of that content.
func dir(content string) *tree.Dir {
	return tree.FromEntries([]tree.Entry{tree.File("file", []byte(content))})
}

// id is the id of what a table calls "large=one" or, for files, "=one".
func id(content string) tree.ID {
	if content == "" {
		return tree.ID{}
	}
	return dir(content).ID
}

var place = git.Location{Repo: "https://git.example/gitops", Branch: "prod", Path: "fleet"}

// wanted is a desired state: folders by name to content, and the promoted commit.
func wanted(at git.Location, folders map[string]string, promoted string) ownership.Desired {
	d := ownership.Desired{Location: at, Paths: map[string]tree.Entry{}}
	for name, content := range folders {
		d.Paths[at.Join(name)] = tree.Subdir(name, dir(content))
	}
	if promoted != "" {
		d.Paths[engine.PromotedCommitFile] = tree.File("", []byte(promoted))
	}
	return d
}

// objects are folders of the place.
func objects(folders map[string]string) ownership.Objects {
	all := ownership.Objects{}
	for name, content := range folders {
		all[place.Join(name)] = ownership.Object{Mode: tree.ModeDir, ID: id(content)}
	}
	return all
}

// applied makes an inventory the last apply, unless it says otherwise: a path that is gone
// existed then.
func applied(inv *ownership.Inventory) *ownership.Inventory {
	if inv.Applied == nil {
		inv.Applied = ownership.Objects{}
		for path, object := range inv.Owned {
			if object.ID == (tree.ID{}) {
				object.ID = id("before it was gone")
			}
			inv.Applied[path] = object
		}
	}
	return inv
}

func tracked(content string) ownership.Object {
	o := ownership.Object{Mode: tree.ModeFile}
	if content != "" {
		o.ID = tree.File("", []byte(content)).ID
	}
	return o
}

// told is a decision in words: path to what happens there.
func told(d ownership.Decision) map[string]string {
	all := map[string]string{}
	for path, edit := range d.Change.Edits {
		switch {
		case edit.Want.ID == edit.Expected:
			all[path] = "stays"
		case !edit.Writes():
			all[path] = "goes"
		case edit.Want.Mode == tree.ModeDir && len(edit.Want.Dir.Entries) == 1 && edit.Want.Dir.Entries[0].Name == engine.ReadmeFile:
			all[path] = "is emptied"
		case edit.Expected.IsZero():
			all[path] = "comes"
		default:
			all[path] = "changes"
		}
	}
	for _, path := range d.Left {
		all[path] = "is left"
	}
	if d.Changes {
		all[""] = "changes"
	}
	if d.Moves {
		all[""] += ", moves"
	}
	if d.Withdraw {
		all[""] += ", withdraws"
	}
	return all
}

func TestDecide(t *testing.T) {
	t.Parallel()
	two := map[string]string{"large": "l", "small": "s"}
	ofState := func(folders map[string]string) *ownership.Inventory {
		return &ownership.Inventory{Location: place, Owned: objects(folders)}
	}
	with := func(inv *ownership.Inventory, change func(*ownership.Inventory)) *ownership.Inventory {
		change(inv)
		return inv
	}
	elsewhere := place
	elsewhere.Path = "other"
	respelled := git.Location{Repo: "https://GIT.example:443/gitops/", Branch: "prod", Path: "./fleet/"}
	for name, test := range map[string]struct {
		desired ownership.Desired
		inv     *ownership.Inventory
		want    map[string]string
	}{
		"create": {
			wanted(place, two, "c1"), &ownership.Inventory{},
			map[string]string{"": "changes", "fleet/large": "comes", "fleet/small": "comes", engine.PromotedCommitFile: "comes"},
		},
		"an empty fleet is created, too": {wanted(place, nil, ""), &ownership.Inventory{}, map[string]string{"": "changes"}},
		"nothing to do": {wanted(place, two, ""), ofState(two),
			map[string]string{"fleet/large": "stays", "fleet/small": "stays"}},
		"another spelling is not a move": {wanted(respelled, two, ""), ofState(two),
			map[string]string{"fleet/large": "stays", "fleet/small": "stays"}},
		"one changes, one comes, one goes": {
			wanted(place, map[string]string{"large": "new", "medium": "m"}, ""), ofState(two),
			map[string]string{"": "changes", "fleet/large": "changes", "fleet/medium": "comes", "fleet/small": "is emptied"},
		},
		"what is gone already goes again": {
			wanted(place, map[string]string{"large": "l"}, ""), ofState(map[string]string{"large": "l", "small": ""}),
			map[string]string{"fleet/large": "stays", "fleet/small": "stays"},
		},
		"a folder that drifted or is gone": {
			wanted(place, two, ""), ofState(map[string]string{"large": "edited", "small": ""}),
			map[string]string{"": "changes", "fleet/large": "changes", "fleet/small": "comes"},
		},
		"the promoted commit goes": {
			wanted(place, two, ""), with(ofState(two), func(i *ownership.Inventory) { i.Owned[engine.PromotedCommitFile] = tracked("c1") }),
			map[string]string{"": "changes", "fleet/large": "stays", "fleet/small": "stays", engine.PromotedCommitFile: "goes"},
		},
		"the promoted commit is left to others": {
			func() ownership.Desired {
				d := wanted(place, two, "")
				d.Leave = []string{engine.PromotedCommitFile}
				return d
			}(), with(ofState(two), func(i *ownership.Inventory) { i.Owned[engine.PromotedCommitFile] = tracked("c1") }),
			map[string]string{"fleet/large": "stays", "fleet/small": "stays", engine.PromotedCommitFile: "is left"},
		},
		"the promoted commit is another instance's by now": {
			wanted(place, nil, ""), with(ofState(nil), func(i *ownership.Inventory) {
				i.Owned[engine.PromotedCommitFile] = tracked("c1")
				i.Records = ownership.Records{"0123456789abcdef": {Record: ownership.Record{Instance: "0123456789abcdef", Branch: "prod", Path: "fleet",
					PromotedCommit: "c1"}}}
			}),
			map[string]string{engine.PromotedCommitFile: "is left"},
		},
		"after an import nobody knows whose files are": {
			wanted(place, two, ""), with(ofState(two), func(i *ownership.Inventory) {
				i.State = ownership.Imported
				i.Owned[engine.PromotedCommitFile] = tracked("c1")
			}),
			map[string]string{"fleet/large": "stays", "fleet/small": "stays", engine.PromotedCommitFile: "is left"},
		},
		"at another location nothing is ours yet": {
			wanted(elsewhere, two, ""), ofState(two),
			map[string]string{"": "changes, moves", "other/large": "comes", "other/small": "comes"},
		},
		"destroy": {
			wanted(place, nil, ""), with(ofState(two), func(i *ownership.Inventory) {
				i.Owned[engine.PromotedCommitFile] = tracked("c1")
			}),
			map[string]string{"": "changes", "fleet/large": "is emptied", "fleet/small": "is emptied", engine.PromotedCommitFile: "goes"},
		},
		"an open request that is no longer wanted": {
			wanted(place, two, ""), with(ofState(two), func(i *ownership.Inventory) { i.Proposal = &ownership.Proposal{Paths: objects(two)} }),
			map[string]string{"": ", withdraws", "fleet/large": "stays", "fleet/small": "stays"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ownership.Decide(test.desired, applied(test.inv))
			if diff := cmp.Diff(test.want, told(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A request is proposed again unless it holds just what is wanted, for what the base branch
// has; one that was closed without a merge only where something else is wanted.
func TestDecideAboutRequests(t *testing.T) {
	t.Parallel()
	proposed, base := objects(map[string]string{"large": "new", "small": "s"}), objects(map[string]string{"large": "l", "small": "s"})
	moved, edited := objects(map[string]string{"large": "other", "small": "s"}), tree.ID{1}
	same, other := map[string]string{"large": "new", "small": "s"}, map[string]string{"large": "newer", "small": "s"}
	for name, test := range map[string]struct {
		proposal ownership.Proposal
		folders  map[string]string
		changes  bool
	}{
		"it holds what is wanted":     {ownership.Proposal{Paths: proposed, From: base}, same, false},
		"something else is wanted":    {ownership.Proposal{Paths: proposed, From: base}, other, true},
		"it holds the wanted release": {ownership.Proposal{Paths: proposed, From: base, Release: ownership.Record{}.Release()}, same, false},
		"it holds another release": {ownership.Proposal{Paths: proposed, From: base, Release: ownership.Record{SourceCommit: "c1"}.Release()},
			same, true},
		"the base is wanted": {ownership.Proposal{Paths: proposed, From: base}, map[string]string{"large": "l", "small": "s"},
			true},
		"something is to go":                    {ownership.Proposal{Paths: proposed, From: base}, map[string]string{"large": "new"}, true},
		"somebody has edited it":                {ownership.Proposal{Paths: proposed, From: base, Seen: edited}, same, true},
		"somebody has edited the base":          {ownership.Proposal{Paths: proposed, From: moved}, same, true},
		"it is closed":                          {ownership.Proposal{Paths: proposed, From: base, Closed: true}, same, false},
		"it is closed, and the base edited":     {ownership.Proposal{Paths: proposed, From: moved, Closed: true}, same, false},
		"it is closed, something else wanted":   {ownership.Proposal{Paths: proposed, From: base, Closed: true}, other, true},
		"somebody has edited it, and closed it": {ownership.Proposal{Paths: proposed, From: base, Closed: true, Seen: edited}, same, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := wanted(place, test.folders, "")
			d.Propose = true
			inv := &ownership.Inventory{Location: place, Owned: maps.Clone(base), Proposal: &test.proposal}
			if got := ownership.Decide(d, applied(inv)); got.Changes != test.changes || !got.Propose || got.Withdraw {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// branch is what a branch holds, by path.
type branch map[string]tree.Entry

// carryOut does what a change says, as git does.
func (b branch) carryOut(change git.Change) branch {
	after := maps.Clone(b)
	for path, edit := range change.Edits {
		if delete(after, path); edit.Writes() {
			after[path] = edit.Want
		}
	}
	return after
}

// observe returns the inventory that a look at the paths gives.
func (b branch) observe(at git.Location, inv *publish.Inventory, d publish.Decision) *publish.Inventory {
	next := &publish.Inventory{Location: at, Owned: publish.Objects{}}
	look := func(path string, mode tree.Mode) publish.Object {
		return publish.Object{Mode: mode, ID: publish.ObjectID(b[path].ID)}
	}
	for path, edit := range d.Change.Edits {
		if edit.Writes() {
			next.Owned[path] = look(path, edit.Want.Mode)
		}
	}
	if inv.Foreign != nil {
		next.Foreign = publish.Objects{}
		for path, e := range b {
			name, folder := strings.CutPrefix(path, at.Path+"/")
			if _, ours := next.Owned[path]; !ours && folder && e.Mode == tree.ModeDir && !strings.HasPrefix(name, ".") {
				next.Foreign[path] = look(path, e.Mode)
			}
		}
	}
	return next
}

// random makes what somebody wants, what is ours, and what else is there.
func random(r *rand.Rand) (publish.Desired, *publish.Inventory, branch) {
	names := []string{"a", "b", "c", "d", ".dot"}
	content := func() string { return fmt.Sprint(r.IntN(3)) }
	folders := map[string]string{}
	for _, name := range names[:4] {
		if r.IntN(2) == 0 {
			folders[name] = content()
		}
	}
	promoted := []string{"", "c1", "c2"}[r.IntN(3)]
	d := wanted(place, folders, promoted)
	d.Exclusive = r.IntN(3) == 0
	there := branch{"elsewhere/x": tree.Subdir("", dir("x"))}
	inv := &publish.Inventory{Location: place, Owned: publish.Objects{}}
	if r.IntN(5) == 0 {
		inv.Location = git.Location{}
	}
	if d.Exclusive && r.IntN(2) == 0 {
		inv.Foreign = publish.Objects{}
	}
	for _, name := range names {
		path := place.Join(name)
		if r.IntN(3) == 0 {
			continue
		}
		there[path] = tree.Subdir("", dir(content()))
		object := publish.Object{Mode: tree.ModeDir, ID: publish.ObjectID(there[path].ID)}
		_, isWanted := d.Paths[path]
		switch {
		case inv.Location != (git.Location{}) && name != ".dot" && (isWanted || r.IntN(2) == 0):
			inv.Owned[path] = object
		case isWanted: // an apply would refuse this
			delete(there, path)
		case inv.Foreign != nil && name != ".dot":
			inv.Foreign[path] = object
		}
	}
	return d, inv, there
}

// Carrying a decision out and looking again decides nothing, the desired paths
// stand there then, and nothing is touched that is neither ours nor claimed.
func TestDecidingAgainDecidesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		d, inv, there := random(r)
		decision := publish.Decide(d, inv)
		after := there.carryOut(decision.Change)
		for path, want := range d.Paths {
			if after[path].ID != want.ID {
				t.Fatalf("%s is not as wanted after %+v", path, told(decision))
			}
		}
		for path, e := range there {
			_, wanted := d.Paths[path]
			_, ours := inv.Owned[path]
			_, claimed := inv.Foreign[path]
			mayChange := wanted || ours || claimed && d.Exclusive
			if !mayChange && after[path].ID != e.ID {
				t.Fatalf("%s was touched by %+v", path, told(decision))
			}
		}
		for path, edit := range decision.Change.Edits {
			if edit.Expected != there[path].ID {
				t.Fatalf("%s is expected as %s in %+v", path, edit.Expected, told(decision))
			}
		}
		again := publish.Decide(d, after.observe(place, inv, decision))
		if again.Changes || again.Moves || len(again.Released) > 0 {
			t.Fatalf("deciding again gives %v, after %v", told(again), told(decision))
		}
		if diff := cmp.Diff(told(decision), told(publish.Decide(d, inv))); diff != "" {
			t.Fatalf("the same arguments decide otherwise:\n%s", diff)
		}
	}
}

// What is kept between runs comes back as it was.
func TestInventoryIsKept(t *testing.T) {
	t.Parallel()
	inv := &publish.Inventory{
		Head: id("head"), Owned: objects(map[string]string{"large": "l", "gone": ""}), Foreign: publish.Objects{}, Imported: true, Renderer: "1.0", Given: "repo", Drifted: true,
		Drift:    &publish.Drift{Files: []publish.DriftFile{{Path: "large/x", Mode: tree.ModeFile, ID: id("x"), Content: []byte("x")}}},
		Proposal: &publish.Proposal{Number: 3, Branch: "kalypso/prod/1", Commit: id("c"), Paths: objects(map[string]string{"large": "new"}), Base: map[string]string{"large": "l"}},
	}
	inv.Owned[".github/tracking/Promoted_Commit_Id"] = tracked("c1")
	text, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	got := &publish.Inventory{}
	if err := json.Unmarshal(text, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inv, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was kept by another version, or damaged, is read or refused, and never panics.
func FuzzInventory(f *testing.F) {
	f.Add([]byte(`{"head":"0123456789012345678901234567890123456789","owned":{"large":"tree 0123456789012345678901234567890123456789"}}`))
	f.Add([]byte(`{"owned":{"x":"blob "},"drift":{"files":[{"path":"x","content":"AAAA"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		inv := &publish.Inventory{}
		if json.Unmarshal(text, inv) != nil {
			return
		}
		inv.Location = place
		publish.Decide(wanted(place, map[string]string{"large": "l"}, ""), inv)
		if _, err := json.Marshal(inv); err != nil {
			t.Error(err)
		}
	})
}

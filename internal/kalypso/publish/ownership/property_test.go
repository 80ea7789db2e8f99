// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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
func (b branch) observe(at git.Location, inv *ownership.Inventory, d ownership.Decision) *ownership.Inventory {
	next := &ownership.Inventory{Location: at, Instance: inv.Instance, Owned: ownership.Objects{}, Applied: ownership.Objects{},
		Emptied: map[string]bool{}, Records: b.records()}
	look := func(path string, mode tree.Mode) ownership.Object {
		return ownership.Object{Mode: mode, ID: b[path].ID}
	}
	for path, e := range b {
		next.Emptied[path] = isEmptied(e)
	}
	for path, edit := range d.Change.Edits {
		if edit.Writes() && !isEmptied(edit.Want) && !strings.HasPrefix(path, ".kalypso/") {
			next.Owned[path], next.Applied[path] = look(path, edit.Want.Mode), look(path, edit.Want.Mode)
		}
	}
	return next
}

// records are those of the branch.
func (b branch) records() ownership.Records {
	folder := &git.Found{Mode: tree.ModeDir}
	for path, e := range b {
		if instance, isRecord := strings.CutPrefix(path, ".kalypso/"); isRecord {
			e.Name = instance
			folder.Entries = append(folder.Entries, e)
		}
	}
	all, err := ownership.ReadRecords(folder, place.Branch)
	if err != nil {
		panic(err) // there are few
	}
	return all
}

// isEmptied reports whether a folder holds nothing but what is left of one.
func isEmptied(e tree.Entry) bool {
	return e.Dir != nil && len(e.Dir.Entries) == 1 && strings.HasPrefix(string(e.Dir.Entries[0].Content), "<!-- emptied")
}

// some returns each name or not.
func some(r *rand.Rand, names ...string) []string {
	var all []string
	for _, name := range names {
		if r.IntN(2) == 0 {
			all = append(all, name)
		}
	}
	return all
}

// random makes what somebody wants, what is ours, what others have recorded, and what
// else is there.
func random(r *rand.Rand) (ownership.Desired, *ownership.Inventory, branch) {
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
	d.Environment, d.Promoted = "dev", promoted
	d.Removal = []ownership.Removal{ownership.Empty, ownership.Delete, ownership.Retain}[r.IntN(3)]
	there := branch{"elsewhere/x": tree.Subdir("", dir("x"))}
	inv := &ownership.Inventory{Location: place, Instance: us, Owned: ownership.Objects{}, Emptied: map[string]bool{}}
	if r.IntN(5) == 0 {
		inv.Location = git.Location{}
	}
	record := func(instance string, claim ownership.Recorded) {
		there[".kalypso/"+instance] = tree.File("", claim.Content())
	}
	theirs := some(r, "a", "b", "c", "d")
	environment := []string{"dev", "prod"}[r.IntN(2)]
	if len(theirs) > 0 && r.IntN(3) == 0 {
		record(them, of(environment, at([]string{"", "c1"}[r.IntN(2)], claims(place.Path, theirs...))))
	} else {
		theirs = nil
	}
	for _, name := range names {
		path := place.Join(name)
		if r.IntN(3) == 0 {
			continue
		}
		there[path] = tree.Subdir("", dir(content()))
		if r.IntN(6) == 0 {
			there[path] = tree.Subdir("", tree.FromEntries([]tree.Entry{tree.File("README.md",
				[]byte("<!-- emptied by terraform-provider-kalypso -->\n"))}))
			inv.Emptied[path] = true
			continue
		}
		object := ownership.Object{Mode: tree.ModeDir, ID: there[path].ID}
		_, isWanted := d.Paths[path]
		switch {
		case inv.Location != (git.Location{}) && name != ".dot" && (isWanted || r.IntN(2) == 0):
			inv.Owned[path] = object
		case isWanted && !slices.Contains(theirs, name): // an apply would refuse this
			delete(there, path)
		}
	}
	if mine := some(r, "a", "b", "c", "d"); inv.Location != (git.Location{}) && r.IntN(2) == 0 {
		mine = slices.DeleteFunc(mine, func(name string) bool { return inv.Owned[place.Join(name)] == ownership.Object{} })
		if len(mine) > 0 {
			record(us, claims(place.Path, mine...))
		}
	}
	inv.Records = there.records()
	applied(inv)
	for path := range inv.Applied { // the state may be an older one
		switch r.IntN(6) {
		case 0:
			delete(inv.Applied, path)
		case 1:
			inv.Applied[path] = ownership.Object{Mode: inv.Applied[path].Mode, ID: id("older")}
		}
	}
	return d, inv, there
}

// isOurs decides about a path as publishing does. The path is ours if the state has
// applied it and our record names it. It is also ours if no record names it and it is as
// it was applied.
func isOurs(inv *ownership.Inventory, path string) bool {
	object, state := inv.Applied[path]
	names := func(instance string) bool {
		return slices.Contains(inv.Records[instance].ClusterTypes, strings.TrimPrefix(path, place.Path+"/"))
	}
	return state && !names(them) && (names(us) || inv.Owned[path].ID == object.ID)
}

// After a decision is carried out, another look decides nothing. The branch then has the
// desired paths. No path is touched that is not ours.
func TestDecidingAgainDecidesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 8_000 {
		d, inv, there := random(r)
		decision := ownership.Decide(d, inv)
		refused := func(path string, edit git.Edit) bool {
			return !edit.Unchecked && edit.Expected.IsZero() && !there[path].ID.IsZero() && there[path].ID != edit.Want.ID
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(decision.Change.Edits)),
			func(path string) bool { return refused(path, decision.Change.Edits[path]) }) {
			continue // git refuses what is in the way
		}
		if !reflect.DeepEqual(decision, ownership.Decide(d, inv)) {
			t.Fatalf("the same arguments decide otherwise than %v", told(decision))
		}
		theirs := inv.Records[them]
		if claimed := len(decision.Refused)+len(decision.Lost)+len(decision.Doubled) > 0; claimed && theirs.Instance == "" {
			t.Fatalf("nobody keeps us from %v", told(decision))
		} else if claimed || len(decision.Unknown) > 0 {
			continue // nothing is carried out
		}
		after := there.carryOut(decision.Change)
		for path, want := range d.Paths {
			if after[path].ID != want.ID {
				t.Fatalf("%s is not as wanted after %+v", path, told(decision))
			}
		}
		for path, e := range there {
			_, wanted := d.Paths[path]
			mayChange := wanted || isOurs(inv, path)
			if strings.HasPrefix(path, ".kalypso/") {
				continue
			}
			if !mayChange && after[path].ID != e.ID {
				t.Fatalf("%s was touched by %+v", path, told(decision))
			}
			name := strings.TrimPrefix(path, place.Path+"/")
			taken := slices.ContainsFunc(decision.TakenOver, func(c ownership.Claim) bool { return c.Path == path })
			if slices.Contains(theirs.ClusterTypes, name) && !taken && after[path].ID != e.ID {
				t.Fatalf("%s is theirs, and was touched by %+v", path, told(decision))
			}
		}
		for path, edit := range decision.Change.Edits {
			if !edit.Unchecked && edit.Expected != there[path].ID && edit.Want.ID != there[path].ID {
				t.Fatalf("%s is expected as %s in %+v", path, edit.Expected, told(decision))
			}
		}
		for instance, r := range after.records() {
			for _, other := range after.records() {
				both := func(name string) bool { return slices.Contains(other.ClusterTypes, name) }
				if decision.Changes && instance != other.Instance && slices.ContainsFunc(r.ClusterTypes, both) {
					t.Fatalf("%s and %s claim the same after %v", r, other, told(decision))
				}
			}
		}
		again := ownership.Decide(d, after.observe(place, inv, decision))
		if again.Changes || again.Moves || len(again.Left) > 0 {
			t.Fatalf("deciding again gives %v, after %v", told(again), told(decision))
		}
	}
}

// What is kept between runs comes back as it was.
func TestInventoryIsKept(t *testing.T) {
	t.Parallel()
	inv := &ownership.Inventory{
		Head: id("head"), Owned: objects(map[string]string{"large": "l", "gone": ""}), State: ownership.Drifted,
		Renderer: "1.0", Given: "repo",
		Proposal: &ownership.Proposal{Number: 3, Branch: "kalypso/prod/1", Commit: id("c"), Paths: objects(map[string]string{"large": "new"}),
			Base: map[string]string{"large": "l"}},
	}
	inv.Owned[".github/tracking/Promoted_Commit_Id"] = tracked("c1")
	text, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	got := &ownership.Inventory{}
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
	f.Add([]byte(`{"owned":{"/x":"tree 0123456789012345678901234567890123456789","..":"blob 0123456789012345678901234567890123456789"},"emptied":{"fleet/large":true},
		"records":{"00000000000000bb":{"environment":"dev","branch":"prod","path":"/..","cluster_types":["/x",""],"file":"0123456789012345678901234567890123456789","earlier":true}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		inv := &ownership.Inventory{}
		if json.Unmarshal(text, inv) != nil {
			return
		}
		inv.Location, inv.Instance = place, us
		ownership.Decide(wanted(place, map[string]string{"large": "l"}, ""), inv)
		if _, err := json.Marshal(inv); err != nil {
			t.Error(err)
		}
	})
}

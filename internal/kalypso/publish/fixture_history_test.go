// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// modelResource is a resource between runs; without an inventory there is none.
type modelResource struct {
	name, environment string
	location          git.Location
	inv               *ownership.Inventory
	// wants is what was applied last.
	wants ownership.Desired
	// proposed is what waits for its merge, in a branch that is called as the resource is;
	// nil for nothing.
	proposed *modelProposal
}

// modelProposal is a request that is open.
type modelProposal struct {
	inv   *ownership.Inventory
	wants ownership.Desired
}

// history is a branch, those who write it, and what happened, in words.
type history struct {
	t         *testing.T
	random    *rand.Rand
	branch    *branch
	resources []*modelResource
	story     []string
}

func (h *history) tell(format string, args ...any) {
	h.story = append(h.story, fmt.Sprintf(format, args...))
}

// wrong ends the test with what led there.
func (h *history) wrong(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("%s, after:\n%s", fmt.Sprintf(format, args...), strings.Join(h.story, "\n"))
}

// desired is something that a resource may want.
func (h *history) desired(r *modelResource) ownership.Desired {
	d := ownership.Desired{
		Location: r.location, Environment: r.environment, Paths: map[string]tree.Entry{}, Version: "test",
		Removal: []ownership.Removal{ownership.Empty, ownership.Delete, ownership.Retain}[h.random.IntN(3)],
	}
	for _, name := range []string{"a", "b", "x"} {
		if h.random.IntN(2) == 0 {
			content := fmt.Sprint(r.environment, h.random.IntN(3))
			d.Paths[r.location.Join(name)] = tree.Subdir("", tree.FromEntries([]tree.Entry{
				tree.File("README.md", []byte("<!-- written by terraform-provider-kalypso -->\n")), tree.File("file", []byte(content)),
			}))
		}
	}
	if name := []string{"", "O.md", "P.md"}[h.random.IntN(3)]; name != "" {
		d.Paths[r.location.Join(name)] = tree.File("", []byte(fmt.Sprint(r.environment, h.random.IntN(3))))
	}
	// A branch has one file for the promoted commit, which one resource writes.
	if d.Promoted = []string{"", "c1", "c2"}[h.random.IntN(3)]; d.Promoted != "" && r == h.resources[0] {
		d.Paths[engine.PromotedCommitFile] = tree.File("", []byte(d.Promoted))
	} else {
		d.Promoted, d.Source, d.Leave = "", d.Promoted, engine.OwnedFiles
	}
	return d
}

// refresh is what Publisher.Refresh notes.
func (h *history) refresh(r *modelResource) {
	found := h.branch.read(r.inv.Query())
	if found.Unchanged {
		return
	}
	if err := r.inv.Update(found); err != nil {
		h.wrong("%s: %v", r.name, err)
	}
}

// keep is what becomes of an inventory between two runs.
func (h *history) keep(r *modelResource) {
	text, err := r.inv.Note()
	if err != nil {
		h.wrong("%s: %v", r.name, err)
	}
	was := &Applied{Location: r.location, Instance: r.inv.Instance, Attributes: Attributes{Packages: engine.Digests{}}}
	if r.inv, err = ReadInventory(text, was); err != nil {
		h.wrong("%s: %v", r.name, err)
	}
}

// allTakenOver are the paths that a plan of the present branch shows as taken over.
func (h *history) allTakenOver(d ownership.Desired, inv *ownership.Inventory) map[string]string {
	seen := *inv
	seen.Records = h.branch.records()
	return ownership.Decide(d, &seen).Shown(func(path string) tree.ID { return find(h.branch.root(), path).ID })
}

// attempt brings the branch to a resource's desired content, and reports whether it did.
func (h *history) attempt(r *modelResource, inv *ownership.Inventory, d ownership.Desired) (*ownership.Attempt, bool) {
	if once, again := ownership.Decide(d, inv), ownership.Decide(d, inv); !reflect.DeepEqual(once, again) {
		h.wrong("%s decides once %+v and again %+v", r.name, once, again)
	}
	before := h.branch.root()
	claimed := h.branch.records()
	a := &ownership.Attempt{Desired: d, Inventory: inv, Shown: h.allTakenOver(d, inv)}
	err := h.branch.apply("main", a.Work())
	h.tell("  %s: %v", r.name, err)
	if err != nil {
		return a, false
	}
	h.othersAreKept(r, a, before, claimed)
	return a, true
}

// apply has a resource apply something; one that is new is created.
func (h *history) apply(r *modelResource) {
	d := h.desired(r)
	inv := r.inv
	if inv == nil {
		inv = &ownership.Inventory{Instance: ownership.NewInstance()}
	} else if h.random.IntN(4) > 0 {
		h.refresh(r)
	}
	h.tell("%s (%s) applies %s with %s", r.name, inv.Instance, slices.Sorted(maps.Keys(d.Paths)), d.Removal)
	a, ok := h.attempt(r, inv, d)
	if !ok {
		return
	}
	for path, want := range d.Paths {
		if find(h.branch.root(), path).ID != want.ID {
			h.wrong("%s is not as %s wants it", path, r.name)
		}
	}
	r.inv, r.wants = ownership.Holding(a.Decision, h.branch.head()), d
	h.keep(r)
	h.standsStill(r)
}

// destroy takes a resource away; what others own stays.
func (h *history) destroy(r *modelResource) {
	if h.random.IntN(4) > 0 {
		h.refresh(r)
	}
	d := ownership.Desired{Location: r.location, Environment: r.environment,
		Removal: []ownership.Removal{ownership.Empty, ownership.Delete}[h.random.IntN(2)]}
	h.tell("%s (%s) is destroyed with %s", r.name, r.inv.Instance, d.Removal)
	a, ok := h.attempt(r, r.inv, d)
	if !ok {
		return
	}
	for path := range r.inv.Owned {
		left := find(h.branch.root(), path)
		if left.ID.IsZero() || left.ID == ownership.EmptiedFolder.ID || slices.Contains(a.Decision.Left, path) || a.Seen.Emptied[path] {
			continue
		}
		h.wrong("%s is destroyed, but %s is left", r.name, path)
	}
	if record, left := h.branch.records()[r.inv.Instance]; left && record.At(r.location) && !slices.Equal(record.Paths(), a.Decision.Kept) {
		h.wrong("%s is destroyed, but its record is left: %s", r.name, record)
	}
	r.inv = nil
}

// forget is terraform state rm; find it again is an import.
func (h *history) forget(r *modelResource) {
	h.tell("%s (%s) is forgotten", r.name, r.inv.Instance)
	r.inv = nil
}

func (h *history) imports(r *modelResource) {
	query := git.Query{Paths: map[string]tree.Entry{ownership.RecordsFolder: {Mode: tree.ModeDir},
		engine.PromotedCommitFile: {Mode: tree.ModeFile}}, Folder: r.location.Path, Others: canBeClusterType, Content: ownership.TellsOwners}
	found := h.branch.read(query)
	imported, err := importable(r.location, r.environment, found)
	h.tell("%s is imported: %v", r.name, err)
	if err != nil {
		return
	}
	inv := imported.Inventory
	inv.Packages = engine.Digests{}
	if err := inv.Update(found); err != nil {
		h.wrong("%s: %v", r.name, err)
	}
	for path, object := range inv.Owned {
		if find(h.branch.root(), path).ID != object.ID {
			h.wrong("%s imports %s as something else", r.name, path)
		}
		for _, owner := range h.branch.records().Claimants(inv.Instance).Of(path) {
			if owner.Lists(path) && (owner.Environment != r.environment || !owner.At(r.location)) {
				h.wrong("%s imports %s of %s", r.name, path, owner)
			}
		}
	}
	inv.State = ownership.Imported
	r.inv, r.wants = inv, ownership.Desired{Location: r.location, Environment: r.environment}
}

// propose has a resource open a request, merge merges it, where git can.
func (h *history) propose(r *modelResource) {
	d := h.desired(r)
	inv := r.inv
	if inv == nil {
		inv = &ownership.Inventory{Instance: ownership.NewInstance()}
	} else {
		h.refresh(r)
	}
	h.branch.repo.Branch(h.t, r.name, "main")
	a := &ownership.Attempt{Desired: d, Inventory: inv, Shown: h.allTakenOver(d, inv)}
	err := h.branch.apply(r.name, a.Work())
	h.tell("%s (%s) proposes %s: %v", r.name, inv.Instance, slices.Sorted(maps.Keys(d.Paths)), err)
	if err == nil {
		r.proposed = &modelProposal{ownership.Holding(a.Decision, tree.ID{}), d}
	}
}

func (h *history) merge(r *modelResource) {
	p := r.proposed
	r.proposed = nil
	merged := h.branch.merge(r.name)
	h.tell("the request of %s is merged: %t", r.name, merged)
	if merged {
		r.inv, r.wants = p.inv, p.wants
		h.keep(r)
	}
}

// tamper changes the branch as people do by hand.
func (h *history) tamper() {
	instances := slices.Sorted(maps.Keys(h.branch.records()))
	all := files(h.branch.root())
	paths := slices.Sorted(maps.Keys(all))
	if len(instances) == 0 || len(paths) == 0 {
		return
	}
	instance, path := instances[h.random.IntN(len(instances))], paths[h.random.IntN(len(paths))]
	switch h.random.IntN(4) {
	case 0:
		h.tell("the record of %s is deleted", instance)
		h.branch.edit(ownership.RecordPath(instance), nil)
	case 1:
		h.tell("the record of %s is damaged", instance)
		h.branch.edit(ownership.RecordPath(instance), []byte("<<<<<<<"))
	case 2:
		h.tell("%s is edited", path)
		h.branch.edit(path, []byte("by hand"))
	default:
		commits := h.branch.repo.Commits(h.t, "main")
		i := h.random.IntN(len(commits))
		h.tell("the branch is reverted to commit %d", i+1)
		h.branch.repo.CommitTree(h.t, "main", commits[i], "revert")
	}
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// lookTimeout limits how long a plan waits for the repository.
const lookTimeout = 20 * time.Second

// asking reads or writes with some keys, and again with further keys as long as it returns some.
func asking(keys []string, do func(keys []string) (further []string, err error)) error {
	for {
		further, err := do(keys)
		if err != nil || len(further) == 0 {
			return err
		}
		keys = append(slices.Clone(keys), further...)
	}
}

// unasked returns the keys in the record of an instance that are not among some keys.
func unasked(inv ownership.Inventory, at git.Location, instance string, keys []string) []string {
	listed := maps.Clone(inv.Record(instance, at).Folders)
	for _, key := range keys {
		delete(listed, key)
	}
	return slices.Sorted(maps.Keys(listed))
}

// observe reads the records of a branch, and what it has at some keys of a place and at those of
// the instance's own record. known are ids that the caller already has: see ownership.Query.
// compare is that of git.Query.
func (p *Publisher) observe(ctx context.Context, at git.Location, instance string, keys []string, known map[string]tree.ID,
	compare func(*git.Answer) map[string]tree.Entry) (inv ownership.Inventory, answer *git.Answer, err error) {
	err = asking(keys, func(keys []string) (further []string, err error) {
		query := ownership.Query(at, keys, known)
		query.Compare = compare
		if answer, err = p.Git.Read(ctx, at.Of(), query); err != nil {
			return nil, err
		}
		inv, err = ownership.Read(at, keys, answer)
		return unasked(inv, at, instance, keys), err
	})
	return inv, answer, err
}

// keysOf returns the keys of the folders and files in digests, sorted.
func keysOf(packages engine.Digests) []string {
	var keys []string
	for key := range packages {
		if !engine.IsOwnedFile(key) && !strings.HasPrefix(key, "./") {
			key, _, _ = strings.Cut(key, "/")
		}
		keys = append(keys, key)
	}
	return wording.Sorted(keys)
}

// look reads the place before a plan changes it, with the files that differ from the wanted ones.
// No planned value depends on it, because the same run may create the repository.
func (w *work) look(ctx context.Context) (m message.Messages) {
	if w.Git == nil || !w.locationKnown() {
		return m
	}
	keys, known := w.keys(), map[string]tree.ID{}
	for key, e := range w.desired.Content {
		known[key] = e.ID
	}
	instance := ""
	if !w.isNewPlace {
		instance = w.Was.Instance
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	inv, answer, err := w.observe(ctx, w.at, instance, keys, known, w.compareWith(keys))
	if err != nil {
		w.unread = err
		m.Warn(message.Unreadable, "The apply will need the repository. The plan cannot show the changed files, and it does not know who owns "+
			"the folders. "+problem.Sentence(err))
		return m
	}
	w.inventory, w.answer = inv, answer
	if !w.isNewPlace {
		w.memory.Planned = idsOf(inv)
		for _, key := range keys {
			w.memory.Planned[key] = inv.ID(key)
		}
	}
	return m
}

// compareWith makes a query compare the branch with the wanted content of some keys, file by file.
func (w *work) compareWith(keys []string) func(*git.Answer) map[string]tree.Entry {
	return func(*git.Answer) map[string]tree.Entry {
		w.compared = map[string]tree.Entry{}
		for _, key := range keys {
			e := w.desired.Content[key]
			w.compared[record.PathOf(w.at, key)] = tree.Entry{Mode: cmp.Or(e.Mode, record.ModeOf(key)), ID: e.ID, Dir: e.Dir}
		}
		return w.compared
	}
}

// keys returns the keys that an operation reads: the wanted ones, and those that the resource had.
func (w *work) keys() []string { return wording.Sorted(append(w.desired.Keys(), w.mayRemove()...)) }

// mayRemove returns the keys that the resource had at the place.
func (w *work) mayRemove() []string {
	if w.Was == nil || w.isNewPlace && !w.desired.Destroys() {
		return nil
	}
	keys := slices.AppendSeq(keysOf(w.Was.Packages), maps.Keys(w.Memory.Applied))
	return slices.DeleteFunc(wording.Sorted(keys), func(key string) bool { return w.desired.Content[key].Mode != "" })
}

// idsOf returns the ids of what was found.
func idsOf(inv ownership.Inventory) map[string]tree.ID {
	ids := map[string]tree.ID{}
	for key, found := range inv.Found {
		ids[key] = found.ID
	}
	return ids
}

// decide decides about what the plan has read. Error: one path of the resource lies in another one.
func (w *work) decide(context.Context) (m message.Messages) {
	w.changes = w.writes && !w.isQuiet
	if w.answer == nil {
		return m
	}
	self := w.self()
	self.Planned = nil // the plan shows what it sees
	if w.isNewPlace {
		self.Instance = record.NewInstance() // the apply makes another one
	}
	w.decision = ownership.Decide(w.desired, self, w.inventory)
	w.changes = w.changes || !w.isQuiet && w.decision.Differs(w.desired, w.inventory)
	if err := (git.Change{Edits: w.decision.Edits}).Check(); err != nil {
		m.Fail("Two things at one path", problem.Sentence(err))
	}
	return m
}

// reportOwners reports what the decision says about owners. Where the apply itself may free a
// folder, a refusal is only a warning of the plan (rule 3).
func (w *work) reportOwners(context.Context) (m message.Messages) {
	if w.answer == nil {
		return m
	}
	d, isNew := w.decision, w.isNewPlace || w.isUnwritten
	soft, hard := d, d
	soft.Refused, hard.Refused = nil, nil
	for _, r := range d.Refused {
		if isNew || r.MayBeFreed(w.desired, w.Memory.Applied) {
			soft.Refused = append(soft.Refused, r)
		} else {
			hard.Refused = append(hard.Refused, r)
		}
	}
	if len(soft.Refused) > 0 {
		m.Warn("Folders exist already", "The apply would fail, unless it frees the folders itself. "+message.RefusedText(soft))
	}
	m.Errors = message.Refusals(hard)
	if len(d.TakenOver) > 0 {
		m.Warn("Folders of another resource", message.TakenOverText(w.at, d.TakenOver))
	}
	if len(d.Released) > 0 {
		m.Warn("Released folders", fmt.Sprintf("The record of this resource lists %s as released: they stay unchanged, no resource updates "+
			"them, and clusters keep running their packages. A resource of the same environment that names them takes them over. If no "+
			"cluster reads them, delete them in the branch.", message.List("folder", d.Released)))
	}
	if w.inventory.Head.IsZero() {
		from := "without history"
		if w.StartFrom != "" {
			from = "from " + w.StartFrom
		}
		m.Warn("New branch", fmt.Sprintf("The branch %q does not exist. The apply creates it, %s.", w.at.Branch, from))
	}
	return m
}

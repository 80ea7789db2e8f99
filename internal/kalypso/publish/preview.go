// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// bothSides returns what is there and what the result is, by keys that both have: packages,
// or cluster types where what is there is keyed by something else than detail.
func bothSides(
	decision Decision, inv *Inventory, result *engine.Result, detail engine.Detail,
) (before, after engine.Digests, keyed engine.Detail) {
	before = engine.Digests{}
	switch {
	case inv.isNew(), decision.Moves: // nothing of ours is there yet
	case inv.Detail != detail:
		// What is there is keyed differently; cluster types are comparable in any case.
		detail, before = engine.DetailClusterType, inv.clusterTypes()
	default:
		before = maps.Clone(inv.Packages)
	}
	if !decision.Moves {
		for _, path := range decision.Released {
			before.RemoveFolder(keyOf(inv.Location, path))
		}
	}
	return before, result.Digests(detail), detail
}

// clusterTypes returns the digests of what stands there by cluster type, and those
// of owned files.
func (inv *Inventory) clusterTypes() engine.Digests {
	d := engine.Digests{}
	for path, object := range inv.known() {
		if !object.ID.isZero() {
			d[keyOf(inv.Location, path)] = tree.ID(object.ID).Short()
		}
	}
	return d
}

// fileChanges returns what a decision does to the files of the repository, and a note about those
// that cannot be shown. now is what stands there.
func fileChanges(decision Decision, now current) (note string, all []diff.FileChange) {
	from, to := maps.Clone(now.paths), map[string]tree.Entry{}
	unknown := now.unknown
	if decision.Moves {
		from, unknown = nil, nil
	}
	for path, edit := range decision.Change.Edits {
		if edit.Writes() && !isRecord(path) {
			to[path] = edit.Want
		}
	}
	for _, path := range slices.Concat(decision.Released, decision.Forbidden) {
		delete(from, path)
	}
	var names []string
	for _, path := range unknown {
		delete(to, path)
		if edit := decision.Change.Edits[path]; edit.Expected != edit.Want.ID { // else its content stays
			names = append(names, keyOf(decision.Location, path))
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		note = fmt.Sprintf("(not shown, since what is in the repository is not known file by file: %s)\n", strings.Join(names, ", "))
	}
	all = diff.Trees(asTree(from), asTree(to))
	for i, c := range all {
		all[i].Beside = decision.isBeside(c.Path)
	}
	return note, all
}

// isBeside reports whether a file is beside the packages: a README.md of a cluster type, an
// owned file or an overview.
func (d Decision) isBeside(path string) bool {
	key := keyOf(d.Location, path)
	return !strings.Contains(key, "/") || !engine.IsPackage(key)
}

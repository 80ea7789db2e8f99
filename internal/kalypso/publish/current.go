// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// current is the files behind an inventory, as far as they are known without
// looking: what was rendered last, and what drifted since.
type current struct {
	// paths are what stands there, with content.
	paths map[string]tree.Entry
	// unknown are paths of which not every file is known, sorted.
	unknown []string
}

// newCurrent puts what drifted into what was rendered.
func newCurrent(inv *Inventory, rendered map[string]tree.Entry) current {
	now := current{paths: map[string]tree.Entry{}}
	for path, object := range inv.known() {
		if object.ID.isZero() {
			continue // gone
		}
		e, known := restore(object, rendered[path], inv.Drift, path)
		if !known {
			now.unknown = append(now.unknown, path)
			continue
		}
		now.paths[path] = e
	}
	slices.Sort(now.unknown)
	return now
}

// restore returns what stands at a path, and whether every file of it is known. Of
// a single file, its id alone is enough.
func restore(object Object, rendered tree.Entry, drift *Drift, path string) (tree.Entry, bool) {
	if rendered.ID == tree.ID(object.ID) {
		return rendered, true
	}
	changes, err := drift.at(path)
	if object.Mode != tree.ModeDir {
		e := changes[""]
		return tree.Entry{Mode: object.Mode, ID: tree.ID(object.ID), Content: e.Content}, true
	}
	dir := cmp.Or(rendered.Dir, tree.FromEntries(nil))
	if err == nil {
		dir = dir.With(changes)
	}
	return tree.Subdir("", dir), dir.ID == tree.ID(object.ID)
}

// tree returns what stands there as one folder.
func (c current) tree() *tree.Dir { return asTree(c.paths) }

// asTree returns files and folders by their paths as one folder.
func asTree(paths map[string]tree.Entry) *tree.Dir { return tree.FromEntries(nil).With(paths) }

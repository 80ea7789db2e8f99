// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Applied is what was written down when the packages were last applied, and what
// came of it; nil while nothing ever was.
type Applied struct {
	Settings
	Location git.Location
	Report

	rendered *engine.Result
}

// Report is what there is to say about a location.
type Report struct {
	// Packages are the digests of what is there, or is proposed to be.
	Packages engine.Digests
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty where there was none.
	Commit string
	// PullRequest and PullRequestURL are the last pull request; zero without one.
	PullRequest    int
	PullRequestURL string
	Status         Status
	// MergedCommit brought the last request into the branch; empty before.
	MergedCommit string
}

// Status is how a location stands to what was applied.
type Status string

// What a Status says.
const (
	InSync   Status = "in_sync"  // the branch holds the packages
	Proposed Status = "proposed" // a request for them is open
	Closed   Status = "closed"   // it was closed without a merge
	Drifted  Status = "drifted"  // somebody has changed what is ours
)

// render returns what was written last, as this version renders it: once, and
// nothing after an import or where it cannot be rendered any more.
func (p *Publisher) render(was *Applied) *engine.Result {
	if was == nil {
		return &engine.Result{}
	}
	if was.rendered == nil {
		was.rendered = &engine.Result{}
		if len(was.Fleet.Manifests) > 0 {
			if result, err := p.compute(was.Fleet); err == nil {
				was.rendered = result
			}
		}
	}
	return was.rendered
}

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

// proposedDrift notes how the base branch differs from what is proposed, so that
// later plans can show the base without the network.
func proposedDrift(now current, proposed map[string]tree.Entry) *Drift {
	kept := map[string]tree.Entry{}
	for path := range now.paths { // what is not in the base branch has no old side
		if e, ok := proposed[path]; ok {
			kept[path] = e
		}
	}
	found := &git.Differences{}
	for _, change := range diff.Trees(now.tree(), asTree(kept)) {
		if len(found.Files) == maxDriftFiles {
			break // the plan says which folders it cannot show
		}
		difference := git.Difference{Path: change.Path}
		if old := change.Old; old != nil {
			difference.Found = tree.Entry{Mode: old.Mode, ID: old.ID, Content: old.Content}
		}
		found.Files = append(found.Files, difference)
	}
	return newDrift(found)
}

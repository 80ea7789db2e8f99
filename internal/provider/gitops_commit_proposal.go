// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// proposal is the part of a record that tells of an open pull request. The
// record's other parts stay what the base branch has: packages in the state are
// what is proposed.
type proposal struct {
	Number int `json:"number"`
	// Branch is the head branch, Commit what we pushed to it, Seen what was there
	// when we last looked.
	Branch string   `json:"branch"`
	Commit objectID `json:"commit"`
	Seen   objectID `json:"seen"`
	// Folders are what is proposed, and Tracking the promoted commit's blob, zero for none.
	Folders  map[string]objectID `json:"folders"`
	Tracking objectID            `json:"tracking,omitzero"`
	// Removes are the folders that the request takes away; Tracks is true where it
	// is about the promoted commit's file at all.
	Removes []string `json:"removes,omitempty"`
	Tracks  bool     `json:"tracks,omitempty"`
	// Base are the digests of what the base branch has, in the state's detail.
	Base engine.Digests `json:"base"`
	// Edited is true where somebody has changed our folders on the head branch,
	// BaseMoved where somebody did in the base branch.
	Edited    bool `json:"edited,omitempty"`
	BaseMoved bool `json:"base_moved,omitempty"`
	// Incomplete is true where the request lacks something, as a label.
	Incomplete bool `json:"incomplete,omitempty"`
}

// maxDriftFiles of the base branch are kept in private state.
const maxDriftFiles = 5000

// maxKeptConfig changes of values are kept in private state.
const maxKeptConfig = 2000

// stale tells whether the request no longer proposes what we want.
func (p *proposal) stale() bool { return p != nil && (p.Edited || p.BaseMoved) }

// holds tells whether the request proposes just that change of a result: what it
// writes, and what it removes.
func (p *proposal) holds(result *engine.Result, change git.Change) bool {
	if p == nil || p.stale() || len(p.Folders) != len(result.Folders) || !slices.Equal(p.Removes, change.Remove) ||
		p.Tracks != (change.Tracking != nil) || tree.ID(p.Tracking) != trackingOf(change, result) {
		return false
	}
	for name, dir := range result.Folders {
		if tree.ID(p.Folders[name]) != dir.ID {
			return false
		}
	}
	return true
}

// sameAs tells whether a branch holds what is proposed, in the folders that the
// record knows and in the tracking file, where that is ours.
func (p *proposal) sameAs(found *git.State, known *record) bool {
	for name := range known.known() {
		var id tree.ID
		if folder := found.Folders[name]; folder != nil {
			id = folder.ID
		}
		if id != tree.ID(p.Folders[name]) {
			return false
		}
	}
	return known.Tracking == nil || found.Tracking == tree.ID(p.Tracking)
}

// newProposal notes a request that proposes a result to what is in the base branch.
func newProposal(result *engine.Result, change git.Change, proposed git.Proposed, request forge.Request, detail engine.Detail) *proposal {
	p := &proposal{
		Number: request.Number, Branch: proposed.Branch, Commit: objectID(proposed.Commit), Seen: objectID(proposed.Commit),
		Folders: map[string]objectID{}, Base: baseDigests(change, proposed, detail),
		Removes: change.Remove, Tracks: change.Tracking != nil,
	}
	for name, dir := range result.Folders {
		p.Folders[name] = objectID(dir.ID)
	}
	if change.Tracking != nil {
		p.Tracking = objectID(result.TrackingID())
	}
	return p
}

// baseDigests gives the digests of what the base branch has of what a change is about.
func baseDigests(change git.Change, proposed git.Proposed, detail engine.Detail) engine.Digests {
	d := engine.Digests{}
	for name, folder := range proposed.Folders {
		d.AddFolder(detail, name, folder.ID, folder.Entries)
	}
	if change.Tracking != nil {
		d.SetTracking(proposed.Tracking)
	}
	return d
}

// base makes the record of the base branch that a change is proposed to. others
// are the foreign folders that the change removes.
func (r *record) base(change git.Change, proposed git.Proposed, exclusive bool) {
	idOf := func(name string) objectID {
		if folder := proposed.Folders[name]; folder != nil {
			return objectID(folder.ID)
		}
		return objectID{}
	}
	others := r.Others
	r.Folders, r.Others = map[string]objectID{}, nil
	if exclusive && others != nil { // else the next look is the first one at foreign folders
		r.Others = map[string]objectID{}
	}
	for name := range change.Expected {
		if _, foreign := others[name]; foreign && exclusive {
			r.Others[name] = idOf(name)
			continue
		}
		r.Folders[name] = idOf(name)
	}
	r.Tracking = nil
	if change.Tracking != nil {
		blob := objectID(proposed.Tracking)
		r.Tracking = &blob
	}
}

// driftFrom notes how the base branch differs from a result, so that later plans
// can show the base without the network.
func (m *gitOpsCommitModel) driftFrom(ctx context.Context, known *record, result *engine.Result) *drift {
	now := repository{folders: map[string]*tree.Dir{}}
	if m != nil {
		now = m.repository(ctx, known)
	}
	proposed := map[string]*tree.Dir{}
	for name := range now.folders { // what is not in the base branch has no old side
		if dir := result.Folders[name]; dir != nil {
			proposed[name] = dir
		}
	}
	found := &git.Differences{}
	for _, change := range diff.Folders(now.folders, proposed) {
		if change.Same() {
			continue
		}
		if len(found.Files) == maxDriftFiles {
			break // the plan says which folders it cannot show
		}
		difference := git.Difference{Path: change.Path}
		if old := change.Old; old != nil {
			difference.Found = tree.Entry{Mode: old.Mode, ID: old.ID, Content: old.Content}
		}
		found.Files = append(found.Files, difference)
	}
	if now.tracking != nil {
		found.Tracking = now.tracking.Content
	}
	return newDrift(found)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// defaultDiffLines is how many lines of diff a plan shows.
const defaultDiffLines = 400

// preview sets diff to what apply does to the repository, as a unified diff. It
// comes from the state and the record alone, so that a plan needs no network.
func (m *gitOpsCommitModel) preview(ctx context.Context, state *gitOpsCommitModel, known *record, result *engine.Result) {
	var now repository
	if state != nil && !m.moves(state) {
		now = state.repository(ctx, known)
		for _, name := range m.released(state, known) {
			delete(now.folders, name)
		}
		if m.leavesTracking(known, result) {
			now.tracking = nil
		}
	}
	changes := diff.Folders(now.folders, withoutFolders(result.Folders, now.unknown))
	folder := path.Join(tree.SplitPath(m.Path.ValueString())...)
	for i := range changes {
		changes[i].Path = path.Join(folder, changes[i].Path)
	}
	tracking := diff.Change{Path: engine.TrackingFile, Old: now.tracking}
	if result.Tracking != nil {
		tracking.New = &diff.File{Mode: tree.ModeFile, ID: result.TrackingID(), Content: result.Tracking}
	}
	if !tracking.Same() {
		changes = append(changes, tracking)
	}
	slices.SortStableFunc(changes, func(a, b diff.Change) int { return cmp.Compare(a.Path, b.Path) })

	note := ""
	if len(now.unknown) > 0 {
		note = fmt.Sprintf("(not shown, since what is in the repository is not known file by file: %s)\n", strings.Join(now.unknown, ", "))
	}
	m.Diff = types.StringValue(note + diff.Unified(changes, int(m.MaxDiffLines.ValueInt64())))
}

// withoutFolders gives the folders but for those of that name.
func withoutFolders(all map[string]*tree.Dir, names []string) map[string]*tree.Dir {
	rest := map[string]*tree.Dir{}
	for name, dir := range all {
		if !slices.Contains(names, name) {
			rest[name] = dir
		}
	}
	return rest
}

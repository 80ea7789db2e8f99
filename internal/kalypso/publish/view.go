// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// view is the part of the branch that a plan has read: the old side of its diff. It is nil if
// the plan did not have to read the branch.
type view struct {
	// at is the location.
	at git.Location
	// wanted are the changed paths with their desired content. The entry of a removed path has
	// no mode.
	wanted map[string]tree.Entry
	// found is the present content; nil if the branch could not be read. unread is then the
	// reason, unless the provider is not configured yet.
	found  *git.Answer
	unread error
	// there is an inventory with the owners.
	there *ownership.Inventory
}

// isRead reports whether the branch could be read.
func (v *view) isRead() bool { return v != nil && v.found != nil }

// unreadable reports that the branch could not be read. finds is true if the plan looks for
// the owners for the first time.
func (v *view) unreadable(finds bool) message.Messages {
	var m message.Messages
	switch {
	case v == nil || v.unread == nil:
	case finds:
		m.Warn(message.Unreadable,
			"The apply will need the repository, and the plan does not know whether another resource owns its folders. "+problem.Sentence(v.unread))
	default:
		m.Warn(message.Unreadable, "The apply will need the repository, and the plan cannot show changes of files. "+problem.Sentence(v.unread))
	}
	return m
}

// old returns the present content of a path, and whether every file of the content is known.
// Files are unknown if too many files differ. The entry has no mode if the path does not
// exist.
func (v *view) old(path string, want tree.Entry) (e tree.Entry, known bool) {
	f := v.found.Found[path]
	if f == nil {
		return tree.Entry{}, true
	}
	changes := map[string]tree.Entry{}
	for _, difference := range v.found.Differences {
		if below, inside := strings.CutPrefix(difference.Path, path); inside && (below == "" || below[0] == '/') {
			changes[strings.TrimPrefix(below, "/")] = difference.Found
		}
	}
	if f.Mode != tree.ModeDir {
		if f.ID == want.ID {
			return want, true
		}
		return changes[""], true
	}
	dir := cmp.Or(want.Dir, tree.FromEntries(nil)).With(changes)
	return tree.Subdir("", dir), dir.ID == f.ID
}

// changes returns the effect of a decision on the files of the branch, and a note about files
// that cannot be shown.
func (v *view) changes(decision ownership.Decision) (note string, all []diff.FileChange) {
	if !v.isRead() {
		return "(The changed files are not shown, because the branch cannot be read.)\n", nil
	}
	var names []string
	from, to := map[string]tree.Entry{}, map[string]tree.Entry{}
	for path, want := range v.wanted {
		old, known := v.old(path, want)
		if !known {
			names = append(names, ownership.KeyOf(v.at, path))
			continue
		}
		from[path], to[path] = old, want
	}
	if len(names) > 0 {
		slices.Sort(names)
		note = fmt.Sprintf("(not shown, because too many files differ: %s)\n", strings.Join(names, ", "))
	}
	all = diff.Trees(tree.FromEntries(nil).With(from), tree.FromEntries(nil).With(to))
	for i, c := range all {
		all[i].Beside = decision.IsBeside(c.Path)
	}
	return note, all
}

// packages returns the digests of the present packages at the changed paths.
func (v *view) packages() engine.Digests {
	d := engine.Digests{}
	if !v.isRead() {
		return d
	}
	for path := range v.wanted {
		if found := v.found.Found[path]; found != nil {
			ownership.AddDigests(d, v.at, engine.DetailPackage, path, found)
		}
	}
	return d
}

// summary is the summary of a plan for a reader. It compares the paths that a resource takes
// over or finds with their present content.
func (v *view) summary(c *computed, summary string) string {
	before := v.packages()
	switch {
	case len(before) == 0:
	case c.Was == nil:
		return before.Summary(c.result.Digests(engine.DetailPackage), engine.DetailPackage) + ", compared with the present content"
	case len(c.decision.TakenOver) > 0:
		return summary + "; the counts compare taken-over paths with their present content"
	}
	return summary
}

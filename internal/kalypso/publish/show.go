// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// show reports the change as a warning.
func (w *work) show(ctx context.Context) (m message.Messages) {
	if !w.locationKnown() {
		return m
	}
	if trace := w.traceDrift(ctx); trace != "" {
		m.Warn("Drift", trace)
	}
	if w.changes && w.MaxDiffLines > 0 {
		m.Warn(message.PlannedChange, w.report().Warning(w.MaxDiffLines))
	}
	return m
}

// report describes the change of the branch as it was read.
func (w *work) report() message.Report {
	r := message.Report{Totals: w.after.Summary, Before: w.packagesBefore, After: w.packagesAfter, Policies: map[string][]string{},
		Run: w.ciRun, Sources: w.changedSources()}
	if w.result != nil {
		for _, a := range w.result.Placement.Assignments {
			r.Policies[a.Key()] = a.Policies
		}
	}
	if !w.isComparable {
		r.Before, r.After = nil, nil
	}
	r.FilesNote, r.Files = w.fileChanges()
	if (w.isNewPlace || w.Memory.Imported) && w.answer != nil && len(w.packagesBefore) > 0 { // compares with the present content
		r.Totals = w.packagesBefore.Summary(w.packagesAfter, engine.DetailPackage) + ", compared with the present content"
	}
	switch changes := r.FilesNote != "" || len(r.Files) > 0; {
	case len(w.decision.Refused) > 0:
		r.FilesNote += "(The files of folders that exist already are not shown.)\n"
	case !changes && strings.HasPrefix(w.after.Summary, "+"):
		r.Totals = w.after.Summary
		r.Notes = append(r.Notes, "The branch has these files already: no file changes, except the record.")
	}
	if note := w.rendersAnew(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// changedSources returns the sources that the change reads at other commits, by name.
func (w *work) changedSources() (all []message.SourceChange) {
	was, is := w.inventory.Record(w.instance(), w.at).Release.Sources, w.desired.Release.Sources
	names, _ := record.MovedSources(was, is)
	for _, name := range names {
		all = append(all, message.SourceChange{Source: name, From: was[name], To: is[name]})
	}
	return all
}

// fileChanges returns the changed files, and a note about those that cannot be shown.
func (w *work) fileChanges() (note string, all []diff.FileChange) {
	if w.answer == nil {
		return "(The changed files are not shown, because the branch cannot be read.)\n", nil
	}
	var hidden []string
	from, to := map[string]tree.Entry{}, map[string]tree.Entry{}
	for at, edit := range w.decision.Edits {
		if record.IsRecord(at) {
			continue
		}
		old, known := w.oldContent(at, edit)
		if !known {
			hidden = append(hidden, at)
			continue
		}
		from[at] = old
		if to[at] = edit; !git.Writes(edit) {
			to[at] = tree.Entry{}
		}
	}
	if len(hidden) > 0 {
		slices.Sort(hidden)
		note = fmt.Sprintf("(not shown, because too many files differ: %s)\n", wording.First(hidden, wording.MaxListed))
	}
	all = diff.Trees(tree.FromEntries(nil).With(from), tree.FromEntries(nil).With(to))
	for i, c := range all {
		all[i].Beside = w.isBeside(c.Path)
	}
	return note, all
}

// oldContent returns the present content of a path, and whether every file of it is known. Files
// are unknown if too many files differ. The entry has no mode if the path does not exist.
func (w *work) oldContent(at string, want tree.Entry) (e tree.Entry, known bool) {
	f := w.answer.Found[at]
	if f == nil {
		return tree.Entry{}, true
	}
	changes := map[string]tree.Entry{}
	for _, difference := range w.answer.Differences {
		if below, inside := strings.CutPrefix(difference.Path, at); inside && (below == "" || below[0] == '/') {
			changes[strings.TrimPrefix(below, "/")] = difference.Found
		}
	}
	if f.Mode != tree.ModeDir {
		if f.ID == want.ID {
			return want, true
		}
		return changes[""], true
	}
	dir := cmp.Or(w.compared[at].Dir, tree.FromEntries(nil)).With(changes)
	return tree.Subdir("", dir), dir.ID == f.ID
}

// isBeside reports whether a file is beside the packages, such as the README.md of a cluster type.
func (w *work) isBeside(file string) bool {
	key := strings.TrimPrefix(file, w.at.Join("")+"/")
	clusterType, below, _ := strings.Cut(key, "/")
	_, isFolder := w.desired.Content[clusterType]
	return !isFolder && !slices.Contains(w.decision.Removed, clusterType) || !engine.IsPackage(clusterType+"/"+below)
}

// presentPackages returns the digests of the packages in the branch that are ours or become ours.
// They need the read branch.
func (w *work) presentPackages() engine.Digests {
	var keys []string
	for key, found := range w.inventory.Found {
		isRefused := slices.ContainsFunc(w.decision.Refused, func(r ownership.Refusal) bool { return r.Key == key })
		if _, written := w.decision.Edits[record.PathOf(w.at, key)]; written && !isRefused {
			keys = append(keys, key)
		}
		if want := w.desired.Content[key]; want.Dir != nil && want.ID == found.ID { // then the entries were not read
			found.Entries = want.Dir.Entries
		}
	}
	return w.inventory.Digests(keys, engine.DetailPackage)
}

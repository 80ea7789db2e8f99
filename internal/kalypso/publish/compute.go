// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// The steps of this file compute the wanted content. A plan and an apply begin with them.

// render computes the fleet.
func (w *work) render(ctx context.Context) (m message.Messages) {
	fleet := w.Fleet
	if w.KeepBroken {
		fleet.Reject = &w.Findings
	}
	result, err := w.compute(ctx, fleet)
	if result == nil || !w.KeepBroken {
		m.Errors = message.Problems(err)
	}
	if !m.Failed() && !w.KeepBroken {
		m.Errors = message.Problems(brokenFiles(result.Fleet).Err())
	}
	if m.Failed() {
		return w.advise(m, result != nil)
	}
	w.log(ctx, "computed", map[string]any{"environment": fleet.Environment, "assignments": len(result.Placement.Assignments),
		"cluster_types": len(result.Folders), "failed": len(result.Failures)})
	w.result = result
	return m
}

// advise adds to the errors of a fleet how to go on until they are fixed: without the broken
// applications, or, if nothing can be computed without them, with the branch as it is.
func (w *work) advise(m message.Messages, ofApplications bool) message.Messages {
	last := &m.Errors[len(m.Errors)-1]
	switch {
	case ofApplications:
		last.Detail += "\n\nTo write all other packages until the errors are fixed, set on_error = \"keep\". The packages with errors then " +
			"stay in the branch unchanged."
	case w.Was != nil:
		last.Detail += "\n\nTo keep the branch unchanged until the errors are fixed, set KALYPSO_HOLD=1."
	}
	return m
}

// wanted puts together the content of the place.
func (w *work) wanted(context.Context) (m message.Messages) {
	r, s := w.result, w.Settings
	d := ownership.Desired{
		Location: w.at, Environment: s.Fleet.Environment, IsPart: s.Fleet.IsPart(), Content: map[string]tree.Entry{}, InFleet: r.Others,
		Removal: s.OnRemoval, Sources: s.Sources, Version: w.version,
		Commit: ownership.AsRelease(cmp.Or(string(r.OwnedFiles[engine.PromotedCommitFile]), r.Fleet.PromotedCommit)),
	}
	if s.Fleet.LeavesPromotedCommit() { // another resource writes the file
		d.InFleet = append(slices.Clone(d.InFleet), engine.PromotedCommitFile)
	}
	for name, dir := range r.Folders {
		d.Content[name] = tree.Subdir(name, dir)
	}
	for file, content := range r.OwnedFiles {
		d.Content[file] = tree.File(file, content)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if err := w.checkFile(name); err != nil {
			m.Errors = append(m.Errors, message.Message{Setting: "files", Summary: "Invalid file", Detail: problem.Sentence(err)})
			continue
		}
		d.Content["./"+name] = tree.File(name, []byte(s.Files[name]))
	}
	m.Errors = append(m.Errors, checkTracking(d)...)
	w.desired = d
	return m
}

// checkFile returns an error if files cannot have a path.
func (w *work) checkFile(name string) error {
	if err := ownership.CheckKey("./" + name); err != nil {
		return err
	}
	at := w.at.Join(name)
	top, _, _ := strings.Cut(name, "/")
	var types []string
	for _, ct := range w.result.Fleet.ClusterTypes {
		types = append(types, ct.Name)
	}
	for _, reserved := range []string{ownership.RecordsFolder, path.Dir(engine.PromotedCommitFile)} {
		if at == reserved || strings.HasPrefix(at, reserved+"/") {
			return fmt.Errorf("files has the path %s, and the provider writes the folder %s itself. Choose another path", name, reserved)
		}
	}
	if slices.Contains(types, top) {
		return fmt.Errorf("files has the path %s, and %s is the folder of a cluster type. Choose another path, or let a template write the file",
			name, top)
	}
	return nil
}

// checkTracking refuses a cluster type whose folder has the file of the promoted commit, because
// this file would have two owners.
func checkTracking(d ownership.Desired) (wrong []message.Message) {
	file := engine.PromotedCommitFile
	if _, written := d.Content[file]; !written {
		return nil
	}
	for _, key := range d.Keys() {
		if folder := ownership.PathOf(d.Location, key); ownership.IsFolder(key) && strings.HasPrefix(file, folder+"/") {
			wrong = append(wrong, message.Message{Setting: "path", Summary: "The promoted commit's file is in a cluster type's folder",
				Detail: fmt.Sprintf("The folder %s of a cluster type belongs to this resource as a whole, and the file %s is in this folder. Write "+
					"below another path, rename the cluster type, or set promoted_commit = \"\".", folder, file)})
		}
	}
	return wrong
}

// planValues fills in the planned attributes. They depend only on the settings, the state and the
// private state.
func (w *work) planValues(context.Context) (m message.Messages) {
	before, after, detail := w.sides()
	w.after.Packages = w.digests(w.Detail)
	w.after.Kept = w.keptKeys()
	switch {
	case w.isNewPlace() || !maps.Equal(before, after):
		w.after.Summary = before.Summary(after, detail) + w.movedSources()
	case w.Detail != w.Was.Detail:
		w.after.Summary = "no file changes, only the keys of packages"
	case w.Was.Status == Drifted:
		w.after.Summary = "the record is repaired, no package changes"
	case w.movedSources() != "" || !w.sameFleet():
		w.after.Summary = "no package changes" + w.movedSources()
	}
	if w.isNewPlace() {
		w.after.Commit, w.after.MergedCommit, w.after.RequestURL = "", "", ""
		w.after.Proposal.Forget()
	}
	w.after.Status = InSync
	return m
}

// digests returns the digests of the wanted content.
func (w *work) digests(detail engine.Detail) engine.Digests {
	d := w.result.Digests(detail)
	for key, e := range w.desired.Content {
		if strings.HasPrefix(key, "./") {
			d[key] = e.ID.Short()
		}
	}
	return d
}

// sides returns the content in the state and the wanted content, without the folders that are
// released and stay as they are. The keys are comparable: those of cluster types, if the state has
// other keys than the settings ask for.
func (w *work) sides() (before, after engine.Digests, detail engine.Detail) {
	detail = w.Detail
	switch {
	case w.isNewPlace():
		before = engine.Digests{}
	case w.Was.Detail == detail:
		before = maps.Clone(w.Was.Packages)
	default:
		detail, before = engine.DetailClusterType, engine.Digests{}
		for key, id := range w.Memory.Seen {
			before[key] = id.Short()
		}
	}
	for _, name := range w.desired.InFleet {
		before.RemoveFolder(name)
	}
	return before, w.digests(detail), detail
}

// writes reports whether the apply changes content, as far as the state shows it.
func (w *work) writes() bool {
	before, after, _ := w.sides()
	return w.isNewPlace() || !maps.Equal(before, after)
}

// movedSources ends a summary: how many sources have other commits than at the last apply.
func (w *work) movedSources() string {
	if w.isNewPlace() {
		return ""
	}
	moved, all := ownership.MovedSources(w.Was.Sources, w.Sources)
	if len(moved) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %s changed", len(moved), wording.Count(all, "source"))
}

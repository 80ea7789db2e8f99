// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// The steps of this file compute the wanted content. A plan and an apply begin with them.

// render computes the fleet.
func (w *work) render(ctx context.Context) (m message.Messages) {
	fleet := w.Fleet
	fleet.PromotedCommit = w.Release.Commit
	if w.KeepBroken {
		fleet.Reject = &w.Findings
	}
	if w.Was != nil && !w.isOtherEnvironment {
		fleet.Before, fleet.Owners = w.Was.Fleet.Manifests, w.Memory.Owners
	}
	result, err := w.Compute(ctx, fleet)
	if result == nil || !w.KeepBroken {
		m.Errors = message.Problems(err)
	}
	if m.Failed() {
		return w.advise(m, result != nil)
	}
	w.Logger(ctx, "computed", map[string]any{"environment": fleet.Environment, "assignments": len(result.Placement.Assignments),
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
	if record.PlainPath(w.at.Path) != "." { // the branch has one file for the promoted commit, and several paths may have environments
		delete(r.OwnedFiles, engine.PromotedCommitFile)
	}
	d := ownership.Desired{
		Location: w.at, Environment: s.Fleet.Environment, IsPart: s.Fleet.IsPart(), Content: map[string]tree.Entry{}, InFleet: r.Others,
		Removal: s.OnRemoval, Version: w.Version,
		Release: record.Release{Commit: record.AsRelease(r.Fleet.PromotedCommit), Sources: s.Release.Sources},
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
	w.desired = d
	return m
}

// checkFile returns an error if files cannot have a path.
func (w *work) checkFile(name string) error {
	if err := record.CheckKey("./" + name); err != nil {
		return err
	}
	at := w.at.Join(name)
	top, _, _ := strings.Cut(name, "/")
	var types []string
	for _, ct := range w.result.Fleet.ClusterTypes {
		types = append(types, ct.Name)
	}
	for _, reserved := range []string{record.RecordsFolder, path.Dir(engine.PromotedCommitFile)} {
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

// planValues fills in the planned attributes. They depend only on the settings, the state and the
// private state.
func (w *work) planValues(context.Context) (m message.Messages) {
	before, detail := w.contentBefore()
	after := digestsOf(w.result, w.desired, detail)
	w.writes = w.isNewPlace || !maps.Equal(before, after)
	w.after.Packages = digestsOf(w.result, w.desired, w.Detail)
	w.after.Kept = keptKeys(w.result)
	moved := ""
	if !w.isNewPlace {
		moved = movedSources(w.Was.Release.Sources, w.Release.Sources)
	}
	switch {
	case w.writes:
		w.after.Summary = before.Summary(after, detail) + moved
	case w.Detail != w.Was.Detail:
		w.after.Summary = "no file changes, only the keys of packages"
	case w.Was.Status == Drifted:
		w.after.Summary = "no package changes, only the record if it differs"
	case moved != "" || !w.sameFleet():
		w.after.Summary = "no package changes" + moved
	}
	if w.isNewPlace {
		w.after.Commit, w.after.MergedCommit, w.after.RequestURL = "", "", ""
		w.after.Proposal = request.Noted{}
	}
	w.after.Status = InSync
	if w.Request == nil {
		return m
	}
	// An open or closed request for the same content stays as it is, unless its branch gets another
	// name, or the branch has the content already.
	w.asks = w.writes || !w.sameFleet() || w.Was.Request == nil || w.Was.Status == Drifted || w.OnRemoval != w.Was.OnRemoval ||
		w.Request.BranchPrefix != w.Was.Request.BranchPrefix || w.Was.Status == InSync && w.Was.Proposal.IsOpen()
	w.isQuiet = !w.asks && (w.Was.Status == Proposed || w.Was.Status == Closed)
	return m
}

// digestsOf returns the digests of the wanted content.
func digestsOf(result *engine.Result, wanted ownership.Desired, detail engine.Detail) engine.Digests {
	d := result.Digests(detail)
	for key, e := range wanted.Content {
		if strings.HasPrefix(key, "./") {
			d[key] = e.ID.Short()
		}
	}
	return d
}

// contentBefore returns the content in the state, without the folders that are released and stay as
// they are. The keys are those of cluster types, if the state has other keys than the settings ask for.
func (w *work) contentBefore() (before engine.Digests, detail engine.Detail) {
	detail = w.Detail
	switch {
	case w.isNewPlace:
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
	return before, detail
}

// movedSources ends a summary: how many sources have other commits than at the last apply.
func movedSources(was, now map[string]string) string {
	moved, all := record.MovedSources(was, now)
	if len(moved) == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %s changed", len(moved), wording.Count(all, "source"))
}

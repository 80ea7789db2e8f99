// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

const (
	// maxCulprits is how many commits that changed our folders are reported.
	maxCulprits = 10
	// maxAuthor and maxSubject are how many bytes of each are shown.
	maxAuthor, maxSubject = 60, 120
)

// traceDepth is how many commits are searched, and maxTraced for changes of how many folders.
const traceDepth, maxTraced = 200, 100

// traceDrift returns the commits that changed our folders since the last apply; empty if nothing
// drifted.
func (p *Publisher) traceDrift(ctx context.Context, c Change) string {
	at, applied := c.Wanted.Location, c.Job.Memory.OursAtApply
	if c.Had == nil || c.Had.Status != Drifted || len(applied) == 0 || c.Seen == nil {
		return ""
	}
	if c.Seen.Head.IsZero() {
		return fmt.Sprintf("%s does not exist any more: somebody has deleted the branch. The apply creates it again.", at.Of())
	}
	drifted, levels := map[string]tree.ID{}, 1 // by path
	for _, key := range slices.Sorted(maps.Keys(applied)) {
		if path := record.PathOf(at, key); c.Seen.Content[key].ID != applied[key] && len(drifted) < maxTraced {
			drifted[path], levels = applied[key], max(levels, len(tree.SplitPath(path)))
		}
	}
	if len(drifted) > 0 {
		return p.trace(ctx, at.Of(), drifted, levels)
	}
	return fmt.Sprintf("The folders have the applied content, and somebody has changed the record: %s no longer lists exactly these "+
		"folders as owned. git log -- %[1]s names the commits. The apply writes the record again, unless another resource owns a folder now.",
		record.Path(c.Had.Instance))
}

// wentBack returns the title of a warning about drift. If somebody took the branch back to the wanted release, it also says so,
// and which other waves have another release.
func wentBack(records record.Records, instance string, was, wanted record.Release) (title, text string) {
	now := records[instance]
	if was.Commit == "" || now.Release.Commit == "" || !now.Release.Same(wanted) || now.Release.Same(was) {
		return "Drift", ""
	}
	var others []string
	for _, r := range records {
		if r.Environment == now.Environment && r.Branch == now.Branch && r.Path == now.Path && !r.Release.Same(now.Release) {
			others = append(others, fmt.Sprintf(" The wave of %s is at %s.", wording.First(r.Keys(record.Owned), 1), r.Release.Commit))
		}
	}
	text = fmt.Sprintf("Somebody took these cluster types back from release %s to %s, and they stay there.%s", was.Commit, now.Release.Commit,
		strings.Join(wording.Sorted(others), ""))
	if now.IsPart {
		text += " If this plan does not take the other waves back, set pin to a GitOps commit from before the bad release."
	}
	return "Went back", text + "\n\n"
}

// trace names the commits that changed folders after the branch last had the applied content, which is given by path,
// or says why they are not known. Cost: one listing of references and one fetch of commits with
// the trees that lead to the folders.
func (p *Publisher) trace(ctx context.Context, at git.Branch, applied map[string]tree.ID, levels int) string {
	var commits []git.Commit
	var reached bool
	log, err := p.Git.Snapshots().Log(ctx, at, levels)
	if err == nil {
		commits, reached, err = culprits(ctx, applied, log)
	}
	switch {
	case err != nil:
		return "The commits that caused the drift are not known, because the history cannot be read. " + problem.Sentence(err)
	case reached:
		return named(commits)
	}
	return fmt.Sprintf("The commits that caused the drift are not known: the history of %s does not contain the applied content. "+
		"Somebody has rewritten the history, or more than %d commits followed the apply.", at, traceDepth)
}

// culprits returns the newest commits that changed a path after the branch last had all applied content,
// newest first. reached reports whether one of the commits has all applied content.
func culprits(ctx context.Context, applied map[string]tree.ID, log *git.Log) (found []git.Commit, reached bool, err error) {
	commits, err := log.Commits(ctx, traceDepth)
	if err != nil {
		return nil, false, err
	}
	content, err := log.At(ctx, commits, slices.Collect(maps.Keys(applied))...)
	if err != nil {
		return nil, false, err
	}
	for i, c := range commits {
		isApplied, changes := true, false
		for at, id := range applied {
			isApplied = isApplied && content[at][i].ID == id
			changes = changes || i+1 < len(commits) && content[at][i].ID != content[at][i+1].ID
		}
		if isApplied {
			return found, true, nil
		}
		if changes {
			found = append(found, c)
		}
	}
	return nil, false, nil
}

// named lists commits, one per line. Each line is indented, because Terraform
// wraps other lines like prose.
func named(commits []git.Commit) string {
	lines := []string{"Commits that caused the drift:\n"}
	for _, c := range commits[:min(len(commits), maxCulprits)] {
		lines = append(lines, fmt.Sprintf("  %s %s %s: %s", c.Time.UTC().Format("2006-01-02 15:04 UTC"), c.ID.Short(),
			wording.Shorten(c.Author.Name, maxAuthor), wording.Shorten(c.Subject(), maxSubject)))
	}
	if more := len(commits) - maxCulprits; more > 0 {
		lines = append(lines, "  and "+wording.Count(more, "earlier commit"))
	}
	return strings.Join(lines, "\n")
}

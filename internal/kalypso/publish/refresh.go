// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// Refresh finds what became of the content and of the pull request. It writes nothing. Cost: one
// read of the branch, and one question to the forge if a request is open.
func (p *Publisher) Refresh(ctx context.Context, job Job) (Outcome, message.Messages) {
	w, ctx := p.begin(ctx, job)
	m := w.run(ctx, []step{
		{"leave what was not written", (*work).leaveUnwritten},
		{"read the branch", (*work).readApplied},
		{"follow the request", (*work).follow},
		{"compare", (*work).settle},
	})
	return w.outcome(), w.about(m)
}

// leaveUnwritten ends the refresh of a resource that has written nothing yet.
func (w *work) leaveUnwritten(context.Context) (m message.Messages) {
	w.at = w.Was.Location
	w.isDone = w.isUnwritten
	return m
}

// readApplied reads the folders that the resource had, and those that its record lists.
func (w *work) readApplied(ctx context.Context) (m message.Messages) {
	if w.Was.Status != Proposed && w.Was.Status != Closed { // the packages in the state are those of the branch
		w.known = w.Memory.Seen
	}
	inv, answer, err := w.observe(ctx, w.at, w.Was.Instance, w.mayRemove(), w.known, nil)
	if err != nil {
		m.Fail(message.Unreadable, problem.Sentence(message.OfApplied(err)))
		return m
	}
	w.inventory, w.answer = inv, answer
	w.memory.Seen, w.memory.Planned = idsOf(inv), nil
	return m
}

// follow finds the outcome of the open pull request.
func (w *work) follow(ctx context.Context) (m message.Messages) {
	noted := &w.after.Proposal
	if !noted.IsOpen() {
		return m
	}
	found, err := w.requests.Follow(ctx, w.at, *noted)
	if err != nil {
		m.Fail("The pull request cannot be followed", problem.Sentence(message.OfApplied(err)))
		return m
	}
	if found.State == forge.Open && found.HeadCommit != noted.Commit {
		m.Warn("Somebody pushed to the pull request", fmt.Sprintf("%s, the branch of %s, is at the commit %s. The provider made %s. Look at "+
			"the commit before you merge the request.", noted.Branch, w.Was.RequestURL, found.HeadCommit, noted.Commit))
	}
	switch found.State {
	case forge.Merged:
		w.after.MergedCommit = found.MergeCommit
		noted.Replace()
		w.after.Status = InSync
	case forge.Closed:
		w.after.Status = Closed
	default:
		w.after.Status = Proposed
	}
	return m
}

// settle compares the branch with the last apply. While a request is open or closed, the branch
// still has what it had when the request was made.
func (w *work) settle(context.Context) (m message.Messages) {
	owned := w.inventory.Record(w.Was.Instance, w.at).Keys(record.Owned)
	isProposal := w.after.Status == Proposed || w.after.Status == Closed
	if w.memory.Applied == nil { // nothing to compare with: see Memory
		w.memory.Applied = map[string]tree.ID{}
		for _, key := range owned {
			w.memory.Applied[key] = w.inventory.ID(key)
		}
		if isProposal {
			return m
		}
	}
	applied := w.memory.Applied
	isApplied := len(applied) == len(owned) && !slices.ContainsFunc(owned, func(key string) bool {
		id, ok := applied[key]
		return !ok || w.inventory.ID(key) != id
	})
	switch {
	case isApplied:
		w.after.Status = InSync
	case isProposal && (w.Memory.Seen == nil || maps.Equal(w.Memory.Seen, w.memory.Seen)):
		return m // packages are the proposed ones
	case isProposal: // the request is for another content of the branch
		w.after.Status, w.memory.Seen = Drifted, w.Memory.Seen
	default:
		w.after.Status = Drifted
	}
	w.after.Packages = w.foundPackages(owned)
	return m
}

// foundPackages returns the digests of the owned content. A folder that did not change since the
// last look has the digests of the state.
func (w *work) foundPackages(owned []string) engine.Digests {
	d := engine.Digests{}
	for _, key := range owned {
		id := w.inventory.ID(key)
		if !record.IsFolder(key) || w.Detail == engine.DetailClusterType || id.IsZero() || id != w.known[key] {
			maps.Copy(d, w.inventory.Digests([]string{key}, w.Detail))
			continue
		}
		for name, digest := range w.Was.Packages {
			if strings.HasPrefix(name, key+"/") {
				d[name] = digest
			}
		}
	}
	return d
}

// traceDrift returns the commits that changed our folders since the last apply; empty if nothing
// drifted.
func (w *work) traceDrift(ctx context.Context) string {
	if w.isNewPlace || w.Was.Status != Drifted || len(w.Memory.Applied) == 0 || w.Git == nil {
		return ""
	}
	if w.answer != nil && w.inventory.Head.IsZero() {
		return fmt.Sprintf("%s does not exist any more: somebody has deleted the branch. The apply creates it again.", w.at.Of())
	}
	if commits := w.trace(ctx, w.at, w.Memory.Applied); commits != "" || w.answer == nil {
		return commits
	}
	return fmt.Sprintf("The folders have the applied content, and somebody has changed the record: %s no longer lists exactly these "+
		"folders as owned. git log -- %[1]s names the commits. The apply writes the record again, unless another resource owns a folder now.",
		record.RecordPath(w.Was.Instance))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Refresh finds what became of the content and of the pull request. It writes nothing. Cost: one question to the forge if a request is
// open, and one listing of references. If the branch moved since the last look, also one read of it.
func (p *Publisher) Refresh(ctx context.Context, job Job) (Outcome, message.Messages) {
	ctx = job.trusting(ctx)
	was := job.Was
	job.Memory.BranchAtPlan = nil
	out := Outcome{Location: was.Location, Instance: was.Instance, Attributes: was.Attributes, Memory: job.Memory}
	if job.isUnwritten() {
		return out, message.Messages{}
	}
	var m message.Messages
	if was.LastRequest.IsOpen() {
		if out.Attributes, m = p.follow(ctx, was); m.Failed() {
			return out, job.about(was.Location, m)
		}
	}
	q := query{at: was.Location, instance: was.Instance, keys: job.hadKeys()}
	if out.Status == was.Status { // else the same content means something else
		q.last = job.Memory.LastLook
	}
	if was.Status != Proposed && was.Status != Closed { // the packages in the state are those of the branch
		q.known = ownership.Known(job.Memory.BranchAtRefresh)
		q.keys = wording.Sorted(append(q.keys, q.known.Keys()...))
	} else {
		q.last.Records = tree.ID{}
	}
	switch seen, err := p.observe(ctx, q); {
	case err != nil:
		m.Fail(message.Unreadable, problem.Sentence(message.OfApplied(err)))
	case seen.Content == nil: // as at the last look
	default:
		out = refreshed(job, q.known, seen, out)
		if out.Status != was.Status || !maps.Equal(out.Packages, was.Packages) || !bytes.Equal(out.Memory.Text(), job.Memory.Text()) {
			out.Memory.LastLook = Look{seen.Head, seen.Folder.ID} // else Terraform would report a change
		}
	}
	return out, job.about(was.Location, m)
}

func (p *Publisher) follow(ctx context.Context, was *Applied) (now Attributes, m message.Messages) {
	now = was.Attributes
	found, err := p.requests.Follow(ctx, was.Location, was.LastRequest)
	if err != nil {
		m.Fail("The pull request cannot be followed", problem.Sentence(message.OfApplied(err)))
		return now, m
	}
	if found.State == forge.Open && found.HeadCommit != was.LastRequest.Commit {
		m.Warn("Somebody pushed to the pull request", fmt.Sprintf("%s, the branch of %s, is at the commit %s. The provider made %s. Look at "+
			"the commit before you merge the request.", was.LastRequest.Branch, was.RequestURL, found.HeadCommit, was.LastRequest.Commit))
	}
	switch found.State {
	case forge.Merged:
		now.MergedCommit, now.Status = found.MergeCommit, InSync
		now.LastRequest.Replace()
	case forge.Closed:
		now.Status = Closed
	default:
		now.Status = Proposed
	}
	return now, m
}

// refreshed compares what the branch has with the last apply. known is content that the refresh did not read
// again. While a request is open or closed, the branch still has what it had when the request was made.
func refreshed(job Job, known ownership.Content, seen ownership.Seen, out Outcome) Outcome {
	ours := seen.Record(out.Instance, out.Location) // gone if another wave took its last line
	owned := ours.Keys(record.Owned)
	isProposal := out.Status == Proposed || out.Status == Closed
	before := out.Memory.BranchAtRefresh
	out.Memory.BranchAtRefresh = seen.Content.IDs()
	if out.Memory.OursAtApply == nil { // nothing to compare with: see Memory
		out.Memory.OursAtApply = map[string]tree.ID{}
		for _, key := range owned {
			out.Memory.OursAtApply[key] = seen.Content[key].ID
		}
		if isProposal {
			return out
		}
	}
	applied, wrote := out.Memory.OursAtApply, out.Memory.RecordAtApply
	isRecorded := wrote.IsZero() || ours.Instance == "" || wrote == recordID(ours)
	isApplied := isRecorded && len(applied) == len(owned) && !slices.ContainsFunc(owned, func(key string) bool {
		id, ok := applied[key]
		return !ok || seen.Content[key].ID != id
	})
	switch {
	case isApplied:
		out.Status = InSync
	case isProposal && (before == nil || maps.Equal(before, out.Memory.BranchAtRefresh)):
		return out // packages are the proposed ones
	case isProposal: // the request is for another content of the branch
		out.Status, out.Memory.BranchAtRefresh = Drifted, before
	default:
		out.Status = Drifted
	}
	if slices.ContainsFunc(owned, func(key string) bool { return seen.IsDoubled(out.Instance, out.Location, key) }) {
		out.Memory.Complete = "" // the plan has something to say
	}
	out.Packages = packagesNow(job, known, seen, owned)
	return out
}

// packagesNow returns the digests of the owned content. A folder that did not change since the last look has
// the digests of the state.
func packagesNow(job Job, known ownership.Content, seen ownership.Seen, owned []string) engine.Digests {
	unread := map[string]bool{}
	for _, key := range owned {
		e := seen.Content[key]
		unread[key] = record.IsFolder(key) && job.Detail == engine.DetailPackage && !e.ID.IsZero() && e.ID == known[key].ID
	}
	d := seen.Content.Digests(owned, job.Detail)
	for name, digest := range job.Was.Packages {
		if key, _, _ := strings.Cut(name, "/"); unread[key] {
			d[name] = digest
		}
	}
	return d
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Track is the past of an environment.
type Track struct {
	// Steps are the changes of its release, the oldest first; the last one is its present release. A step
	// whose release is zero ended the environment.
	Steps []Step
	// Differ names the records of the newest commit with their releases, if they have several.
	Differ string
	// Note says, in whole sentences, why steps are missing that users expect, and what to do: for
	// example, the branch does not exist. It may be empty.
	Note string
}

// Step is a stretch of GitOps commits with one release.
type Step struct {
	Release Release
	// By is the commit that brought the release.
	By Commit
	// Commits are the commits on the line of first parents that carried the release until the next step,
	// the oldest first. There may be none: then clusters have not seen it.
	Commits []Commit
}

// Commit is a commit, of a GitOps branch or of the source.
type Commit struct {
	ID              string
	Author, Subject string
	// Time is the committer date. In Commits of a Step, it is not before that of an earlier commit of the line.
	Time time.Time
}

// Described describes a commit of a repository. Its texts are foreign.
func Described(c git.Commit) Commit {
	return Commit{ID: c.ID.String(), Author: wording.Line(c.Author.Name), Subject: wording.Line(c.Subject()), Time: c.Time}
}

// depth is how many steps of a branch a track is read from.
const depth = 5000

// Track reads the past of an environment from its GitOps branch. Its Note says why it is not in the
// branch now. Errors: those of BranchHistory.Commits, and a record of the newest commit that cannot be
// read. Cost: that of BranchHistory.Commits.
func (r Reader) Track(ctx context.Context, p Place) (track Track, err error) {
	branch, err := r.Branch(ctx, p.Branch, 1)
	if err != nil {
		return track, err
	}
	history, err := branch.Commits(ctx, depth)
	if err != nil {
		return track, err
	}
	if len(history) == 0 {
		track.Note, err = Missing(ctx, branch.Log, p.Branch)
		return track, err
	}
	head, past := history[len(history)-1], p.Follow(history)
	track.Steps, track.Differ = steps(history, past), differ(head.Live(past[len(past)-1]))
	track.Note = p.note(head, track.Steps)
	return track, head.Unreadable
}

// differ names records with their releases, if they have several releases.
func differ(records []Record) string {
	if !slices.ContainsFunc(records, func(r Record) bool { return !r.Release.Same(records[0].Release) }) {
		return ""
	}
	said := make([]string, len(records))
	for i, r := range records {
		said[i] = fmt.Sprintf("%s is at %s", r, r.Release.Commit)
	}
	return wording.First(said, wording.MaxListed)
}

// note says why the environment has no release in the newest commit; "" if it has one.
func (p Place) note(head GitOpsCommit, steps []Step) string {
	if n := len(steps); n > 0 && steps[n-1].Release.Commit != "" {
		return ""
	} else if n > 0 {
		by := steps[n-1].By
		return fmt.Sprintf("Environment %q left %s with commit %.7s (%q by %s, %s): it was destroyed or moved. Apply it there again, or name "+
			"the place where it is now.", p.Environment, p.Branch, by.ID, by.Subject, by.Author, wording.Moment(by.Time.UTC()))
	}
	var said []string
	for _, instance := range slices.Sorted(maps.Keys(head.Records)) {
		r := head.Records[instance]
		if said = append(said, r.String()); r.Branch != p.Branch.Name {
			said[len(said)-1] += fmt.Sprintf(", a copy from branch %q", r.Branch)
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("%s has no record of an environment, and no %s. If its GitOps repository is new, apply %s there first, with pin at "+
			"the release that it is at.", p.Branch, engine.PromotedCommitFile, p.Name())
	}
	return fmt.Sprintf("No record on %s names one release of %s, as before its first apply. If it was applied, correct environment, branch, "+
		"path or cluster_types, or set release in its kalypso_gitops_commit. The records are of: %s.", p.Branch, p.Name(),
		wording.First(said, wording.MaxListed))
}

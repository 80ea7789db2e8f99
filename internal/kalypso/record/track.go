// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Place is the part of a branch that belongs to an environment.
type Place struct {
	Branch git.Branch
	// Environment is the name of the environment in its records.
	Environment string
	// Path, if not nil, is the folder of the records. If ClusterTypes is not empty, a record
	// needs at least one of these cluster types.
	Path         *string
	ClusterTypes []string
}

// depths are how many commits of a branch a track is read from: the first are enough if they reach
// back to the wanted release, or to the beginning of the present one.
var depths = []int{200, 5000}

// Track reads the past of an environment from its GitOps branch, back to a release if it is not
// zero. Its Note says why it is not in the branch now. Errors: those of reading a branch, and a
// record of the newest commit that cannot be read. Cost: that of BranchHistory.Commits.
func (r Reader) Track(ctx context.Context, p Place, back Release) (track Track, err error) {
	branch, err := r.Branch(ctx, p.Branch, 1)
	if err != nil {
		return track, err
	}
	var commits []GitOpsCommit
	for _, depth := range depths {
		if commits, err = branch.Commits(ctx, depth); err != nil {
			return track, err
		}
		track.Steps = p.steps(commits)
		isBack := slices.ContainsFunc(track.Steps, func(s Step) bool { return s.Release.Same(back) })
		if len(commits) < depth || isBack || back.Commit == "" && len(track.Steps) != 1 {
			break
		}
	}
	if len(commits) == 0 {
		track.Note, err = Missing(ctx, branch.Log, p.Branch)
		return track, err
	}
	track.Note = p.note(commits[0], track.Steps)
	return track, commits[0].Unreadable
}

// steps reduces commits, the newest first, to the changes of the release. A resource that is
// replaced releases its folders and takes them again: that does not end the environment.
func (p Place) steps(commits []GitOpsCommit) (steps []Step) {
	isReleased := false
	for _, c := range slices.Backward(commits) {
		release, isOne := p.release(c)
		if n := len(steps); n > 1 && isReleased && isOne && release.Commit != "" {
			steps = steps[:n-1]
		}
		isReleased = isOne && release.Commit == "" && p.releases(c)
		switch n := len(steps); {
		case !isOne || n == 0 && release.Commit == "":
		case n > 0 && steps[n-1].Release.Same(release):
			steps[n-1].Commits = append(steps[n-1].Commits, Described(c.Commit))
		default:
			steps = append(steps, Step{Release: release, Commits: []Commit{Described(c.Commit)}})
		}
	}
	return steps
}

// release returns the release in a commit; the zero release if the environment is not there. isOne
// is false if the records of the environment differ, or cannot be read.
func (p Place) release(c GitOpsCommit) (release Release, isOne bool) {
	if c.Tracked != "" {
		return Release{Commit: c.Tracked}, true
	}
	isFirst := true
	for _, r := range c.Records {
		if !p.has(r) {
			continue
		}
		carried := Release{Commit: CommitID(r.Release.Commit), Sources: r.Release.Sources}
		if !isFirst && !carried.Same(release) {
			return release, false
		}
		release, isFirst = carried, false
	}
	return release, c.Unreadable == nil
}

// has reports whether a record belongs to the environment and owns a folder.
func (p Place) has(r Record) bool { return p.lists(r, Owned) }

// releases reports whether a record of the environment in a commit lists a folder as released.
func (p Place) releases(c GitOpsCommit) bool {
	isReleased := func(r Record) bool { return p.lists(r, Released) }
	return slices.ContainsFunc(slices.Collect(maps.Values(c.Records)), isReleased)
}

// lists reports whether a record belongs to the environment and lists a folder of its cluster types
// as owned or as released. Empty ClusterTypes mean all cluster types.
func (p Place) lists(r Record, as Line) bool {
	keys := r.Keys(as)
	return p.isFor(r) && len(keys) > 0 && (len(p.ClusterTypes) == 0 ||
		slices.ContainsFunc(p.ClusterTypes, func(name string) bool { return slices.Contains(keys, name) }))
}

// isFor reports whether a record has the name and the path of the environment.
func (p Place) isFor(r Record) bool {
	return r.Environment == p.Environment && (p.Path == nil || slices.Equal(tree.SplitPath(*p.Path), tree.SplitPath(r.Path)))
}

// note says why the environment has no release in the newest commit; "" if it has one.
func (p Place) note(head GitOpsCommit, steps []Step) string {
	if n := len(steps); n > 0 {
		last := steps[n-1]
		if c := last.Commits[0]; last.Release.Commit == "" {
			return fmt.Sprintf("Environment %q left %s with commit %.7s (%q by %s, %s): it was destroyed or moved. Apply it there again, or name "+
				"the place where it is now.", p.Environment, p.Branch, c.ID, c.Subject, c.Author, wording.Moment(c.Time.UTC()))
		}
		return ""
	}
	var mine, others []string
	for _, instance := range slices.Sorted(maps.Keys(head.Records)) {
		r := head.Records[instance]
		if p.has(r) {
			mine = append(mine, r.String())
		}
		others = append(others, r.String())
	}
	switch {
	case len(mine) > 0:
		return fmt.Sprintf("No record of %s on %s names a release, or they differ: %s. Set release in its kalypso_gitops_commit, and apply.",
			p.wanted(), p.Branch, wording.First(mine, wording.MaxListed))
	case len(others) > 0:
		return fmt.Sprintf("No record on %s is of %s and owns a folder. The records are of: %s. Correct the environment, branch, path or "+
			"cluster_types, or apply the environment there first.", p.Branch, p.wanted(), wording.First(others, wording.MaxListed))
	}
	return fmt.Sprintf("%s has no record of an environment, and no %s. If its GitOps repository is new, apply %s there first, with pin at "+
		"the release that it is at.", p.Branch, engine.PromotedCommitFile, p.wanted())
}

// wanted describes the records of the environment.
func (p Place) wanted() string {
	text := fmt.Sprintf("environment %q", p.Environment)
	if p.Path != nil {
		text += fmt.Sprintf(", path %q", *p.Path)
	}
	if len(p.ClusterTypes) > 0 {
		text += " with a cluster type of " + wording.First(p.ClusterTypes, wording.MaxListed)
	}
	return text
}

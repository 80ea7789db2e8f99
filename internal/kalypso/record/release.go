// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Release is what an environment carries: the promoted commit of the control plane, and the
// commits of the repositories that the control plane follows. The zero Release is nothing.
type Release struct {
	Commit string
	// Sources maps the name of a followed repository ("<repo>#<branch>") to its commit. Empty
	// means that the control plane reads the heads.
	Sources map[string]string
}

// Same reports whether two releases are equal: same commit, same sources.
func (r Release) Same(other Release) bool {
	return r.Commit == other.Commit && (maps.Equal(r.Sources, other.Sources) || r.Key() == other.Key())
}

// Key returns the same text for releases that are the same.
func (r Release) Key() string {
	parts := []string{r.Commit}
	for source, commit := range ByKey(r.Sources) {
		parts = append(parts, source+"\x00"+commit)
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00")
}

// SourceKey returns the same text for different names of one source: see remote.Key.
func SourceKey(name string) string {
	repo, branch, _ := strings.Cut(name, "#")
	return remote.Key(repo) + "#" + branch
}

// ByKey returns the commits of sources by the keys of the sources.
func ByKey(sources map[string]string) map[string]string {
	commits := make(map[string]string, len(sources))
	for name, commit := range sources {
		commits[SourceKey(name)] = commit
	}
	return commits
}

// Unread stands for the commit of a source that could not be read when the release was made.
var Unread = tree.ID{}.String()

// Known returns the release with the commits of an earlier one for the sources that could not be read.
func (r Release) Known(before Release) Release {
	known, earlier := maps.Clone(r.Sources), ByKey(before.Sources)
	for name, commit := range known {
		if commit == Unread {
			known[name] = cmp.Or(earlier[SourceKey(name)], Unread)
		}
	}
	r.Sources = known
	return r
}

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

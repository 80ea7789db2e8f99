// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// takeCommits takes the commits of the request, by the keys of their branches. Both a URL and
// a branch may have "#", so each one can be where the branch begins.
func (r *run) takeCommits() {
	r.commits = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.request.SourceCommits)) {
		commit := r.request.SourceCommits[name]
		for i, c := range name {
			if c != '#' {
				continue
			}
			key := git.Branch{Repo: name[:i], Name: name[i+1:]}.Key()
			if other := cmp.Or(r.commits[key], commit); other != commit {
				r.problems.Add(problem.Problem{Summary: "Two commits for one source", Detail: fmt.Sprintf(
					"source_commits has %s at %s, and the same repository in another spelling at %s. Remove one of them.", name, commit, other)})
			}
			r.commits[key] = commit
		}
	}
}

// promoted returns the key of the branch that a revision follows, and the commit of the
// request for it. The key is empty for a revision with a commit, for no repository, and for
// the control plane itself: they are not followed.
func (r *run) promoted(at git.Revision) (key, commit string) {
	branch, start := git.Branch{Repo: at.Repo, Name: at.Branch}, r.start.revision
	isStart := start.Commit == "" && branch.Same(git.Branch{Repo: start.Repo, Name: start.Branch})
	if at.Branch == "" || at.Commit != "" || isStart {
		return "", ""
	}
	return branch.Key(), r.commits[branch.Key()]
}

// followed returns Seen.Sources. It warns of branches without a commit in the request, if the
// request has any commit.
func (r *run) followed(sources []*source) map[string]string {
	type leading struct {
		manifest.Meta
		to *source
	}
	var all []leading
	for _, s := range sources {
		for _, l := range s.links {
			all = append(all, leading{l.object.Metadata(), s})
		}
	}
	slices.SortStableFunc(all, func(a, b leading) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID(), b.ID()))
	})
	found, keys, lines := map[string]string{}, map[string]bool{}, []string(nil)
	for _, l := range all {
		key, commit := r.promoted(l.to.revision)
		at := cmp.Or(l.to.commit, commit) // that of a faulty source may not be known
		if key == "" || keys[key] || at == "" || l.to.unreachable != nil && !r.isFaulty(l.to) {
			continue
		}
		name := git.Branch{Repo: l.to.revision.Repo, Name: l.to.revision.Branch}.String()
		keys[key], found[name] = true, at
		if commit == "" {
			lines = append(lines, fmt.Sprintf("%s (%s)", l.ID(), name))
		}
	}
	if len(r.commits) > 0 && len(lines) > 0 {
		r.warnings = append(r.warnings, problem.Problem{Summary: "Sources without a promoted commit", Detail: fmt.Sprintf(
			"source_commits has no commit for %s, so the data source reads the heads of these branches. No earlier environment has tested them. "+
				"Let an earlier environment follow them first, or add their commits to source_commits.", wording.First(lines, maxNamed))})
	}
	return found
}

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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// takeRelease fills in the commits of the release's sources, by the keys of their branches. Both a URL
// and a branch may contain "#", so takeRelease tries each "#" as the one before the branch.
func (r *run) takeRelease() {
	r.commits = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.scope.Release.Sources)) {
		for i, c := range name {
			if c == '#' {
				r.commits[git.Branch{Repo: name[:i], Name: name[i+1:]}.Key()] = r.scope.Release.Sources[name]
			}
		}
	}
}

// main returns the BaseRepo "main" of the control plane itself; nil if it has none.
func (r *run) main() *manifest.BaseRepo {
	for _, f := range r.root.files {
		for _, b := range manifest.Of[*manifest.BaseRepo](f.objects) {
			if b.Name == manifest.MainBaseRepo {
				return b
			}
		}
	}
	return nil
}

// pin sets the commit of the BaseRepo "main" to the release's commit. It reports whether this changes
// the object.
func (r *run) pin(objects []manifest.Object) (changes bool) {
	for _, b := range manifest.Of[*manifest.BaseRepo](objects) {
		if commit := r.scope.Release.Commit; commit != "" && b.Name == manifest.MainBaseRepo && b.Commit != commit {
			b.Commit, changes = commit, true
		}
	}
	return changes
}

// revision returns the revision of the source that an object names: the object's commit, the release's
// commit, or the head. A commit of the release has to be in the history of its branch, otherwise a
// record could name the commit of a fork. All objects that name the control plane's own branch get the
// commit at which that branch was read.
func (r *run) revision(o manifest.Object, ref manifest.RepoRef, commit string) git.Revision {
	at := git.Revision{Repo: ref.Repo, Branch: ref.Branch, Commit: strings.ToLower(commit)}
	switch {
	case commit != "":
		at.InBranch = ref.Branch != "" && r.scope.Release.Commit != "" && o == r.main()
	case r.isOwn(ref):
		at.Commit, at.InBranch = r.root.revision.Commit, r.root.revision.InBranch
	default:
		at.Commit = r.commits[git.Branch{Repo: ref.Repo, Name: ref.Branch}.Key()]
		at.InBranch = at.Commit != ""
	}
	return at
}

// isOwn reports whether a reference is to the control plane's own branch.
func (r *run) isOwn(ref manifest.RepoRef) bool {
	own := git.Location{Repo: r.scope.Branch.Repo, Branch: r.scope.Branch.Name}
	return own.Same(git.Location{Repo: ref.Repo, Branch: ref.Branch})
}

func (r *run) release(sources []*source) record.Release {
	followed := r.followed(sources)
	switch given := r.scope.Release; {
	case len(given.Sources) > 0:
		return given
	case given.Commit != "":
		return record.Release{Commit: given.Commit, Sources: followed}
	}
	commit := r.root.commit
	if i := slices.IndexFunc(r.root.bases, func(l *link) bool { return l.object == r.main() }); i >= 0 {
		commit = r.root.bases[i].to.commit
	}
	return record.Release{Commit: commit, Sources: followed}
}

// followed returns the commits of the branches that objects follow, by "<repo>#<branch>" without
// secrets. If objects spell a repository differently, the first object by name counts. A branch whose
// source has mistakes has a commit too, and one that cannot be read is record.Unread, otherwise a later environment would read its head.
// followed warns of branches that the release does not name.
func (r *run) followed(sources []*source) map[string]string {
	var links []*link
	for _, s := range sources {
		links = append(links, s.links...)
	}
	slices.SortStableFunc(links, func(a, b *link) int {
		return cmp.Or(strings.Compare(a.object.Metadata().Name, b.object.Metadata().Name), strings.Compare(a.id(), b.id()))
	})
	found, keys, unnamed := map[string]string{}, map[string]bool{}, []string(nil)
	for _, l := range links {
		branch := git.Branch{Repo: l.ref.Repo, Name: l.ref.Branch}
		key := branch.Key()
		at := cmp.Or(l.to.commit, r.commits[key])
		if at == "" && l.to.unreachable != nil && !l.to.platform {
			at = record.Unread
		}
		if l.commit != "" || l.object == r.main() || r.isOwn(l.ref) || keys[key] || at == "" {
			continue
		}
		keys[key], found[branch.String()] = true, at
		if r.commits[key] == "" {
			unnamed = append(unnamed, fmt.Sprintf("%s (%s)", l.id(), branch))
		}
	}
	if len(r.commits) > 0 && len(unnamed) > 0 {
		r.warnings = append(r.warnings, problem.Problem{Summary: "Sources that the release does not name", Detail: fmt.Sprintf(
			"The release has no commit for %s, so the data source reads the heads of these branches. No earlier environment has tested them. "+
				"Let an earlier environment follow them first.", wording.First(unnamed, maxNamed))})
	}
	return found
}

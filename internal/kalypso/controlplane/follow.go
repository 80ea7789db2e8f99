// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// follow returns the next sources to read: those that the objects of a wave name. It does not follow
// objects of application teams.
func (r *run) follow(wave []*source) []*source {
	var next []*source
	for _, s := range wave {
		if !s.platform || s.followed {
			continue
		}
		s.followed = true
		for _, f := range s.files {
			for _, o := range f.objects {
				to := r.followObject(s, o)
				if to != nil && (!to.read || to.platform && !to.followed) && !slices.Contains(next, to) {
					next = append(next, to)
				}
			}
		}
	}
	return next
}

// followObject returns the source that an object of a source names; nil if it names none.
func (r *run) followObject(from *source, object manifest.Object) *source {
	l := &link{object: object}
	switch o := object.(type) {
	case *manifest.BaseRepo:
		l.ref, l.commit = o.RepoRef, o.Commit
	case *manifest.WorkloadRegistration:
		l.ref = o.Workload
	default:
		return nil
	}
	if !r.isComplete(object, l.ref, l.commit) {
		return nil
	}
	l.to = r.add(address{revision: r.revision(object, l.ref, l.commit), path: clean(l.ref.Path)})
	if !slices.ContainsFunc(l.to.links, func(known *link) bool { return known.object == object }) {
		l.to.links = append(l.to.links, l)
	}
	if l.registration() == nil {
		from.bases = append(from.bases, l)
		l.to.platform = true
	}
	return l.to
}

func (l *link) registration() *manifest.WorkloadRegistration {
	w, _ := l.object.(*manifest.WorkloadRegistration)
	return w
}

// id returns the object that leads to a source, as kind/name.
func (l *link) id() string { return l.object.Metadata().ID() }

// isComplete reports whether a reference says enough to be followed.
func (r *run) isComplete(o manifest.Object, ref manifest.RepoRef, commit string) bool {
	if err := tree.CheckPath(clean(ref.Path)); err != nil {
		r.problems.Add(o.Metadata().Problem("Invalid path", "The path %q is not a folder of a repository: %s. Write the folder's path from "+
			"the repository's root.", ref.Path, err))
		return false
	}
	if ref.Branch == "" && commit == "" {
		r.problems.Add(o.Metadata().Problem("Missing field", "It names no branch of %s. Set branch.", remote.Redact(ref.Repo)))
		return false
	}
	return true
}

// clean returns the same text for all spellings of a folder.
func clean(folder string) string { return path.Clean(strings.TrimLeft(folder, "/")) }

// reportUnreachable reports every source that could not be read. For a source of an application team,
// this becomes the problem of a file. It is an error if the platform team owns the source, or if the
// run itself ended.
func (r *run) reportUnreachable(ctx context.Context, sources []*source) {
	for _, s := range sources {
		if s.unreachable == nil {
			continue
		}
		p := r.unreachable(s)
		if s.platform || ctx.Err() != nil || errors.Is(s.unreachable, errOffline) {
			p.Detail = fmt.Sprintf("%s cannot be read: %s", cmp.Or(s.directory, s.where(s.path)), p.Detail)
			r.problems.Add(p)
			continue
		}
		p.Where = s.where(s.path) // without a commit
		s.fail(p)
	}
}

// unreachable says why a source cannot be read, and which objects name it.
func (r *run) unreachable(s *source) problem.Problem {
	p := problem.Problem{Summary: "The control plane cannot be read"}
	if len(s.links) > 0 {
		p = s.links[0].object.Metadata().Problem("A source cannot be read", "")
		var ids []string
		for _, l := range s.links {
			ids = append(ids, l.id())
		}
		p.Subject = strings.Join(wording.Sorted(ids), ", ")
	}
	why := s.unreachable.Error()
	if errors.Is(s.unreachable, errOffline) {
		why = r.loader.Offline
	}
	p.Detail = strings.TrimSuffix(why, ".") + "."
	if s.revision.InBranch && remote.Is(s.unreachable, remote.KindCommitNotFound) {
		p.Detail += fmt.Sprintf(" The release asks for the commit %s. Push this commit to the branch again, promote a newer release, or "+
			"choose a release with pin of kalypso_promotion.", s.revision.Commit)
	}
	return p
}

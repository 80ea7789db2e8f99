// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// follow returns the sources that the objects of these name and that have to be
// looked at next. What a registration delivers is not followed: it is not the
// platform team's.
func (r *run) follow(wave []*source) []*source {
	var next []*source
	for _, s := range wave {
		if !s.platform {
			continue
		}
		trusted := r.trusts(s)
		for _, f := range s.files {
			for _, d := range f.documents {
				if !trusted && (len(f.problems) > 0 || r.refusal(s, d.Object, nil).Summary != "") {
					continue // what it leads to would bring nothing
				}
				if found := r.followObject(s, f, d.Object); found != nil && !slices.Contains(next, found) {
					next = append(next, found)
				}
			}
		}
	}
	return next
}

// followObject notes what an object of a source names, and gives that where it
// has to be looked at: not read yet, or not followed yet, or able to bring more than before.
func (r *run) followObject(from *source, f *file, object manifest.Object) *source {
	l := &link{from: from, file: f, object: object}
	ref, commit, leads := manifest.LeadsTo(object)
	follows := r.request.FollowBaseRepos
	if l.registration() != nil {
		follows = r.request.FollowRegistrations
	}
	if !leads || !follows || !r.complete(l, ref, commit) {
		return nil
	}
	s := r.add(addressOf(ref, commit))
	if !r.addLink(l, s) || l.registration() != nil && s.read {
		return nil
	}
	if l.registration() == nil {
		from.bases = append(from.bases, base{l, s})
		s.platform = true
	}
	return s
}

// report reports a problem with an object: to all if the platform team brings the object, or
// else as a problem of its file.
func (r *run) report(l *link, p problem.Problem) {
	if r.trusts(l.from) {
		r.problems.Add(p)
	} else {
		l.file.problems.Add(p)
	}
}

// complete reports a reference that does not say enough to be followed.
func (r *run) complete(l *link, ref manifest.RepoRef, commit string) bool {
	m := l.object.Metadata()
	p := problem.Problem{Summary: "Missing field", Subject: m.ID(), Where: m.Source.String(),
		Detail: fmt.Sprintf("It names no branch of %s. Set branch.", remote.Redact(ref.Repo))}
	if err := tree.CheckPath(clean(ref.Path)); err != nil {
		p.Summary, p.Detail = "Invalid path", fmt.Sprintf("The path %q is not a folder of a repository: %s. Write the folder's path from "+
			"the repository's root.", ref.Path, err)
	} else if ref.Branch != "" || commit != "" {
		return true
	}
	r.report(l, p)
	return false
}

func addressOf(ref manifest.RepoRef, commit string) address {
	return address{revision: git.Revision{Repo: ref.Repo, Branch: ref.Branch, Commit: strings.ToLower(commit)}, path: clean(ref.Path)}
}

// clean returns a folder in the one way in which all its spellings are alike.
func clean(folder string) string { return path.Clean(strings.TrimLeft(folder, "/")) }

// reportCycles reports every chain of base repositories that leads back into itself.
func (r *run) reportCycles() {
	const (
		underway = iota + 1
		done
	)
	state := map[fileKey]int{}
	var chain []base
	var visit func(s *source)
	visit = func(s *source) {
		state[s.identity()] = underway
		for _, b := range s.bases {
			chain = append(chain, b)
			switch state[b.source.identity()] {
			case underway:
				r.reportCycle(chain)
			case done:
			default:
				visit(b.source)
			}
			chain = chain[:len(chain)-1]
		}
		state[s.identity()] = done
	}
	visit(r.start)
}

// identity distinguishes sources by what was read.
func (s *source) identity() fileKey {
	if s.commit == "" {
		return fileKey{s.String(), ""}
	}
	return fileKey{s.root(), s.path}
}

// reportCycle reports the part of a chain that leads from its last source to itself. If others
// have a link in it, it is theirs.
func (r *run) reportCycle(chain []base) {
	last := chain[len(chain)-1]
	closing := last.link
	start := len(chain) - 1
	for start > 0 && chain[start-1].source.identity() != last.source.identity() {
		start--
	}
	var steps []string
	for _, b := range chain[start:] {
		if !r.trusts(b.from) {
			closing = b.link
		}
		steps = append(steps, fmt.Sprintf("%s in %s leads to %s", b.object.Metadata().ID(), b.object.Metadata().Source, b.source.address))
	}
	m := closing.object.Metadata()
	r.report(closing, problem.Problem{
		Summary: "Base repositories lead in a circle", Subject: m.ID(), Where: m.Source.String(),
		Detail: fmt.Sprintf("%s, which is where this began. Remove one of them.", strings.Join(steps, "; ")),
	})
}

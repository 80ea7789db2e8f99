// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package controlplane reads the objects of an environment from where Kalypso
// keeps them: the environment's branch, its base repositories, and the
// repositories of its workload registrations. It does what Flux does there for
// Kalypso, without a control plane, and never writes.
//
// The control plane and its base repositories are the platform team's, and a mistake there is an
// error. What a registration leads to is another team's: it brings workloads in the workspace of the
// registration, and a mistake there is a note in place of the file.
package controlplane

import (
	"context"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Scope says which control plane to read.
type Scope struct {
	Environment string
	// Branch and Path are the control plane's folder in a repository.
	Branch git.Branch
	Path   string
	// Directory, if not empty, is the control plane's folder on this machine instead.
	Directory string
	// Manifests, if not nil, are the platform team's objects instead, which are
	// followed and passed on as they are.
	Manifests []manifest.Text
	// Release is what to read. Its Commit is that of the BaseRepo "main", if the branch that is read has
	// one, or else of this branch. A control plane that is in no repository names its release itself.
	// Without a commit or without sources, the heads are read, and also for sources that it lacks.
	Release promotion.Release
}

// Seen is what the environment sees, in an order that does not depend on timing: the control plane
// or the given manifests first, then the other sources by place.
type Seen struct {
	// Manifests are the documents of all sources that take part in a fleet, one each. The first line
	// of each names its source. Given texts come first, as they are. There is a note for files and
	// sources of other teams that cannot be read.
	Manifests []string
	// Release is what was read: that of the scope if it names sources. Otherwise, it names the heads. It
	// has no commit if nothing says one.
	Release  promotion.Release
	Warnings []problem.Problem
}

// Loader reads control planes for one run.
type Loader struct {
	// Snapshots reads repositories; nil if that is not possible yet.
	Snapshots *git.Snapshots
	// Offline says why Snapshots is nil, as a sentence.
	Offline string

	// sourceTime, if not 0, replaces the bound of that name.
	sourceTime time.Duration
}

// Load reads a control plane and what its objects point to. Errors are a
// problem.List with everything that is wrong in what the platform team itself brings: what
// cannot be read, each file that does not decode, a cycle of base repositories.
func (l *Loader) Load(ctx context.Context, scope Scope) (*Seen, error) {
	r := l.start(ctx, scope)
	for wave := []*source{r.root}; len(wave) > 0; {
		r.read(ctx, wave)
		wave = r.follow(wave)
	}
	sources := r.sorted()
	r.reportUnreachable(ctx, sources)
	r.reportForeign()
	r.reportCycles(r.root, nil, map[fileKey]bool{})
	files := filesOf(sources)
	r.judge(files)
	return r.seen(sources, files), r.problems.Err()
}

// start begins a run. If a release is asked for, the head of the branch decides whether the release's
// commit is that of the BaseRepo "main" or that of the branch.
func (l *Loader) start(ctx context.Context, scope Scope) *run {
	r := l.run(scope, "")
	if scope.Release.Commit == "" || scope.Branch.Repo == "" {
		return r
	}
	if r.read(ctx, []*source{r.root}); r.main() != nil || r.root.commit == scope.Release.Commit {
		return r
	}
	return l.run(scope, scope.Release.Commit)
}

// run begins a run that reads the control plane's branch at a commit, or at its head.
func (l *Loader) run(scope Scope, commit string) *run {
	r := &run{loader: l, scope: scope, sources: map[address]*source{}, files: map[fileKey]*file{}}
	r.takeRelease()
	if scope.Manifests != nil {
		r.root = r.given()
		return r
	}
	at := git.Revision{Repo: scope.Branch.Repo, Branch: scope.Branch.Name, Commit: commit, InBranch: commit != ""}
	r.root = r.add(address{directory: scope.Directory, revision: at, path: clean(scope.Path)})
	r.root.platform = true
	return r
}

// run is the work on one scope.
type run struct {
	loader *Loader
	scope  Scope
	// root is the source that everything starts from.
	root    *source
	sources map[address]*source
	// commits are those of the release's sources, by the keys of their branches.
	commits  map[string]string
	files    map[fileKey]*file
	problems problem.List
	warnings []problem.Problem
	// foreign are the places of documents that are not Kubernetes objects.
	foreign []string
}

// address is where a source was looked for, as it was written.
type address struct {
	directory string
	revision  git.Revision
	path      string
}

// source is a folder that takes part, because objects name it.
type source struct {
	address
	// platform is set for the control plane and for base repositories.
	platform bool
	// links are the objects that lead here, and bases the base repositories that objects of this
	// source name.
	links []*link
	bases []*link

	read, followed bool
	// commit is what was read; empty for a directory.
	commit string
	// listing and texts are the files that were read, until they are decoded.
	listing listing
	texts   [][]byte
	files   []*file
	// unreachable says why nothing could be read.
	unreachable error
}

// link is an object that leads to a source: to a folder, and to a commit if the object has one.
type link struct {
	from, to *source
	object   manifest.Object
	ref      manifest.RepoRef
	commit   string
}

// add returns the source at an address, a new one if nobody has asked for it yet.
func (r *run) add(a address) *source {
	s, ok := r.sources[a]
	if !ok {
		s = &source{address: a}
		r.sources[a] = s
	}
	return s
}

// fileKey identifies a file or folder: the same path of the same commit is the same file, on any branch
// and by any URL of its repository. A fork has files of its own, or its team could say who
// delivers the same files of others.
type fileKey struct{ root, path string }

// file is a file with objects.
type file struct {
	// where names it in manifests: without a commit, or each new one would change them. name
	// does so in messages.
	where, name string
	// text is that of a given manifest.
	text    string
	objects []manifest.Object
	// problems say why it cannot be read.
	problems problem.List
	// sources are those that it belongs to.
	sources []*source
}

// isPlatform reports whether the platform team brings the file. Otherwise, only registrations do.
func (f *file) isPlatform() bool {
	return slices.ContainsFunc(f.sources, func(s *source) bool { return s.platform })
}

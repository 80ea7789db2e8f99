// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package controlplane reads the objects of an environment from where Kalypso
// keeps them: the environment's branch, its base repositories, and the
// repositories of its workload registrations. It does what Flux does there for
// Kalypso, without a control plane, and never writes.
//
// The platform team owns the control plane and its base repositories, and a mistake there is an
// error. Application teams own the sources of registrations: these add workloads to the workspace of
// the registration, and a mistake in one of their files becomes a note in place of the file.
//
// The words of this package:
//   - source: a folder of a repository or of this machine that takes part, because an object names it
//   - link: an object that names a source
//   - wave: the sources that are read at the same time
//   - file: a YAML file of one or more sources, with its objects
//   - note: what the fleet has in place of an application team's file that cannot be used
//   - foreign: a document that is not a Kubernetes object
package controlplane

import (
	"context"
	"slices"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Scope says which control plane to read.
type Scope struct {
	Environment string
	// Branch and Path are the control plane's folder in a repository.
	Branch git.Branch
	Path   string
	// Directory, if not empty, is the control plane's folder on this machine instead.
	Directory string
	// Manifests, if not nil, are the platform team's objects instead. Load follows them, and
	// returns their texts unchanged.
	Manifests []manifest.Text
	// Release is what to read. Its Commit is the commit of the BaseRepo "main" if the branch has this
	// object, otherwise the commit of the branch. A control plane outside of a repository names its
	// release itself. Load reads the head where Release has no commit.
	Release record.Release
}

// Loaded is what the environment sees. Its order does not depend on timing: the control plane
// or the given manifests first, then the other sources by name.
type Loaded struct {
	// Manifests are the documents of all sources that take part in a fleet. The first line of a
	// document names its source. Given texts come first, unchanged. Notes stand for files and
	// sources of other teams that cannot be read.
	Manifests []string
	// Release is what was read: the release of the scope if it names sources, otherwise the heads. Its
	// commit is empty if the control plane is outside of a repository and no object names a commit.
	Release  record.Release
	Warnings []problem.Problem
}

// Loader reads control planes for one run.
type Loader struct {
	// Snapshots reads repositories; nil if that is not possible yet.
	Snapshots *git.Snapshots
	// Offline says why Snapshots is nil, as a sentence.
	Offline string

	// sourceTime, if not 0, replaces the constant sourceTime.
	sourceTime time.Duration
}

// Load reads a control plane and what its objects point to. The error is a problem.List of all
// mistakes of the platform team: sources that cannot be read, and files that do not decode.
func (l *Loader) Load(ctx context.Context, scope Scope) (*Loaded, error) {
	r := l.start(ctx, scope)
	for wave := []*source{r.root}; len(wave) > 0; {
		r.read(ctx, wave)
		wave = r.follow(wave)
	}
	sources := r.sorted()
	r.reportUnreachable(ctx, sources)
	r.limitTargets(sources)
	r.reportForeign()
	files := filesOf(sources)
	r.judge(files)
	return r.loaded(sources, files), r.problems.Err()
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
	// links lead to this source. bases lead from this source to base repositories.
	links []*link
	bases []*link

	read, followed bool
	// commit is what was read; empty for a directory.
	commit string
	// listing and texts, by path, are the files that were read, until they are decoded.
	listing listing
	texts   map[string][]byte
	files   []*file
	// unreachable says why nothing could be read.
	unreachable error
}

// link is an object that leads to a source: to a folder, and to a commit if the object has one.
type link struct {
	to     *source
	object manifest.Object
	ref    manifest.RepoRef
	commit string
}

// add returns the source at an address, and makes it at the first call.
func (r *run) add(a address) *source {
	s, ok := r.sources[a]
	if !ok {
		s = &source{address: a}
		r.sources[a] = s
	}
	return s
}

// fileKey identifies a file: the same path of the same commit is the same file, on any branch
// and by any URL of its repository. The files of a fork are different files: otherwise the owner of a
// fork could add a registration to the files of another team.
type fileKey struct{ root, path string }

type file struct {
	// where is the file's name in manifests, without a commit: a new commit alone must not change
	// manifests. name is the file's name in messages, with the commit.
	where, name string
	// text is that of a given manifest.
	text    string
	objects []manifest.Object
	// problems say why it cannot be read.
	problems problem.List
	// sources are those that it belongs to, and workspace is that of a registration which leads to it.
	sources   []*source
	workspace string
}

// isPlatform reports whether the platform team brings the file. Otherwise, only registrations do.
func (f *file) isPlatform() bool {
	return slices.ContainsFunc(f.sources, func(s *source) bool { return s.platform })
}

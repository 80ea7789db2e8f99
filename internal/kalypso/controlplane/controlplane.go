// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package controlplane reads the objects of an environment from where Kalypso
// keeps them: the environment's branch, its base repositories, and the
// repositories of its workload registrations. It does what Flux does there for
// Kalypso, without a control plane, and never writes.
package controlplane

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// Scope says which control plane to read, and how far.
type Scope struct {
	Environment string
	// Revision and Path are the control plane's folder in a repository.
	Revision git.Revision
	Path     string
	// Directory, if not empty, is the control plane's folder on this machine instead.
	Directory string
	// Manifests, if not nil, are the platform team's objects instead, which are
	// followed and passed on as they are.
	Manifests []manifest.Text
	// FollowBaseRepos and FollowRegistrations say what is read beside it.
	FollowBaseRepos, FollowRegistrations bool
	// BaseCommits are commits that base repositories are read at, by the names of their
	// BaseRepos, whatever commit those have.
	BaseCommits map[string]string
	// SourceCommits are commits that followed branches are read at instead of their heads, by
	// "<repo>#<branch>" in any spelling of the repository.
	SourceCommits map[string]string
	// KeepUnreachable makes a note of a registration or fenced source that cannot be read, as of
	// a broken file. If only its content is at fault, it is always a note.
	KeepUnreachable bool
	// Allow are the fences.
	Allow []Allow
}

// Seen is what the environment sees, in an order that does not depend on
// timing: the control plane or the given manifests first, then the other sources by
// place.
type Seen struct {
	// Manifests are the documents of all sources that take part in a fleet, one each. The
	// first line of each names its source. Given documents come first. Notes stand for files
	// of others that cannot be read, see judge.
	Manifests []string
	// Commit is the control plane's; empty where it is in no repository.
	Commit string
	// PromotedCommit is the commit that the BaseRepo "main" is at; empty if it names none.
	PromotedCommit string
	// BaseRepos are the names of all that there are, sorted.
	BaseRepos []string
	// Sources are the commits at which followed branches were read, by "<repo>#<branch>", with
	// the repository as the first object by name spells it, without secrets.
	Sources  map[string]string
	Warnings []problem.Problem
}

// Loader reads control planes for one run.
type Loader struct {
	// Snapshots reads repositories; nil if that is not possible yet.
	Snapshots *git.Snapshots
	// Offline says why Snapshots is nil, as a sentence.
	Offline string
}

// Load reads a control plane and what its objects point to. Errors are a
// problem.List with everything that is wrong in what the platform team itself brings: what
// cannot be read, each file that does not decode, a cycle of base repositories.
func (l *Loader) Load(ctx context.Context, request Scope) (*Seen, error) {
	r := &run{loader: l, request: request, sources: map[address]*source{}, files: map[fileKey]*file{}}
	r.start = r.root()
	r.takeCommits()
	for wave := []*source{r.start}; len(wave) > 0; {
		r.read(ctx, wave)
		wave = r.follow(wave)
	}
	sources := r.sorted()
	r.reportUnreachable(ctx, sources)
	r.reportForeign()
	r.reportCycles()
	r.judge(sources)
	r.reportUnknown(sources)
	result := r.result(sources)
	return result, r.problems.Err()
}

// root returns the source that everything starts from.
func (r *run) root() *source {
	if r.request.Manifests != nil {
		return r.given()
	}
	s := r.add(address{directory: r.request.Directory, revision: r.request.Revision, path: clean(r.request.Path)})
	s.platform = true
	return s
}

// run is the work on one request.
type run struct {
	loader  *Loader
	request Scope
	// start is the source that everything starts from.
	start   *source
	sources map[address]*source
	// commits are those of the request's SourceCommits, by the keys of their branches.
	commits  map[string]string
	files    map[fileKey]*file
	problems problem.List
	warnings []problem.Problem
	// foreign are the documents that are not Kubernetes objects.
	foreign []manifest.Origin
}

// address is where a source was looked for, as it was written.
type address struct {
	directory string
	revision  git.Revision
	path      string
}

// String names the address in a message, without secrets.
func (a address) String() string {
	if a.directory != "" {
		return a.directory
	}
	return a.revision.String() + ":" + a.path
}

// source is a folder that takes part, because objects name it.
type source struct {
	address
	// platform is set for the control plane and for base repositories, whose objects are
	// the platform team's.
	platform bool
	// links lead here; bases are those to the base repositories that objects of this source
	// name.
	links []*link
	bases []base

	read bool
	// commit is what was read; empty for a directory.
	commit string
	files  []*file
	// unreachable says why nothing could be read.
	unreachable error
}

// base is a base repository as seen from the source that names it.
type base struct {
	*link
	source *source
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

// fileKey identifies a file: the same path of the same commit is the same file, on any branch
// and by any URL of its repository. A fork has files of its own, or its team could say who
// delivers the same files of others.
type fileKey struct{ root, path string }

// file is a file with objects.
type file struct {
	key fileKey
	// where names it in manifests: without a commit, or each new one would change them. name
	// does so in messages.
	where, name string
	// text is that of a given manifest.
	text      string
	documents []manifest.Document
	// problems say why it cannot be read.
	problems problem.List
	// sources are those that it belongs to. It is of the platform if one of them is.
	sources  []*source
	platform bool
	// others is set if only registrations and fenced sources bring the file. If it is broken,
	// a note takes its place.
	others, broken bool
}

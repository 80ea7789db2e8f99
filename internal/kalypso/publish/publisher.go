// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish brings a branch of a GitOps repository to the content of a fleet, by a commit or
// by a pull request. An operation (plan, apply, refresh, import, destroy) is made of three values: what should
// be there (Wanted), what is there (Seen, which only observe reads), and what happens, and why (Change, which
// package ownership decides). A plan shows the change; an apply writes it. What can stop it is in
// refusals.go.
//
// The words of this room:
//
//	place      a repository, a branch and a path
//	folder     the folder of a cluster type at a place, or one file; a key names it
//	record     the file in the branch that lists the folders of one resource, its instance
//	job        an operation on one resource: its settings, and what the state has
//	memory     the ids that a resource keeps from one job to the next
//	kept       a package that stays in the branch as it is, because it cannot be rendered
//	left out   a new package that is not written, because it cannot be rendered
//	released   a folder that stays, and that no resource writes any more
package publish

import (
	"context"
	"sync"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Options configure a Publisher.
type Options struct {
	// Git and Forges reach repositories and their forges. They are nil if the provider is not
	// configured yet. Then only Plan may be called.
	Git    *git.Client
	Forges *forge.Client
	// Version is the provider's version. Content of another version is rendered again.
	Version string
	// WrittenBy is a sentence in the message of each commit.
	WrittenBy string
	// Lookup reads environment variables, from which an apply learns its run; nil for none.
	Lookup func(name string) (string, bool)
	// Compute is the engine; engine.Compute if it is nil.
	Compute func(context.Context, engine.Input) (*engine.Result, error)
	// HoldAll holds every resource: an apply writes nothing.
	HoldAll bool
	// MaxDiffLines is how many lines of diff a plan shows.
	MaxDiffLines int
	// Now is the clock for freezes; time.Now if it is nil.
	Now func() time.Time
	// Logger gets the result of each computation and of each plan; nil for none.
	Logger remote.Logger
}

// Publisher plans and carries out changes of branches, for one run. Many goroutines may use it
// at the same time.
type Publisher struct {
	Options
	requests request.Client
	// ciRun is the run of this process; zero if environment variables do not name it.
	ciRun forge.Run

	mu      sync.Mutex
	waiting []computed
}

// New makes a publisher. It does not connect to a server.
func New(options Options) *Publisher {
	p := &Publisher{Options: options, requests: request.Client{Git: options.Git, Forges: options.Forges}}
	if p.Compute == nil {
		p.Compute = engine.Compute
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Logger == nil {
		p.Logger = func(context.Context, string, map[string]any) {}
	}
	if p.Lookup != nil {
		p.ciRun = forge.RunFromEnvironment(p.Lookup)
	}
	return p
}

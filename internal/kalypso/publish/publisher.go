// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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
	// Lookup reads environment variables, from which an apply learns its run.
	Lookup func(name string) (string, bool)
	// Compute is the engine; engine.Compute if it is nil.
	Compute func(context.Context, engine.Input) (*engine.Result, error)
	// Hold holds every resource: an apply writes nothing.
	Hold bool
	// MaxDiffLines is how many lines of diff a plan shows; 0 shows no change at all.
	MaxDiffLines int
	// Now is the clock for freezes; time.Now if it is nil.
	Now func() time.Time
	// Logger gets the result of each computation and of each plan; nil for none.
	Logger remote.Logger
}

// Publisher plans and carries out changes of branches, for one run. Many goroutines may use it
// at the same time.
type Publisher struct {
	git       *git.Client
	forges    *forge.Client
	requests  request.Client
	version   string
	writtenBy string
	lookup    func(name string) (string, bool)
	// run is the run of this process; zero if environment variables do not name it.
	run     forge.Run
	compute func(context.Context, engine.Input) (*engine.Result, error)
	// intents are the intents of the run's resources.
	intents      intents
	hold         bool
	maxDiffLines int
	now          func() time.Time
	log          remote.Logger
}

// New makes a publisher. It does not connect to a server.
func New(options Options) *Publisher {
	p := &Publisher{
		git: options.Git, forges: options.Forges, version: options.Version, writtenBy: options.WrittenBy,
		requests: request.Client{Git: options.Git, Forges: options.Forges},
		lookup:   options.Lookup, compute: options.Compute, hold: options.Hold, log: options.Logger,
		maxDiffLines: options.MaxDiffLines, now: options.Now,
	}
	if p.compute == nil {
		p.compute = engine.Compute
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.log == nil {
		p.log = func(context.Context, string, map[string]any) {}
	}
	if p.lookup == nil {
		p.lookup = func(string) (string, bool) { return "", false }
	}
	p.run = forge.RunFromEnvironment(p.lookup)
	return p
}

// attempt returns the attempt that brings a location to the desired content. inv is the
// location's inventory. what describes the change, for the commit.
func (p *Publisher) attempt(desired ownership.Desired, inv *ownership.Inventory, what string) *ownership.Attempt {
	return &ownership.Attempt{
		Desired: desired, Inventory: inv,
		Message: message.Commit(desired, what, p.writtenBy, p.run), AsIs: message.Commit(desired, message.TakesOver, p.writtenBy, p.run),
	}
}

// Job is the work for one resource: its settings, its last apply (nil if it has none) and the
// present content.
type Job struct {
	*Settings
	Was *Applied
	// Replaces is the resource that a new resource replaces; nil for none.
	Replaces *ownership.Guard
	// Inventory is the present content of the location.
	Inventory *ownership.Inventory
	// OthersChange is true if a stored setting, except the fleet and its location, differs from
	// the last apply.
	OthersChange bool
}

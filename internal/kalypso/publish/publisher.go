// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Options configure a Publisher.
type Options struct {
	// Git and Forges reach repositories and their forges; nil where that is not
	// possible yet, and then nothing but Plan may be called.
	Git    *git.Client
	Forges *forge.Client
	// Version is the provider's own: what another version rendered is rendered again.
	Version string
	// WrittenBy is a sentence in the message of each commit.
	WrittenBy string
	// Lookup reads the environment, of which an apply tells the run that makes it.
	Lookup func(name string) (string, bool)
	// Compute is the engine; engine.Compute where it is nil.
	Compute func(context.Context, engine.Input) (*engine.Result, error)
	// Hold holds every resource: nothing is written.
	Hold bool
}

// Publisher plans and carries out what is to be done about branches, for one run.
// It may be used by many goroutines at once.
type Publisher struct {
	git       *git.Client
	forges    *forge.Client
	version   string
	writtenBy string
	lookup    func(name string) (string, bool)
	compute   func(context.Context, engine.Input) (*engine.Result, error)
	// turns and intents are what the resources of one run share.
	turns   turns
	intents intents
	hold    bool
}

// New makes a publisher. It connects to nothing.
func New(options Options) *Publisher {
	p := &Publisher{
		git: options.Git, forges: options.Forges, version: options.Version, writtenBy: options.WrittenBy,
		lookup: options.Lookup, compute: options.Compute, hold: options.Hold,
	}
	if p.compute == nil {
		p.compute = engine.Compute
	}
	if p.lookup == nil {
		p.lookup = func(string) (string, bool) { return "", false }
	}
	return p
}

// Job is one resource's turn: what is wanted, what was applied last (nil where
// nothing was) and what stands there.
type Job struct {
	*Settings
	Was *Applied
	// Replaces is the resource that a new one replaces; nil for none.
	Replaces *ownership.Guard
	// Inventory is what stands there.
	Inventory *ownership.Inventory
	// OthersChange is true where something that is kept of the settings, beside the
	// fleet and its location, is not as it was applied.
	OthersChange bool
}

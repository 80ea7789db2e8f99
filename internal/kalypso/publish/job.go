// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Settings are a user's settings of one resource, in plain values: the wanted content of a
// place, and the way to write it.
type Settings struct {
	// Fleet is the fleet to render.
	Fleet engine.Input
	// Release is the release of the fleet; zero if the fleet itself says it.
	Release record.Release
	// Files are further files to write, by their paths below Path.
	Files map[string]string
	// Repo, Branch and Path are the place. The fleet's GitOpsRepo supplies missing parts.
	Repo, Branch, Path Text
	// StartFrom is the branch that a missing branch starts from.
	StartFrom string
	Detail    engine.Detail
	// OnRemoval is the treatment of folders that leave the fleet, and OnDestroy that of all folders
	// at a destroy.
	OnRemoval, OnDestroy ownership.Removal
	// Hold leaves the branch unchanged. IsUnverified is true if the release says that nothing is
	// verified yet; then Hold is set.
	Hold, IsUnverified bool
	// KeepBroken leaves a package that cannot be rendered as it is. Without it, such a package
	// prevents the plan.
	KeepBroken bool
	Findings   findings.Rules
	Limits     limits.Limits
	// Freezes are the times in which no packages may change.
	Freezes []calendar.Period
	// Acknowledge are the codes of changes beyond the limits, or in a freeze, that are meant.
	Acknowledge []string
	// CommitMessage is the message of commits, with {environment} and {summary}; the default if it
	// is empty.
	CommitMessage string
	// Request has the settings of pull requests; nil writes changes to the branch itself.
	Request *request.Settings
}

// Text is a setting that may be missing, or not be known yet.
type Text struct {
	Value          string
	Given, Unknown bool
}

// Applied is a resource after its last apply or refresh, as the state has it.
type Applied struct {
	Settings
	Location git.Location
	// Instance is the id of the resource.
	Instance string
	// TrustsRepo is true if the configuration itself named the repository at the last apply. Its
	// host then gets credentials from environment variables.
	TrustsRepo bool
	Attributes
}

// Attributes are what a resource reports about its place.
type Attributes struct {
	// Packages are the digests of the present or proposed packages and files.
	Packages engine.Digests
	// Kept are the packages that stay as they are, because they cannot be rendered, or because they may
	// be in a broken file.
	Kept []string
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty if there was none.
	Commit string
	Status Status
	// RequestURL is the page of the last pull request; empty without one. MergedCommit brought it
	// into the branch; empty before.
	RequestURL, MergedCommit string
	// Proposal is the last pull request.
	Proposal request.Noted
}

// Status compares a branch with the last apply.
type Status string

// The values of a Status.
const (
	InSync   Status = "in_sync"  // the branch has the applied content
	Proposed Status = "proposed" // an open request proposes the content
	Closed   Status = "closed"   // somebody closed the request without a merge
	Drifted  Status = "drifted"  // somebody changed our folders or our record
	Held     Status = "held"     // the resource was created on hold
)

// Memory has the ids that an operation leaves for later ones, by key. Terraform loses it if the
// provider is killed during an update. Without it, a refresh cannot name drift once, and nothing
// else changes.
type Memory struct {
	// Applied is the content that the last apply wrote or proposed.
	Applied map[string]tree.ID `json:"applied,omitempty"`
	// Seen is the content of the branch at the last look.
	Seen map[string]tree.ID `json:"seen,omitempty"`
	// Planned is the content that a plan saw, zero ids for what did not exist; nil if it saw nothing.
	Planned map[string]tree.ID `json:"planned,omitempty"`
	// Owners are the workspaces of names that the fleet of the last apply does not tell: see fleet.Fleet.Remembered. Without them, two
	// workloads of one name are both broken.
	Owners fleet.Owners `json:"owners,omitempty"`
	// Imported is true between an import and the first apply.
	Imported bool `json:"imported,omitempty"`
	// Destroys is true if a destroy was planned.
	Destroys bool `json:"destroys,omitempty"`
}

// Job is an operation on one resource.
type Job struct {
	// Settings are the configured ones; at a destroy, those of the last apply.
	*Settings
	// Was is the resource in the state; nil if it is new.
	Was    *Applied
	Memory Memory
}

// work is an operation in progress. Its steps fill in the fields in this order.
type work struct {
	*Publisher
	Job
	// sameFleet reports whether the settings ask for the content and release of the last apply. It
	// compares once, because it may decode both fleets.
	sameFleet func() bool
	// result is the rendered fleet, with kept packages.
	result *engine.Result
	// at is the place to write. Parts that are not known yet are empty.
	at git.Location
	// desired is the wanted content.
	desired ownership.Desired
	// known are the ids of content that does not have to be read again, by key.
	known map[string]tree.ID
	// inventory is what the branch has, and answer has the files that differ. If the branch was not
	// read, answer is nil, and unread is the reason, if there is one.
	inventory ownership.Inventory
	answer    *git.Answer
	unread    error
	// compared are the contents, by path, with which the answer compares the branch.
	compared map[string]tree.Entry
	decision ownership.Decision
	// after are the planned attributes, and memory is what the operation leaves.
	after  Attributes
	memory Memory
	// newInstance is the id that a new resource gets.
	newInstance string
	// isDone ends the operation after the present step.
	isDone bool

	// isUnwritten is true if the resource has written nothing yet: it is new, or it was created on hold
	// or imported.
	isUnwritten bool
	// isOtherEnvironment is true if the configuration names another environment than the state. An
	// import may not know the environment.
	isOtherEnvironment bool
	// replaced are the attributes that make this another resource, and isNewPlace is true if the
	// resource has nothing at the place yet: it is new, or it is replaced.
	replaced   []string
	isNewPlace bool
	// writes is true if the apply changes content, as far as the state shows it, and changes also if
	// the plan has seen it.
	writes, changes bool
	// asks is true if the apply may open or close a request. isQuiet is true if the apply does nothing,
	// because a request for the same content is open or was closed.
	asks, isQuiet bool
	// packagesBefore and packagesAfter are both sides of the change, without the folders that stay as they
	// are. They are not comparable if the branch could not be read and the state names only cluster
	// types.
	packagesBefore, packagesAfter engine.Digests
	isComparable                  bool
}

// step is a step of an operation.
type step struct {
	name string
	do   func(w *work, ctx context.Context) message.Messages
}

// run carries out steps until one fails or ends the operation.
func (w *work) run(ctx context.Context, steps []step) (m message.Messages) {
	for _, s := range steps {
		w.Logger(ctx, "step", map[string]any{"step": s.name, "environment": w.Fleet.Environment})
		if m.Add(s.do(w, ctx)); m.Failed() || w.isDone {
			break
		}
	}
	return m
}

// begin returns the work of a job.
func (p *Publisher) begin(ctx context.Context, job Job) (*work, context.Context) {
	w := &work{Publisher: p, Job: job, memory: job.Memory, isNewPlace: job.Was == nil}
	w.isUnwritten = job.Was == nil || job.Was.Status == Held || job.Memory.Imported
	if job.Was != nil {
		w.isOtherEnvironment = !job.Memory.Imported && job.Fleet.Environment != job.Was.Fleet.Environment
		w.after = job.Was.Attributes
		w.sameFleet = sync.OnceValue(func() bool { return job.sameFleet(&job.Was.Settings) })
		if job.Was.TrustsRepo {
			ctx = remote.Trusting(ctx, job.Was.Location.Repo)
		}
	}
	if job.Repo.Given && !job.Repo.Unknown {
		ctx = remote.Trusting(ctx, job.Repo.Value)
	}
	return w, ctx
}

// about adds the environment and the place to the warnings of an operation.
func (w *work) about(m message.Messages) message.Messages {
	at := w.at
	if at == (git.Location{}) && w.Was != nil {
		at = w.Was.Location
	}
	return m.About(w.Fleet.Environment, message.Place(at, w.Fleet.ClusterTypes))
}

// onHold reports whether nothing may be written.
func (w *work) onHold() bool { return w.Hold || w.HoldAll }

// holdName names the setting that holds the resource.
func (w *work) holdName() string {
	if w.HoldAll {
		return "hold of the provider (KALYPSO_HOLD)"
	}
	return "hold"
}

// self is what the instance knows about itself.
func (w *work) self() ownership.Self {
	self := ownership.Self{Applied: w.Memory.Applied, Planned: w.Memory.Planned}
	if w.Memory.Planned == nil || w.Was != nil && w.Request == nil && !w.Was.Proposal.IsOpen() && !w.Memory.Destroys {
		// Terraform plans an update once more in the apply, and that plan sees what changed after the
		// plan of the user. So what the refresh found counts for our folders.
		self.Planned = maps.Clone(w.Memory.Planned)
		if self.Planned == nil {
			self.Planned = map[string]tree.ID{}
		}
		maps.Copy(self.Planned, w.Memory.Seen)
	}
	if !w.isNewPlace {
		self.Instance, self.Imported = w.Was.Instance, w.Memory.Imported
	}
	return self
}

// sameFleet reports whether two settings ask for the same content of the same release.
func (s *Settings) sameFleet(other *Settings) bool {
	a, b := s.Fleet, other.Fleet
	return a.Environment == b.Environment && manifest.Same(a.Manifests, b.Manifests) && maps.Equal(s.Files, other.Files) &&
		(a.Assignments == nil) == (b.Assignments == nil) && maps.EqualFunc(a.Assignments, b.Assignments, slices.Equal) &&
		a.IsPart() == b.IsPart() && slices.Equal(wording.Sorted(a.ClusterTypes), wording.Sorted(b.ClusterTypes)) &&
		s.Release.Same(other.Release)
}

// Acknowledged reports whether acknowledge has the code.
func (s *Settings) Acknowledged(code string) bool { return slices.Contains(s.Acknowledge, code) }

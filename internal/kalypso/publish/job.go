// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
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

// Job is an operation on one resource.
type Job struct {
	// Settings are the configured ones; at a destroy, those of the last apply.
	*Settings
	// Was is the resource in the state; nil if it is new.
	Was    *Applied
	Memory Memory
	// IsSame is true if all settings are those of the state.
	IsSame bool
}

// isSettled reports whether there is nothing to plan, so that nothing has to be computed: the branch has what the last
// apply wrote, all settings and the version of the provider are those of the last apply, and nothing is broken,
// kept, released or proposed. Builds without a version are never the same version.
func (j Job) isSettled(version string) bool {
	return j.IsSame && j.Memory.Complete == j.completeBy(version) && j.Was.Status == InSync && !j.Was.LastRequest.IsOpen()
}

// completeBy is Memory.Complete for these settings. If a configuration no longer names its place, the settings that Terraform compares
// keep the old one, and the fleet may name another.
func (s *Settings) completeBy(version string) string {
	return fmt.Sprintf("%s, repo given: %t, branch given: %t", version, s.Repo.Given, s.Branch.Given)
}

// trusting returns a context in which the hosts of the configured repositories get credentials.
func (j Job) trusting(ctx context.Context) context.Context {
	if j.Was != nil && j.Was.TrustsRepo {
		ctx = remote.Trusting(ctx, j.Was.Location.Repo)
	}
	if j.Repo.Given && !j.Repo.Unknown {
		ctx = remote.Trusting(ctx, j.Repo.Value)
	}
	return ctx
}

// about adds the environment and the place to the warnings of an operation.
func (j Job) about(at git.Location, m message.Messages) message.Messages {
	if at == (git.Location{}) && j.Was != nil {
		at = j.Was.Location
	}
	return m.About(j.Fleet.Environment, message.Place(at, j.Fleet.ClusterTypes))
}

// isUnwritten reports whether the resource has written nothing yet: it is new, or it was created on hold
// or imported.
func (j Job) isUnwritten() bool { return j.Was == nil || j.Was.Status == Held || j.Memory.Imported }

// isOtherEnvironment reports whether the configuration names another environment than the state. An
// import may not know the environment.
func (j Job) isOtherEnvironment() bool {
	return j.Was != nil && !j.Memory.Imported && j.Fleet.Environment != j.Was.Fleet.Environment
}

// at returns the resource in the state if it is at a place; nil if it is new, or if the place makes it
// another resource. replaces has the names of the attributes that do: another place, also one that is not
// known yet, or another environment.
func (j Job) at(place git.Location) (had *Applied, replaces []string) {
	if j.Was == nil {
		return nil, nil
	}
	was := j.Was.Location
	for name, differs := range map[string]bool{
		"environment": j.isOtherEnvironment(),
		"repo":        j.Repo.Unknown || !git.Location{Repo: place.Repo}.Same(git.Location{Repo: was.Repo}),
		"branch":      j.Branch.Unknown || place.Branch != was.Branch,
		"path":        j.Path.Unknown || !git.Location{Path: place.Path}.Same(git.Location{Path: was.Path}),
	} {
		if differs {
			replaces = append(replaces, name)
		}
	}
	if len(replaces) > 0 {
		return nil, replaces
	}
	return j.Was, nil
}

// self is what the resource knows about itself at a place where it had something, or nothing.
func (j Job) self(had *Applied) ownership.Self {
	self := ownership.Self{Instance: record.NewInstance(), Planned: j.Memory.BranchAtPlan}
	if j.Memory.BranchAtPlan == nil || j.Was != nil && !j.Was.Hold && j.Request == nil && !j.Was.LastRequest.IsOpen() && !j.Memory.Destroys {
		// Terraform plans an update once more in the apply, and that plan sees what changed after the
		// plan of the user. So what the refresh found counts for our folders, unless a hold ends: then it read nothing.
		self.Planned = map[string]tree.ID{}
		maps.Copy(self.Planned, j.Memory.BranchAtPlan)
		maps.Copy(self.Planned, j.Memory.BranchAtRefresh)
	}
	if had != nil {
		self.Instance, self.Imported, self.Applied = had.Instance, j.Memory.Imported, j.Memory.OursAtApply
	}
	return self
}

// hadKeys returns the keys of what the resource had at its place.
func (j Job) hadKeys() []string {
	return wording.Sorted(slices.AppendSeq(keysOf(j.Was.Packages), maps.Keys(j.Memory.OursAtApply)))
}

// sameFleet reports whether two settings ask for the same content of the same release.
func (s *Settings) sameFleet(other *Settings) bool {
	a, b := s.Fleet, other.Fleet
	return a.Environment == b.Environment && manifest.Same(a.Manifests, b.Manifests) && maps.Equal(s.Files, other.Files) &&
		(a.Assignments == nil) == (b.Assignments == nil) && maps.EqualFunc(a.Assignments, b.Assignments, slices.Equal) &&
		a.IsPart() == b.IsPart() && slices.Equal(wording.Sorted(a.ClusterTypes), wording.Sorted(b.ClusterTypes)) &&
		s.Release.Same(other.Release)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish makes one branch of a GitOps repository hold a fleet: by a commit, or by
// a pull request that it follows. It observes the branch, asks package ownership for a
// decision, and carries that out. Package message puts the outcome into sentences.
package publish

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// Settings are a user's settings for one place of a repository, in plain values: the
// desired content, and the way to write it.
type Settings struct {
	// Fleet is the fleet to render.
	Fleet engine.Input
	// Repo, Branch and Path are the place. The fleet's GitOpsRepo fills in the parts that
	// are not given.
	Repo, Branch, Path Text
	// StartFrom is the branch that a missing branch starts from.
	StartFrom string
	// Exclusive claims every folder there that does not start with a dot.
	Exclusive bool
	Detail    engine.Detail
	// Removal is the treatment of folders that are no longer wanted; Empty if it is not
	// set.
	Removal ownership.Removal
	// Hold leaves the branch as it is, whatever is wanted.
	Hold bool
	// HoldAll is the provider's hold: it does the same to every resource while it is set.
	HoldAll      bool
	MaxDiffLines int
	// KeepBroken leaves a package that cannot be rendered as it is in the branch. Without it,
	// such a package prevents the plan.
	KeepBroken  bool
	Findings    findings.Rules
	Limits      limits.Limits
	Acknowledge string
	// Request is how changes are proposed; nil writes them to the branch itself.
	Request     *request.Settings
	ReportIssue bool
	// StatusRepo is the repository in which an apply reports its outcome, on the commit
	// that the fleet comes from; not given for none.
	StatusRepo Text
}

// Text is a setting that may be left out, or not be known yet.
type Text struct {
	Value          string
	Given, Unknown bool
}

// sameFleet reports whether two settings ask for the same packages.
func (s *Settings) sameFleet(other *Settings) bool {
	a, b := s.Fleet, other.Fleet
	return a.Environment == b.Environment && slices.Equal(a.Manifests, b.Manifests) &&
		(a.Assignments == nil) == (b.Assignments == nil) && maps.EqualFunc(a.Assignments, b.Assignments, slices.Equal) &&
		a.IsPart() == b.IsPart() && slices.Equal(ownership.Sorted(a.ClusterTypes), ownership.Sorted(b.ClusterTypes)) &&
		equal(a.PromotedCommit, b.PromotedCommit) && a.Overview == b.Overview
}

// sameInputs reports whether a plan would compute the same for both: packages, their
// digests and their findings.
func (s *Settings) sameInputs(other *Settings) bool {
	return s.sameFleet(other) && s.Detail == other.Detail && s.Exclusive == other.Exclusive && s.KeepBroken == other.KeepBroken &&
		slices.Equal(s.Findings.Ignore, other.Findings.Ignore) && slices.Equal(s.Findings.FailOn, other.Findings.FailOn)
}

// Acknowledged reports whether a change of that code is acknowledged. There may be codes
// of several resources, for example if one variable is for all of them.
func (s *Settings) Acknowledged(code string) bool {
	return slices.Contains(strings.Fields(s.Acknowledge), code)
}

// otherCode ends a refusal that asks for a code if acknowledge has only other codes. So
// nobody takes the code that was set for a good one.
func (s *Settings) otherCode(refusal, code string) string {
	if s.Acknowledge == "" || s.Acknowledged(code) || !strings.Contains(refusal, code) {
		return ""
	}
	return " acknowledge is set to another code: it is for another environment, or the fleet or the repository has changed since a plan " +
		"printed it."
}

// equal compares values that may be missing.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// onHold reports whether nothing may be written.
func (s *Settings) onHold() bool { return s.Hold || s.HoldAll }

// holdName names the setting that holds the resource.
func (s *Settings) holdName() string {
	if s.HoldAll {
		return "hold of the provider (KALYPSO_HOLD)"
	}
	return "hold"
}

// nothing returns a desired state for a location in which we want nothing any more.
func (s *Settings) nothing(loc git.Location) ownership.Desired {
	return ownership.Desired{Environment: s.Fleet.Environment, Removal: s.Removal, Propose: s.Request != nil}.Nothing(loc)
}

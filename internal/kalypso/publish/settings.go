// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish has one branch of a GitOps repository hold a fleet: by a commit, or by a
// pull request that it follows. It observes the branch, has package ownership decide, and
// carries that out; package message says in sentences what came of it.
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
	// Fleet is what is rendered.
	Fleet engine.Input
	// Repo, Branch and Path are where; what is not given, the fleet's GitOpsRepo says.
	Repo, Branch, Path Text
	// StartFrom is the branch that a missing branch starts from.
	StartFrom string
	// Exclusive claims every folder there that does not start with a dot.
	Exclusive bool
	Detail    engine.Detail
	// Removal is what becomes of folders that are no longer wanted; Empty where it is
	// not set.
	Removal ownership.Removal
	// Hold leaves the branch as it is, whatever is wanted.
	Hold bool
	// HoldAll is the provider's hold: it does the same to every resource while it is set.
	HoldAll      bool
	MaxDiffLines int
	Findings     findings.Rules
	Limits       limits.Limits
	Acknowledge  string
	// Request is how changes are proposed; nil writes them to the branch itself.
	Request     *request.Settings
	ReportIssue bool
	// StatusRepo is the repository in which an apply says what became of it, on the commit
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

// sameInputs reports whether a plan would compute for both the same again: packages,
// their digests and what is found in them.
func (s *Settings) sameInputs(other *Settings) bool {
	return s.sameFleet(other) && s.Detail == other.Detail && s.Exclusive == other.Exclusive &&
		slices.Equal(s.Findings.Ignore, other.Findings.Ignore) && slices.Equal(s.Findings.FailOn, other.Findings.FailOn)
}

// Acknowledged reports whether a change of that code is acknowledged: there may be codes
// of several resources, as where one variable is for all of them.
func (s *Settings) Acknowledged(code string) bool {
	return slices.Contains(strings.Fields(s.Acknowledge), code)
}

// otherCode ends a refusal that asks for a code where acknowledge has only others, so that
// nobody takes the code that was set for a good one.
func (s *Settings) otherCode(refusal, code string) string {
	if s.Acknowledge == "" || s.Acknowledged(code) || !strings.Contains(refusal, code) {
		return ""
	}
	return " acknowledge is set to another code: it is for another environment, or the fleet or the repository has changed since a plan printed it."
}

// equal compares what may be missing.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// onHold reports whether nothing may be written.
func (s *Settings) onHold() bool { return s.Hold || s.HoldAll }

// endHold says how a hold ends, which is why something is not done now.
func (s *Settings) endHold() string {
	if s.HoldAll {
		return "take hold away from the provider (or unset KALYPSO_HOLD)"
	}
	return "take hold away"
}

// nothing returns that nothing of ours is wanted any more at a location.
func (s *Settings) nothing(loc git.Location) ownership.Desired {
	return ownership.Desired{Environment: s.Fleet.Environment, Removal: s.Removal, Propose: s.Request != nil}.Nothing(loc)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish brings a branch of a GitOps repository to the content of a fleet: by a
// commit, or by a pull request that it follows. It reads the branch, asks package ownership
// for a decision, and carries the decision out. Package message has the texts.
package publish

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
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
	// Sources are the commits of the branches that the fleet's control plane follows, by
	// "<repo>#<branch>".
	Sources map[string]string
	// Repo, Branch and Path are the place. The fleet's GitOpsRepo supplies missing parts.
	Repo, Branch, Path Text
	// StartFrom is the branch that a missing branch starts from.
	StartFrom string
	// Exclusive claims every folder of the place whose name does not start with a dot.
	Exclusive bool
	Detail    engine.Detail
	// Removal is the treatment of folders that are no longer wanted; Empty by default.
	Removal ownership.Removal
	// Hold leaves the branch unchanged.
	Hold bool
	// HoldAll is the provider's hold: it has the effect of Hold for every resource.
	HoldAll      bool
	MaxDiffLines int
	// KeepBroken leaves a package that cannot be rendered unchanged in the branch. Without it,
	// such a package prevents the plan.
	KeepBroken bool
	Findings   findings.Rules
	Limits     limits.Limits
	// Freezes are the times in which no packages may change.
	Freezes     []calendar.Period
	Acknowledge string
	// Request has the settings of pull requests; nil writes changes to the branch itself.
	Request     *request.Settings
	ReportIssue bool
}

// Text is a setting that may be missing, or not be known yet.
type Text struct {
	Value          string
	Given, Unknown bool
}

// sameFleet reports whether two settings ask for the same packages of the same release.
func (s *Settings) sameFleet(other *Settings) bool {
	a, b := s.Fleet, other.Fleet
	return a.Environment == b.Environment && slices.Equal(a.Manifests, b.Manifests) &&
		(a.Assignments == nil) == (b.Assignments == nil) && maps.EqualFunc(a.Assignments, b.Assignments, slices.Equal) &&
		a.IsPart() == b.IsPart() && slices.Equal(ownership.Sorted(a.ClusterTypes), ownership.Sorted(b.ClusterTypes)) &&
		equal(a.PromotedCommit, b.PromotedCommit) && a.Overview == b.Overview && maps.Equal(s.Sources, other.Sources)
}

// sameInputs reports whether a plan would compute the same packages, digests and findings for
// both settings.
func (s *Settings) sameInputs(other *Settings) bool {
	return s.sameFleet(other) && s.Detail == other.Detail && s.Exclusive == other.Exclusive && s.KeepBroken == other.KeepBroken &&
		slices.Equal(s.Findings.Ignore, other.Findings.Ignore) && slices.Equal(s.Findings.FailOn, other.Findings.FailOn)
}

// Acknowledged reports whether acknowledge has the code. It may have codes of several
// resources, for example if one variable is for all resources.
func (s *Settings) Acknowledged(code string) bool {
	return slices.Contains(strings.Fields(s.Acknowledge), code)
}

// otherCode ends a refusal that asks for a code if acknowledge has only other codes. It shows
// the user that these codes do not fit.
func (s *Settings) otherCode(refusal, code string) string {
	if s.Acknowledge == "" || s.Acknowledged(code) || !strings.Contains(refusal, code) {
		return ""
	}
	return " acknowledge has another code, which is for another environment, or the fleet or the repository has changed after the plan " +
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

// nothing returns the desired state of a location in which we want no content any more.
func (s *Settings) nothing(loc git.Location) ownership.Desired {
	return ownership.Desired{Environment: s.Fleet.Environment, Removal: s.Removal, Propose: s.Request != nil}.Nothing(loc)
}

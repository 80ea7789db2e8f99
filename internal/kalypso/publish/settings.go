// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish brings a branch of a GitOps repository to the content of a fleet: by a
// commit, or by a pull request that it follows. It reads the branch, asks package ownership
// for a decision, and carries the decision out. Package message has the texts.
package publish

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/calendar"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
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
	Detail    engine.Detail
	// Removal is the treatment of folders that are no longer wanted; Empty by default.
	Removal ownership.Removal
	// Hold leaves the branch unchanged.
	Hold bool
	// HoldAll is the provider's hold: it has the effect of Hold for every resource.
	HoldAll bool
	// KeepBroken leaves a package that cannot be rendered unchanged in the branch. Without it,
	// such a package prevents the plan.
	KeepBroken bool
	Findings   findings.Rules
	Limits     limits.Limits
	// Freezes are the times in which no packages may change.
	Freezes     []calendar.Period
	Acknowledge string
	// Request has the settings of pull requests; nil writes changes to the branch itself.
	Request *request.Settings
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
		a.IsPart() == b.IsPart() && slices.Equal(wording.Sorted(a.ClusterTypes), wording.Sorted(b.ClusterTypes)) &&
		equal(a.PromotedCommit, b.PromotedCommit) && maps.Equal(s.Sources, other.Sources)
}

// sameInputs reports whether a plan would compute the same packages, digests and findings for
// both settings.
func (s *Settings) sameInputs(other *Settings) bool {
	return s.sameFleet(other) && s.Detail == other.Detail && s.KeepBroken == other.KeepBroken &&
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

// Applied describes the last apply and its result; nil before the first apply.
type Applied struct {
	Settings
	Location git.Location
	// Instance is the instance of the resource.
	Instance string
	Attributes
}

// Attributes are the attributes that the resource reports about a location.
type Attributes struct {
	// Packages are the digests of the present or proposed packages.
	Packages engine.Digests
	// Broken are the packages that stay in the branch as they are, because they or those that
	// replace them cannot be rendered.
	Broken []string
	// Summary is the last change in one line.
	Summary string
	// Commit is the last commit that wrote packages; empty if there was none.
	Commit string
	// PullRequest and PullRequestURL are the last pull request; zero without one.
	PullRequest    int
	PullRequestURL string
	Status         ownership.State
	// MergedCommit brought the last request into the branch; empty before.
	MergedCommit string
}

// ReadInventory reads the JSON of Note about the last apply. A new resource has a nil text,
// which is an empty inventory. Errors: the text is not an inventory.
func ReadInventory(noted []byte, was *Applied) (*ownership.Inventory, error) {
	inv := &ownership.Inventory{}
	if was == nil {
		return inv, nil
	}
	if len(noted) > 0 {
		if err := json.Unmarshal(noted, inv); err != nil {
			return nil, err
		}
	}
	inv.Location, inv.Instance, inv.Packages, inv.Detail = was.Location, was.Instance, maps.Clone(was.Packages), was.Detail
	if inv.Proposal != nil { // the applied packages are the proposed ones
		inv.Packages = inv.Proposal.Base
	}
	return inv, nil
}

// Every operation first names the hosts that get the credentials from environment variables:
// hosts from the configuration, and not hosts that only a GitOpsRepo names.

// trusting returns the context of an operation for the settings' repo.
func (s *Settings) trusting(ctx context.Context) context.Context {
	if !s.Repo.Given {
		return ctx
	}
	return remote.Trusting(ctx, s.Repo.Value)
}

// givenRepo is the text for repo in Inventory.Given.
const givenRepo = "repo"

func hasGivenRepo(inv *ownership.Inventory) bool {
	return slices.Contains(strings.Split(inv.Given, ","), givenRepo)
}

// givesRepo reports whether repo is set but was not set at the job's last apply. This changes
// the hosts that later operations trust, so an apply notes it.
func (job Job) givesRepo() bool {
	return job.Was != nil && job.Repo.Given && !hasGivenRepo(job.Inventory)
}

// trustingApplied returns the context of an operation for the place of an inventory, if repo
// was set at the last apply.
func trustingApplied(ctx context.Context, inv *ownership.Inventory) context.Context {
	if !hasGivenRepo(inv) {
		return ctx
	}
	return remote.Trusting(ctx, inv.Location.Repo)
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package publish decides what is to be done about one branch of a GitOps
// repository so that it holds a fleet, and does it: by a commit, or by a pull
// request that it follows. Deciding is pure (Decide and what is computed from its
// Decision); carrying out is the Publisher's.
package publish

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/limits"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Settings are what somebody has written down about one place of a repository, in
// plain values: what is to stand there, and how it gets there.
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
	// Retain leaves the packages where they are on removal and on a move.
	Retain       bool
	MaxDiffLines int
	Findings     findings.Rules
	Limits       limits.Limits
	// Limited is true where any limit is set.
	Limited     bool
	Acknowledge string
	// Request is how changes are proposed; nil writes them to the branch itself.
	Request     *RequestSettings
	ReportIssue bool
}

// Text is a setting that may be left out, or not be known yet.
type Text struct {
	Value          string
	Given, Unknown bool
}

// RequestSettings are how changes are proposed.
type RequestSettings struct {
	// Title is the request's; the environment and the change where it is empty.
	Title                            string
	Labels, Reviewers, TeamReviewers []string
	Draft                            bool
	// AutoMerge is how the forge merges; empty has a person do it.
	AutoMerge forge.Method
	// Wait has an apply wait for the merge.
	Wait bool
	// BranchPrefix begins the names of branches; DefaultBranchPrefix where it is empty.
	BranchPrefix string
}

// DefaultBranchPrefix begins the names of the branches of pull requests.
const DefaultBranchPrefix = "kalypso/"

// given names the parts of the location that are set; the others come from the fleet.
func (s *Settings) given() string {
	var parts []string
	for _, part := range []struct {
		name string
		text Text
	}{{"repo", s.Repo}, {"branch", s.Branch}, {"path", s.Path}} {
		if part.text.Given {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ",")
}

// locationKnown reports whether no part of the location is known only later.
func (s *Settings) locationKnown() bool {
	return !s.Repo.Unknown && !s.Branch.Unknown && !s.Path.Unknown
}

// locate returns where the settings want the fleet. Parts that are not known yet
// are empty. Errors say what to set.
func (s *Settings) locate(f *fleet.Fleet) (git.Location, []Message) {
	loc := git.Location{Repo: s.Repo.Value, Branch: s.Branch.Value, Path: s.Path.Value}
	if !s.Repo.Given || !s.Branch.Given || !s.Path.Given {
		repo, problem := gitOpsRepo(f)
		if repo == nil && (!s.Repo.Given || !s.Branch.Given) {
			return loc, []Message{{Summary: "No GitOps repository", Detail: problem}}
		}
		if repo != nil {
			for _, part := range []struct {
				setting Text
				value   string
				to      *string
			}{{s.Repo, repo.Repo, &loc.Repo}, {s.Branch, repo.Branch, &loc.Branch}, {s.Path, repo.Path, &loc.Path}} {
				if !part.setting.Given {
					*part.to = part.value
				}
			}
		}
	}
	if loc.Path == "" && !s.Path.Unknown {
		loc.Path = "."
	}
	var wrong []Message
	if !s.Repo.Unknown {
		if err := remote.Check(loc.Repo); err != nil {
			wrong = append(wrong, Message{Summary: "Invalid GitOps repository URL", Detail: problem.Sentence(err)})
		}
	}
	if !s.Branch.Unknown {
		if err := git.CheckBranch(loc.Branch); err != nil {
			wrong = append(wrong, Message{Summary: "Invalid branch name", Detail: problem.Sentence(err) + " Set branch, or spec.branch of the GitOpsRepo."})
		}
	}
	return loc, wrong
}

// gitOpsRepo returns the GitOpsRepo of the fleet's environment: the one that has
// the environment's name, else the only one, unless it has the name of another
// environment; else it says why there is none.
func gitOpsRepo(f *fleet.Fleet) (*manifest.GitOpsRepo, string) {
	var names []string
	for _, repo := range f.GitOpsRepos {
		if repo.Name == f.Environment {
			return repo, ""
		}
		names = append(names, repo.Name)
	}
	switch {
	case len(names) == 0:
		return nil, "Set repo and branch, or add a GitOpsRepo object to the manifests: without them nothing says where to write."
	case len(names) > 1:
		return nil, fmt.Sprintf("The manifests hold several GitOpsRepo objects (%s) and none of them has the name of environment %q. Set repo, branch and path, or pass only the GitOpsRepo of this environment.",
			strings.Join(names, ", "), f.Environment)
	case slices.Contains(f.Environments, names[0]):
		return nil, fmt.Sprintf("The manifests hold one GitOpsRepo object, and its name is that of another environment, %q, so it is not used for environment %q. Pass the GitOpsRepo of this environment, or set repo, branch and path.",
			names[0], f.Environment)
	}
	return f.GitOpsRepos[0], ""
}

// sameFleet reports whether two settings ask for the same packages.
func (s *Settings) sameFleet(other *Settings) bool {
	a, b := s.Fleet, other.Fleet
	return a.Environment == b.Environment && slices.Equal(a.Manifests, b.Manifests) &&
		(a.Assignments == nil) == (b.Assignments == nil) && maps.EqualFunc(a.Assignments, b.Assignments, slices.Equal) &&
		equal(a.PromotedCommit, b.PromotedCommit)
}

// sameInputs reports whether a plan would compute for both the same again: packages,
// their digests and what is found in them.
func (s *Settings) sameInputs(other *Settings) bool {
	return s.sameFleet(other) && s.Detail == other.Detail && s.Exclusive == other.Exclusive &&
		slices.Equal(s.Findings.Ignore, other.Findings.Ignore) && slices.Equal(s.Findings.FailOn, other.Findings.FailOn)
}

// equal compares what may be missing.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

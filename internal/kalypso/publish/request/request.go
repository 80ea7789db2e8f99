// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package request proposes a change as a pull request, follows the request until it is merged
// or closed, and closes unwanted requests. It makes no decisions about folders. The text of a
// request is only a hint: number, branch and commit are in the inventory (ownership.Proposal).
package request

import (
	"cmp"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// Client makes and follows the pull requests of one run. Many goroutines may use it at the
// same time.
type Client struct {
	Git    *git.Client
	Forges *forge.Client
}

// Settings say how to propose changes.
type Settings struct {
	// Title is the request's title. If Title is empty, the title is the environment and the
	// change.
	Title                            string
	Labels, Reviewers, TeamReviewers []string
	Draft                            bool
	// AutoMerge is the method of automatic merging. If it is empty, a person merges.
	AutoMerge forge.Method
	// Wait makes an apply wait for the merge.
	Wait bool
	// BranchPrefix begins the names of branches; DefaultBranchPrefix if BranchPrefix is empty.
	BranchPrefix string
}

// DefaultBranchPrefix begins the names of the branches of pull requests.
const DefaultBranchPrefix = "kalypso/"

// Branch returns the name of the branch of an instance's request with a number.
func (s Settings) Branch(environment, instance string, number int) string {
	return fmt.Sprintf("%s%s/%s-%d", cmp.Or(s.BranchPrefix, DefaultBranchPrefix), environment, instance, number)
}

// Marker distinguishes the requests of an instance at a location from all others.
func Marker(environment string, loc git.Location, instance string) forge.Marker {
	return forge.Marker{Environment: environment, Base: loc.Branch, Path: loc.Path, Instance: instance}
}

// isOf reports whether a request is the noted one.
func isOf(p *ownership.Proposal, q forge.Request) bool {
	return q.Number == p.Number && q.Head == p.Branch && !q.Fork && (p.Author == "" || q.Author == p.Author)
}

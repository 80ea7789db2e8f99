// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package request makes pull requests for changes of a branch, each for one content. The branch
// of a request is pushed once and never updated: other content makes another request.
package request

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Client makes pull requests. Many goroutines may use it at the same time.
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

// Check returns an error if the forge of a repository is not known, has no credentials or lacks a
// setting. It connects to nothing.
func (c *Client) Check(ctx context.Context, repo string, s Settings) error {
	_, err := c.checked(ctx, repo, s)
	return err
}

// checked returns a repository whose forge has all settings.
func (c *Client) checked(ctx context.Context, repo string, s Settings) (*forge.Repository, error) {
	on, err := c.Forges.Repository(ctx, repo)
	if err != nil {
		return nil, err
	}
	return on, on.Check(forge.Settings{Reviewers: s.Reviewers, TeamReviewers: s.TeamReviewers, AutoMerge: s.AutoMerge, Wait: s.Wait})
}

// DefaultBranchPrefix begins the names of the branches of pull requests.
const DefaultBranchPrefix = "kalypso/"

// Noted is the pull request that a resource remembers.
type Noted struct {
	// Number is that of the open or closed request; zero for none.
	Number int `json:"number,omitempty"`
	// Branch and Commit are those of the request, or of the last one. Then the next proposal deletes the branch.
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Last is the number of the last request that was merged or replaced.
	Last int `json:"last,omitempty"`
}

// IsOpen reports whether a request has to be followed.
func (n Noted) IsOpen() bool { return n.Number != 0 }

// Replace notes that the request was merged or replaced.
func (n *Noted) Replace() { n.Number, n.Last = 0, max(n.Number, n.Last) }

// Order is a change for which a pull request is wanted.
type Order struct {
	Settings
	Location              git.Location
	Environment, Instance string
	// Noted is the request that the resource remembers.
	Noted Noted
	// Work is the change.
	Work git.Work
	// DefaultTitle and Describe give the default title and the body in at most limit bytes, once the
	// change is known.
	DefaultTitle func() string
	Describe     func(limit int) string
}

// Made is the result of Propose.
type Made struct {
	// IsEmpty is true if the branch already has the change.
	IsEmpty bool
	// Request is the request for the change. If somebody has closed it, it is not opened again.
	Request forge.Request
	Noted   Noted
	// Problems are reasons why the request is not complete. Unmerged is the reason why an awaited
	// merge has not happened.
	Problems, Unmerged error
}

// Digits returns the part of a branch's name that identifies a change: a digest of the instance,
// the number of its last merged or replaced request, the wanted content, and what the base branch
// has in its place.
func Digits(instance string, last int, change git.Change, base map[string]tree.ID) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d\n", instance, last)
	for _, path := range slices.Sorted(maps.Keys(change.Edits)) {
		fmt.Fprintf(&b, "%q %s %s\n", path, change.Edits[path].ID, base[path])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:12]
}

// Propose pushes the change to a branch of its own and opens the request. Each step first checks
// whether it is already done, so an apply can be killed between any two steps:
//
//   - if an open request has the branch, there is nothing to do;
//   - if somebody closed it without a merge, it stays closed;
//   - otherwise Propose pushes the branch, unless it exists, and opens the request.
//
// Another open request of the instance is closed, and the branch of an earlier one is deleted. Errors: the change is not proposed.
func (c *Client) Propose(ctx context.Context, q Order) (made Made, err error) {
	repo, err := c.checked(ctx, q.Location.Repo, q.Settings) // a plan may not know the settings yet
	if err != nil {
		return made, err
	}
	made.Noted = q.Noted
	name := func(change git.Change, base map[string]tree.ID) string {
		prefix := cmp.Or(q.BranchPrefix, DefaultBranchPrefix) + q.Environment + "/"
		same := prefix + Digits(q.Instance, q.Noted.Last, change, base)
		if old := q.Noted; old.IsOpen() && old.Branch != same { // this change replaces the old request
			old.Replace()
			return prefix + Digits(q.Instance, old.Last, change, base)
		}
		return same
	}
	known := func(branch string) (bool, error) {
		requests, err := repo.FindByHead(ctx, q.Location.Branch, branch)
		i := slices.IndexFunc(requests, func(one forge.Request) bool { return one.State != forge.Merged })
		if i < 0 {
			return false, err
		}
		made.Request = requests[i]
		return true, nil
	}
	proposed, err := c.Git.Propose(ctx, q.Location.Of(), git.Proposal{Work: q.Work, Name: name, IsKnown: known})
	if err != nil {
		return made, err
	}
	made.IsEmpty = proposed.Branch == ""
	// A killed apply may have opened the request without noting it. Then Propose completes the request.
	isNoted, isClosed := q.Noted.Branch == proposed.Branch, made.Request.State == forge.Closed
	if !made.IsEmpty && !isClosed && (made.Request.Number == 0 || !isNoted) {
		opened, problems := repo.Propose(ctx, forge.NewRequest{
			Base: q.Location.Branch, Head: proposed.Branch, Title: cmp.Or(q.Title, q.DefaultTitle()), Describe: q.Describe,
			Labels: q.Labels, Reviewers: q.Reviewers, TeamReviewers: q.TeamReviewers, Draft: q.Draft,
		})
		if opened.Number == 0 {
			return made, problems
		}
		made.Request, made.Problems = opened, problems
	}
	commit := proposed.Commit.String()
	if isNoted { // also if somebody has pushed since
		commit = q.Noted.Commit
	}
	if !made.IsEmpty && !isClosed {
		made.Problems = errors.Join(made.Problems, q.merge(ctx, repo, &made, commit))
	}
	switch old := q.Noted; {
	case old.Branch == proposed.Branch:
	case old.IsOpen():
		made.Problems = errors.Join(made.Problems, c.Close(ctx, q.Location, old, replacedBy(made)))
		made.Noted.Replace()
	case !made.IsEmpty:
		made.Problems = errors.Join(made.Problems, c.deleteBranch(ctx, q.Location, old))
	}
	if !made.IsEmpty {
		made.Noted.Number, made.Noted.Branch, made.Noted.Commit = made.Request.Number, proposed.Branch, commit
	}
	return made, nil
}

// replacedBy is the comment on a request that is closed.
func replacedBy(made Made) string {
	if made.IsEmpty {
		return "There is nothing to propose any more: the base branch has the wanted content."
	}
	return fmt.Sprintf("Replaced by %s, which proposes the newer state of the environment.", made.Request.URL)
}

// merge turns on automatic merging of our commit, and waits for the merge if the settings say so.
func (q Order) merge(ctx context.Context, repo *forge.Repository, made *Made, commit string) (problem error) {
	if q.AutoMerge != "" {
		problem = repo.AutoMerge(ctx, made.Request.Number, q.AutoMerge, commit)
	}
	if !q.Wait || remote.Is(problem, remote.KindHeadMoved) { // Await would say the same
		return problem
	}
	now, err := repo.Await(ctx, made.Request.Number, q.AutoMerge, commit)
	switch {
	case err != nil:
		made.Unmerged = err
	case now.State == forge.Closed:
		made.Unmerged = fmt.Errorf("the request was closed without a merge: %s", now.URL)
	default:
		made.Request = now
	}
	return problem
}

// Follow finds what became of the noted request. A request that does not exist any more counts as
// closed.
func (c *Client) Follow(ctx context.Context, at git.Location, noted Noted) (forge.Request, error) {
	repo, err := c.Forges.Repository(ctx, at.Repo)
	if err != nil {
		return forge.Request{}, err
	}
	q, err := repo.Request(ctx, noted.Number)
	if remote.Is(err, remote.KindNotFound) || err == nil && q.Head != noted.Branch {
		return forge.Request{State: forge.Closed, Number: noted.Number}, nil
	}
	return q, err
}

// Close closes the noted request with a comment, unless it is closed already, and deletes its branch,
// unless somebody else has pushed to it.
func (c *Client) Close(ctx context.Context, at git.Location, noted Noted, why string) error {
	repo, err := c.Forges.Repository(ctx, at.Repo)
	if err != nil {
		return err
	}
	q, err := repo.Request(ctx, noted.Number)
	switch {
	case remote.Is(err, remote.KindNotFound), err == nil && (q.Head != noted.Branch || q.State == forge.Merged):
		return nil
	case err != nil:
		return err
	}
	if err := repo.Close(ctx, q.Number, why); err != nil {
		return err
	}
	return c.deleteBranch(ctx, at, noted)
}

// deleteBranch deletes the branch of a request, unless somebody else has pushed to it.
func (c *Client) deleteBranch(ctx context.Context, at git.Location, noted Noted) error {
	commit, err := tree.ParseID(noted.Commit)
	if err != nil {
		return nil
	}
	_, err = c.Git.DeleteBranch(ctx, git.Branch{Repo: at.Repo, Name: noted.Branch}, commit)
	return err
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"slices"
	"strings"
)

// synchronize looks what happened in the repository since: branches that were
// pushed to or deleted, and requests that may be merged by now.
func (s *Server) synchronize() {
	for _, p := range s.pulls {
		if p.State != "open" || p.fork {
			continue
		}
		head := s.head(p.Head)
		if head == "" || s.head(p.Base) == "" {
			p.State, p.AutoMerge = "closed", "" // as GitHub does
			continue
		}
		p.HeadCommit = head
		if p.AutoMerge != "" {
			s.merge(p, p.AutoMerge) // stays as it is where a rule is in the way
		}
	}
}

// blocked returns what blocks a merge; empty if nothing does.
func (s *Server) blocked(p *pull) string {
	switch {
	case p.State != "open":
		return "Pull Request is not mergeable"
	case p.Draft:
		return "Pull Request is still a draft"
	case s.guarded[p.Base] && p.approvals == 0:
		return "At least 1 approving review is required by reviewers with write access."
	}
	return ""
}

// merge merges a request in the repository, or returns the reason of its refusal.
func (s *Server) merge(p *pull, method string) (refusal string) {
	if method == "" {
		method = "merge"
	}
	if refusal := s.blocked(p); refusal != "" {
		return refusal
	}
	if slices.Contains(s.settings.Forbidden, method) {
		return strings.ToUpper(method[:1]) + method[1:] + " merges are not allowed on this repository."
	}
	base := s.head(p.Base)
	commit, err := s.mergedCommit(p, method, base)
	if err != nil {
		return "Pull Request is not mergeable"
	}
	if !s.repo.Move(p.Base, base, commit) {
		return "Base branch was modified. Review and try the merge again."
	}
	p.State, p.Merged, p.MergeCommit, p.AutoMerge, p.mergedAt = "closed", true, commit, "", stamp(p.Number)
	if s.settings.DeleteBranchOnMerge {
		s.repo.DeleteBranch(s.t, p.Head)
	}
	return ""
}

// mergedCommit makes the commit that a method of merging makes.
func (s *Server) mergedCommit(p *pull, method, base string) (commit string, err error) {
	switch method {
	case "squash":
		return s.repo.SquashCommit(base, p.HeadCommit, p.Title)
	case "rebase":
		return s.repo.RebaseCommits(base, p.HeadCommit)
	}
	return s.repo.MergeCommit(base, p.HeadCommit, "Merge "+p.Head)
}

// head returns the commit of a branch; empty if it does not exist.
func (s *Server) head(branch string) string { return s.repo.Head(s.t, branch) }

// count returns how many commits the branch has that the base lacks.
func (s *Server) count(base, branch string) int { return len(s.repo.Ahead(base, branch)) }

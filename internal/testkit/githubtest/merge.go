// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
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

// blocked tells what is in the way of a merge; empty: nothing.
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

// merge merges a request in the repository, and tells why where it does not.
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
	commit, ok := map[string]func(*pull, string) (string, bool){
		"merge": s.mergeCommit, "squash": s.squash, "rebase": s.rebase,
	}[method](p, base)
	if !ok {
		return "Pull Request is not mergeable"
	}
	if _, ok := s.run("update-ref", "refs/heads/"+p.Base, commit, base); !ok {
		return "Base branch was modified. Review and try the merge again."
	}
	p.State, p.Merged, p.MergeCommit, p.AutoMerge, p.mergedAt = "closed", true, commit, "", stamp(p.Number)
	if s.settings.DeleteBranchOnMerge {
		s.run("update-ref", "-d", "refs/heads/"+p.Head)
	}
	return ""
}

func (s *Server) mergeCommit(p *pull, base string) (commit string, ok bool) {
	tree, ok := s.run("merge-tree", "--write-tree", base, p.HeadCommit)
	if !ok {
		return "", false
	}
	return s.run("commit-tree", "-p", base, "-p", p.HeadCommit, "-m", "Merge "+p.Head, tree)
}

func (s *Server) squash(p *pull, base string) (commit string, ok bool) {
	tree, ok := s.run("merge-tree", "--write-tree", base, p.HeadCommit)
	if !ok {
		return "", false
	}
	message := []string{"-m", p.Title}
	if p.squashed != "" {
		message = append(message, "-m", p.squashed)
	}
	return s.run(append([]string{"commit-tree", "-p", base, tree}, message...)...)
}

// rebase makes each commit of the branch anew, on top of the base.
func (s *Server) rebase(p *pull, base string) (commit string, ok bool) {
	commits, ok := s.run("rev-list", "--reverse", base+".."+p.HeadCommit)
	commit = base
	for old := range strings.FieldsSeq(commits) {
		var tree, message string
		// As if what is there already had been made from the same parent, so that
		// the parent is what both are compared with.
		beside, _ := s.run("commit-tree", "-p", old+"^", "-m", "onto", commit+"^{tree}")
		if tree, ok = s.run("merge-tree", "--write-tree", beside, old); !ok {
			return "", false
		}
		message, _ = s.run("log", "-1", "--format=%B", old)
		if commit, ok = s.run("commit-tree", "-p", commit, "-m", message, tree); !ok {
			return "", false
		}
	}
	return commit, ok
}

// getBranch tells whether a branch is protected.
func (c *call) getBranch() {
	name := c.parameters["branch"]
	commit := c.head(name)
	if commit == "" {
		c.fail(http.StatusNotFound, "Branch not found")
		return
	}
	c.respond(http.StatusOK, "branch-with-protection", object{"name": name, "protected": c.guarded[name], "commit": object{"sha": commit}})
}

// head returns the commit of a branch; empty where there is none.
func (s *Server) head(branch string) string {
	if commit, ok := s.repo.LooseHead(branch); ok {
		return commit
	}
	commit, ok := s.run("rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if !ok {
		return ""
	}
	return commit
}

// count tells how many commits the branch has that the base lacks.
func (s *Server) count(base, branch string) int {
	commits, _ := s.run("rev-list", "refs/heads/"+base+"..refs/heads/"+branch)
	return len(strings.Fields(commits))
}

// run runs git in the repository. Unlike gittest's Git it may fail, and is called
// by the server's own goroutines.
func (s *Server) run(args ...string) (out string, ok bool) {
	command := gittest.Command(s.t.Context(), append([]string{"--git-dir", s.repo.Path()}, args...)...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err := command.Run()
	return strings.TrimSpace(stdout.String()), err == nil
}

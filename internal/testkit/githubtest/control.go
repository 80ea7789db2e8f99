// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"slices"
	"testing"
)

// What people and other programs do, for tests to do it.

// Pulls returns all pull requests, oldest first.
func (s *Server) Pulls() []Pull {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
	all := make([]Pull, len(s.pulls))
	for i, p := range s.pulls {
		all[i] = p.snapshot()
	}
	return all
}

// Pull returns a pull request by its number.
func (s *Server) Pull(t testing.TB, number int) Pull {
	t.Helper()
	var found Pull
	s.with(t, number, func(p *pull) { found = p.snapshot() })
	return found
}

func (p *pull) snapshot() Pull {
	found := p.Pull
	for _, list := range []*[]string{&found.Labels, &found.Users, &found.Teams, &found.Comments} {
		*list = slices.Clone(*list)
	}
	return found
}

// OpenPull opens a pull request of a user and returns its number.
func (s *Server) OpenPull(author, base, head, title, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(Pull{Author: author, Base: base, Head: head, Title: title, Body: body}).Number
}

// OpenFork opens a pull request from a fork of the author's.
func (s *Server) OpenFork(author, base, head, title, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.add(Pull{Author: author, Base: base, Head: head, Title: title, Body: body})
	p.fork = true
	p.HeadCommit = orZero(p.HeadCommit)
	return p.Number
}

// Approve is an approving review, which protected branches ask for.
func (s *Server) Approve(t testing.TB, number int, reviewer string) {
	t.Helper()
	s.with(t, number, func(p *pull) {
		p.approvals++
		p.Users = slices.DeleteFunc(p.Users, func(user string) bool { return user == reviewer })
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
}

// Merge merges a pull request by a method, as a person would.
func (s *Server) Merge(t testing.TB, number int, method string) {
	t.Helper()
	s.with(t, number, func(p *pull) {
		if refusal := s.merge(p, method); refusal != "" {
			t.Fatalf("pull request %d: %s", number, refusal)
		}
	})
}

// ClosePull closes a pull request without a merge.
func (s *Server) ClosePull(t testing.TB, number int) {
	t.Helper()
	s.with(t, number, func(p *pull) { p.State, p.AutoMerge = "closed", "" })
}

// Protect has a branch take no pushes, and merges only of what is approved.
func (s *Server) Protect(_ testing.TB, branch string) {
	s.repo.Refuse(branch, "error: GH006: Protected branch update failed for refs/heads/"+branch+".\nerror: Changes must be made through "+
		"a pull request.")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guarded[branch] = true
}

func (s *Server) with(t testing.TB, number int, act func(*pull)) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
	p := s.numbered(number)
	if p == nil {
		t.Fatalf("there is no pull request %d", number)
	}
	act(p)
}

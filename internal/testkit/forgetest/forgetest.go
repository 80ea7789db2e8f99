// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package forgetest has what the doubles of forges share: a repository that is served over git
// beside an interface, pull requests that follow their branches, commit statuses, and a table of
// the operations of the interface. A call that the table does not know fails the test.
package forgetest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Server is a forge with one repository.
type Server struct {
	T    testing.TB
	Repo *gitmem.Repo

	git     *gittest.HTTPServer
	dialect Dialect
	path    string // of the repository's pages

	mu       sync.Mutex
	tokens   map[string]token
	requests []*Request
	statuses []Status
	archived bool
	guarded  map[string]bool
	former   string
}

// Dialect is what makes a forge of a server.
type Dialect struct {
	// Root begins the paths of the interface.
	Root string
	// Path is the path of the repository's pages and of git.
	Path string
	// Token reads the token of a call.
	Token func(r *http.Request) string
	// Operations are all that the interface knows.
	Operations []Operation
	// Refuse writes a refusal in the words of the forge.
	Refuse func(w http.ResponseWriter, status int, message string)
	// Forbidden, Archived, Unauthorized and Protected are the words of these refusals.
	Forbidden, Archived, Unauthorized, Protected string
	// Moved answers a call under the former name of the repository.
	Moved func(w http.ResponseWriter, r *http.Request, to string)
}

type token struct {
	login string
	write bool
}

// Request is a pull request.
type Request struct {
	Number                 int
	Author, Title, Body    string
	State                  string // open, merged or closed
	Draft                  bool
	Base, Head, HeadCommit string
	MergeCommit            string
	// AutoMerge is the method of automatic merging.
	AutoMerge                   string
	Labels, Reviewers, Comments []string
	Approved                    bool
	// Looked is how often somebody has read the request.
	Looked int
}

// Status is a commit status.
type Status struct {
	ID                                                        int
	Commit, Context, State, Description, TargetURL, CreatedBy string
}

// Time is the time of the status.
func (s Status) Time() time.Time { return time.Date(2026, 1, 1, 0, s.ID, 0, 0, time.UTC) }

// Start serves a repository until the test ends.
func Start(t testing.TB, repo *gitmem.Repo, d Dialect, options ...gittest.HTTPOption) *Server {
	t.Helper()
	s := &Server{T: t, Repo: repo, dialect: d, path: d.Path, tokens: map[string]token{}, guarded: map[string]bool{}}
	s.git = gittest.ServeHTTP(t, repo, append(options, gittest.WithHook(s.serve))...)
	return s
}

// Address is the address of the server's pages.
func (s *Server) Address() string { return s.git.URL()[:strings.LastIndexByte(s.git.URL(), '/')] }

// URL is the repository's URL for git.
func (s *Server) URL() string { return s.Address() + (&url.URL{Path: s.path}).EscapedPath() }

// AddToken returns a token of a user, who may write or only read.
func (s *Server) AddToken(login string, write bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "token-of-" + login + map[bool]string{true: "-to-write", false: "-to-read"}[write]
	s.tokens[text] = token{login, write}
	return text
}

// Archive makes the repository accept no changes.
func (s *Server) Archive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archived = true
}

// RenamedFrom gives the repository a former path, and returns its former URL.
func (s *Server) RenamedFrom(path string) (url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.former = path
	return s.Address() + path
}

// Protect makes a branch accept no pushes, and only merges of approved requests.
func (s *Server) Protect(branch string) {
	s.Repo.Refuse(branch, s.dialect.Protected)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guarded[branch] = true
}

// Requests returns all requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synchronize()
	var all []Request
	for _, q := range s.requests {
		all = append(all, *q)
	}
	return all
}

// Change changes a request as a person would: it is approved, closed or deleted.
func (s *Server) Change(t testing.TB, number int, change func(q *Request)) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.Find(number)
	if q == nil {
		t.Fatalf("there is no request %d", number)
	}
	change(q)
	s.synchronize()
}

// Merge merges a request by a method, as a person would.
func (s *Server) Merge(t testing.TB, number int, method string) {
	t.Helper()
	s.Change(t, number, func(q *Request) {
		q.HeadCommit = s.Repo.Head(t, q.Head)
		if err := s.TryMerge(q, method); err != nil {
			t.Fatal(err)
		}
	})
}

// Statuses returns the statuses of a commit, oldest first.
func (s *Server) Statuses(commit string) []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.StatusesOf(commit)
}

// AddStatus reports a commit for a user.
func (s *Server) AddStatus(status Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.PutStatus(status)
}

// The following are for the operations of a dialect: they are called while the server is locked.

// Add adds an open request.
func (s *Server) Add(q Request) *Request {
	q.Number, q.State, q.HeadCommit = len(s.requests)+1, "open", s.Repo.Head(s.T, q.Head)
	s.requests = append(s.requests, &q)
	return &q
}

// Find returns a request; nil if there is none.
func (s *Server) Find(number int) *Request {
	if number < 1 || number > len(s.requests) {
		return nil
	}
	return s.requests[number-1]
}

// Select returns the requests that pass a filter, newest first.
func (s *Server) Select(keep func(q *Request) bool) (all []*Request) {
	for _, q := range slices.Backward(s.requests) {
		if keep(q) {
			all = append(all, q)
		}
	}
	return all
}

// Blocked reports whether a rule of the base branch is not met.
func (s *Server) Blocked(q *Request) bool { return s.guarded[q.Base] && !q.Approved }

// TryMerge merges a request, or returns why not.
func (s *Server) TryMerge(q *Request, method string) (err error) {
	base := s.Repo.Head(s.T, q.Base)
	var commit string
	switch method {
	case "squash":
		commit, err = s.Repo.SquashCommit(base, q.HeadCommit, q.Title)
	case "rebase":
		commit, err = s.Repo.RebaseCommits(base, q.HeadCommit)
	default:
		commit, err = s.Repo.MergeCommit(base, q.HeadCommit, "Merge "+q.Head)
	}
	if err != nil {
		return err
	}
	s.Repo.Move(q.Base, base, commit)
	q.State, q.MergeCommit, q.AutoMerge = "merged", commit, ""
	return nil
}

// StatusesOf returns the statuses of a commit, oldest first.
func (s *Server) StatusesOf(commit string) (all []Status) {
	for _, status := range s.statuses {
		if status.Commit == commit {
			all = append(all, status)
		}
	}
	return all
}

// PutStatus adds a status, or replaces the one with its ID.
func (s *Server) PutStatus(status Status) Status {
	if status.ID > 0 {
		s.statuses[status.ID-1] = status
		return status
	}
	status.ID = len(s.statuses) + 1
	s.statuses = append(s.statuses, status)
	return status
}

// synchronize lets requests follow their branches, and merges what can be merged by now.
func (s *Server) synchronize() {
	for _, q := range s.requests {
		head := s.Repo.Head(s.T, q.Head)
		if q.State != "open" || head == "" {
			continue
		}
		if q.HeadCommit != head {
			q.HeadCommit, q.AutoMerge = head, ""
		}
		if q.AutoMerge != "" && !s.Blocked(q) {
			if err := s.TryMerge(q, q.AutoMerge); err != nil {
				s.T.Error(err)
			}
		}
	}
}

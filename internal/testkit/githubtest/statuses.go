// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Status is a commit status as a test looks at it. Without a Time it is set at one that
// goes by its number.
type Status struct {
	Commit, Context, Creator string
	State, Description       string
	TargetURL                string
	Time                     time.Time
}

// CheckRun is a run of a check of a GitHub App's. It is the newest of its suite, App and
// name; without a conclusion, it is under way.
type CheckRun struct {
	Commit, App, Name string
	Suite             int
	Conclusion        string
	// Queued says that it has not begun.
	Queued bool
	// Time is when it is completed; one that goes by its number where it is zero.
	Time time.Time
}

// Limits of statuses, as GitHub has them.
const (
	maxDescription = 140
	maxContext     = 255
	maxStatuses    = 1000 // of one commit and context
)

// Statuses returns the statuses of all commits, oldest first.
func (s *Server) Statuses() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statuses)
}

// AddStatuses has others say something of commits.
func (s *Server) AddStatuses(statuses ...Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses = append(s.statuses, statuses...)
}

// AddCheckRuns has Apps run checks.
func (s *Server) AddCheckRuns(runs ...CheckRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks = append(s.checks, runs...)
}

func (c *call) listStatuses() {
	commit := c.parameters["ref"]
	if !c.repo.HasCommit(commit) {
		c.notFound()
		return
	}
	var found []object
	for i, status := range slices.Backward(c.statuses) {
		if status.Commit == commit {
			found = append(found, status.json(i+1))
		}
	}
	c.respondList("status", found)
}

func (s Status) json(id int) object {
	return object{
		"id": id, "state": s.State, "context": s.Context, "description": s.Description, "target_url": s.TargetURL,
		"creator": user(s.Creator), "created_at": stampOf(s.Time, id), "updated_at": stampOf(s.Time, id),
	}
}

func (c *call) createStatus() {
	var body struct {
		State, Context, Description string
		TargetURL                   string `json:"target_url"`
	}
	c.decode(&body)
	made := Status{Commit: c.parameters["sha"], Context: body.Context, Creator: c.who.login, State: body.State,
		Description: body.Description, TargetURL: body.TargetURL}
	if made.Context == "" {
		made.Context = "default"
	}
	invalid := func(message string) {
		c.invalid(object{"resource": "Status", "code": "custom", "message": message})
	}
	target, err := url.Parse(made.TargetURL)
	switch {
	case !c.repo.HasCommit(made.Commit):
		c.fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+made.Commit)
	case utf8.RuneCountInString(made.Description) > maxDescription:
		invalid(fmt.Sprintf("description is too long (maximum is %d characters)", maxDescription))
	case utf8.RuneCountInString(made.Context) > maxContext:
		invalid(fmt.Sprintf("context is too long (maximum is %d characters)", maxContext))
	case made.TargetURL != "" && (err != nil || target.Scheme != "https" && target.Scheme != "http"):
		invalid("target_url must use http(s) scheme")
	case c.countStatuses(made.Commit, made.Context) >= maxStatuses:
		invalid("This SHA and context has reached the maximum number of statuses.")
	default:
		c.statuses = append(c.statuses, made)
		c.respond(http.StatusCreated, "status", made.json(len(c.statuses)))
	}
}

// countStatuses returns how many statuses a commit has in a context, in any case.
func (s *Server) countStatuses(commit, context string) int {
	n := 0
	for _, status := range s.statuses {
		if status.Commit == commit && strings.EqualFold(status.Context, context) {
			n++
		}
	}
	return n
}

func (c *call) listCheckRuns() {
	commit := c.parameters["ref"]
	if !c.repo.HasCommit(commit) {
		c.fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+commit)
		return
	}
	latest := c.request.URL.Query().Get("filter") != "all"
	type key struct {
		app, name string
		suite     int
	}
	seen := map[key]bool{}
	found := []object{}
	for i, run := range slices.Backward(c.checks) {
		at := key{run.App, run.Name, run.Suite}
		if run.Commit != commit || latest && seen[at] {
			continue
		}
		seen[at] = true
		found = append(found, run.json(i+1))
	}
	total := len(found)
	slices.Reverse(found) // GitHub promises no order
	page := []any{}
	for _, run := range c.page(found) {
		page = append(page, c.description.complete("check-run", run))
	}
	respondJSON(c.answer, http.StatusOK, object{"total_count": total, "check_runs": page})
}

func (r CheckRun) json(id int) object {
	run := object{
		"id": id, "head_sha": r.Commit, "name": r.Name, "status": "in_progress", "conclusion": nil, "started_at": stamp(id), "completed_at": nil,
		"html_url": fmt.Sprintf("https://github.example/runs/%d", id), "details_url": fmt.Sprintf("https://github.example/runs/%d/details", id),
		"app":         object{"id": len(r.App), "slug": r.App, "name": strings.ToUpper(r.App), "owner": user(Owner)},
		"check_suite": object{"id": r.Suite}, "pull_requests": []object{},
		"output": object{"title": "The check " + r.Name, "summary": nil, "text": nil, "annotations_count": 0,
			"annotations_url": "https://github.example/annotations"},
	}
	if r.Queued {
		run["status"], run["started_at"] = "queued", nil
	}
	if r.Conclusion != "" {
		run["status"], run["conclusion"], run["completed_at"] = "completed", r.Conclusion, stampOf(r.Time, id+1)
	}
	return run
}

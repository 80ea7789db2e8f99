// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package gitlabtest is a GitLab for tests: one project in a subgroup, served over git and over the
// operations of GitLab's REST interface that the provider uses. The table below has the paths,
// parameters, fields and states of these operations, as GitLab documents them
// (https://docs.gitlab.com/api/). A call that the table does not know fails the test.
package gitlabtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Project is the path of the project.
const Project = "octo/platform/gitops"

// users are the users by their ids.
var users = []string{1: "kalypso", 2: "octocat", 3: "hubot", 4: "reader"}

// operations is what the double knows of GitLab's description.
var operations = []forgetest.Operation{
	{Method: "GET", Path: "projects/{repository}/merge_requests", Do: list, Query: []string{
		"state string opened closed locked merged all", "source_branch string", "target_branch string", "order_by string created_at updated_at",
		"sort string asc desc", "page integer", "per_page integer", "iids list", "labels string", "author_username string", "scope string"}},
	{Method: "POST", Path: "projects/{repository}/merge_requests", Do: create, Body: []string{
		"title string!", "source_branch string!", "target_branch string!", "description string", "labels string", "reviewer_ids list",
		"assignee_ids list", "assignee_id integer", "milestone_id integer", "remove_source_branch boolean", "squash boolean",
		"target_project_id integer", "allow_collaboration boolean"}},
	{Method: "GET", Path: "projects/{repository}/merge_requests/{iid}", Do: get, Query: []string{
		"include_diverged_commits_count boolean", "include_rebase_in_progress boolean", "render_html boolean"}},
	{Method: "PUT", Path: "projects/{repository}/merge_requests/{iid}", Do: update, Body: []string{
		"state_event string close reopen", "title string", "description string", "labels string", "add_labels string", "remove_labels string",
		"reviewer_ids list", "assignee_ids list", "target_branch string", "remove_source_branch boolean", "squash boolean",
		"discussion_locked boolean"}},
	{Method: "PUT", Path: "projects/{repository}/merge_requests/{iid}/merge", Do: accept, Body: []string{
		"sha string", "auto_merge boolean", "squash boolean", "squash_commit_message string", "merge_commit_message string",
		"should_remove_source_branch boolean", "merge_when_pipeline_succeeds boolean"}},
	{Method: "POST", Path: "projects/{repository}/merge_requests/{iid}/notes", Do: note, Body: []string{
		"body string!", "internal boolean", "created_at string", "merge_request_diff_head_sha string"}},
	{Method: "GET", Path: "projects/{repository}/repository/commits/{sha}/statuses", Do: statuses, Query: []string{
		"all boolean", "name string", "ref string", "stage string", "pipeline_id integer", "order_by string id pipeline_id",
		"sort string asc desc", "page integer", "per_page integer"}},
	{Method: "POST", Path: "projects/{repository}/statuses/{sha}", Do: setStatus, Body: []string{
		"state string! pending running success failed canceled skipped", "name string", "context string", "description string",
		"target_url string", "ref string", "coverage integer", "pipeline_id integer"}},
	{Method: "GET", Path: "users", Do: listUsers, Query: []string{"username string", "page integer", "per_page integer", "active boolean",
		"search string"}},
}

// Start serves a project until the test ends.
func Start(t testing.TB, repo *gitmem.Repo, options ...gittest.HTTPOption) *forgetest.Server {
	t.Helper()
	return forgetest.Start(t, repo, forgetest.Dialect{
		Root: "/api/v4/", Path: "/" + Project, Operations: operations, Refuse: refuse,
		Unauthorized: "401 Unauthorized", Forbidden: "403 Forbidden", Archived: "403 Forbidden",
		Protected: "GitLab: You are not allowed to push code to protected branches on this project.",
		Token: func(r *http.Request) string {
			if _, password, ok := r.BasicAuth(); ok {
				return password
			}
			return r.Header.Get("Private-Token") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		},
		Moved: func(w http.ResponseWriter, r *http.Request, to string) {
			if r.Method != http.MethodGet {
				refuse(w, http.StatusMethodNotAllowed, "Non GET methods are not allowed for moved projects")
				return
			}
			before, after, _ := strings.Cut(r.URL.EscapedPath(), "/projects/")
			_, after, _ = strings.Cut(after, "/")
			w.Header().Set("Location", before+"/projects/"+strings.ReplaceAll(strings.Trim(to, "/"), "/", "%2F")+"/"+after+"?"+r.URL.RawQuery)
			w.WriteHeader(http.StatusMovedPermanently)
		},
	}, options...)
}

func refuse(w http.ResponseWriter, status int, message string) {
	text, _ := json.Marshal(map[string]any{"message": message}) // a text can always be encoded
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone away misses it
}

// object is a JSON object.
type object map[string]any

// page answers with the page of a list that is asked for.
func page[T any](c *forgetest.Call, all []T, read func(T) object) {
	size, err := strconv.Atoi(c.Query.Get("per_page"))
	if err != nil || size < 1 || size > 100 {
		size = 20
	}
	number, err := strconv.Atoi(c.Query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	first, last := min(len(all), (number-1)*size), min(len(all), number*size)
	if last < len(all) {
		c.Header.Set("X-Next-Page", strconv.Itoa(number+1))
	}
	items := []object{}
	for _, item := range all[first:last] {
		items = append(items, read(item))
	}
	c.Answer(http.StatusOK, items)
}

func user(name string) object {
	return object{"id": slices.Index(users, name), "username": name, "state": "active"}
}

// mergeStatus is the detailed_merge_status of a request. GitLab checks in the background.
func mergeStatus(c *forgetest.Call, q *forgetest.Request) string {
	switch {
	case q.State != "open":
		return "not_open"
	case q.Looked < 2:
		return "checking"
	case q.Draft:
		return "draft_status"
	case c.Blocked(q):
		return "not_approved"
	}
	return "mergeable"
}

func read(c *forgetest.Call) func(q *forgetest.Request) object {
	return func(q *forgetest.Request) object {
		q.Looked++
		reviewers := []object{}
		for _, name := range q.Reviewers {
			reviewers = append(reviewers, user(name))
		}
		m := object{
			"id": 1000 + q.Number, "iid": q.Number, "project_id": 7, "title": q.Title, "description": q.Body, "draft": q.Draft,
			"state":         map[string]string{"open": "opened", "merged": "merged", "closed": "closed"}[q.State],
			"source_branch": q.Head, "target_branch": q.Base, "source_project_id": 7, "target_project_id": 7, "sha": q.HeadCommit,
			"author": user(q.Author), "labels": append([]string{}, q.Labels...), "reviewers": reviewers,
			"merge_when_pipeline_succeeds": q.AutoMerge != "", "detailed_merge_status": mergeStatus(c, q),
			"web_url": fmt.Sprintf("%s/-/merge_requests/%d", c.URL(), q.Number), "merge_commit_sha": nil, "squash_commit_sha": nil,
		}
		if q.State == "merged" {
			m["merge_commit_sha"] = q.MergeCommit
		}
		return m
	}
}

func list(c *forgetest.Call) {
	state := map[string]string{"opened": "open", "closed": "closed", "merged": "merged"}[c.Query.Get("state")]
	page(c, c.Select(func(q *forgetest.Request) bool {
		return (state == "" || q.State == state) && (!c.Query.Has("source_branch") || q.Head == c.Query.Get("source_branch")) &&
			(!c.Query.Has("target_branch") || q.Base == c.Query.Get("target_branch"))
	}), read(c))
}

func create(c *forgetest.Call) {
	made := forgetest.Request{Author: c.Who, Title: c.Text("title"), Body: c.Text("description"), Head: c.Text("source_branch"),
		Base: c.Text("target_branch"), Draft: strings.HasPrefix(c.Text("title"), "Draft: ")}
	if labels := c.Text("labels"); labels != "" {
		made.Labels = strings.Split(labels, ",")
	}
	ids, _ := c.Body["reviewer_ids"].([]any)
	for _, id := range ids {
		if number, ok := id.(float64); ok && int(number) < len(users) {
			made.Reviewers = append(made.Reviewers, users[int(number)])
		}
	}
	same := c.Select(func(q *forgetest.Request) bool {
		return q.State == "open" && q.Head == made.Head && q.Base == made.Base
	})
	switch {
	case len(same) > 0:
		c.Answer(http.StatusConflict, object{"message": []string{
			fmt.Sprintf("Another open merge request already exists for this source branch: !%d", same[0].Number)}})
	case len(made.Title) > 255 || len(made.Body) > 1_048_576:
		c.Answer(http.StatusBadRequest, object{"message": object{"title": []string{"is too long"}}})
	default:
		c.Answer(http.StatusCreated, read(c)(c.Add(made)))
	}
}

// request returns the request that the path names.
func request(c *forgetest.Call) *forgetest.Request { return c.Request("iid", "404 Not found") }

func get(c *forgetest.Call) {
	if q := request(c); q != nil {
		c.Answer(http.StatusOK, read(c)(q))
	}
}

func update(c *forgetest.Call) {
	q := request(c)
	if q == nil {
		return
	}
	if c.Text("state_event") == "close" && q.State == "open" {
		q.State = "closed"
	}
	c.Answer(http.StatusOK, read(c)(q))
}

func accept(c *forgetest.Call) {
	q := request(c)
	if q == nil {
		return
	}
	method := "merge"
	if c.Body["squash"] == true {
		method = "squash"
	}
	status := mergeStatus(c, q)
	switch {
	case c.Text("sha") != "" && c.Text("sha") != q.HeadCommit:
		c.Refuse(http.StatusConflict, "SHA does not match HEAD of source branch: "+q.HeadCommit)
	case status == "mergeable" && c.Body["auto_merge"] != true:
		if err := c.TryMerge(q, method); err != nil {
			c.Refuse(http.StatusUnprocessableEntity, "Branch cannot be merged")
			return
		}
		c.Answer(http.StatusOK, read(c)(q))
	case status == "not_approved" && c.Body["auto_merge"] == true:
		q.AutoMerge = method
		c.Answer(http.StatusOK, read(c)(q))
	default:
		c.Refuse(http.StatusMethodNotAllowed, "405 Method Not Allowed")
	}
}

func note(c *forgetest.Call) {
	if q := request(c); q != nil {
		q.Comments = append(q.Comments, c.Text("body"))
		c.Answer(http.StatusCreated, object{"id": len(q.Comments), "body": c.Text("body"), "author": user(c.Who)})
	}
}

func readStatus(s forgetest.Status) object {
	return object{"id": s.ID, "sha": s.Commit, "ref": "main", "status": s.State, "name": s.Context, "description": s.Description,
		"target_url": s.TargetURL, "author": user(s.CreatedBy), "created_at": s.Time(), "started_at": nil, "finished_at": nil}
}

func statuses(c *forgetest.Call) {
	if !c.Repo.HasCommit(c.Parameters["sha"]) {
		c.Refuse(http.StatusNotFound, "404 Commit Not Found")
		return
	}
	all := c.StatusesOf(c.Parameters["sha"])
	if c.Query.Get("all") != "true" {
		slices.Reverse(all)
		seen := map[string]bool{}
		all = slices.DeleteFunc(all, func(s forgetest.Status) bool {
			was := seen[s.Context]
			seen[s.Context] = true
			return was
		})
	}
	page(c, all, readStatus)
}

// setStatus follows GitLab's states: an unfinished status of the same user changes, and cannot be
// set to the state that it has.
func setStatus(c *forgetest.Call) {
	name, commit := c.Text("name")+c.Text("context"), c.Parameters["sha"]
	if !c.Repo.HasCommit(commit) {
		c.Refuse(http.StatusNotFound, "404 Commit Not Found")
		return
	}
	status := forgetest.Status{Commit: commit, Context: name, CreatedBy: c.Who}
	for _, old := range c.StatusesOf(commit) {
		if old.Context == name && old.CreatedBy == c.Who && old.State == "pending" {
			status = old
		}
	}
	if len(c.Text("description")) > 255 || len(name) > 255 {
		c.Refuse(http.StatusBadRequest, "description is too long (maximum is 255 characters)")
		return
	}
	if status.ID > 0 && c.Text("state") == "pending" {
		c.Refuse(http.StatusBadRequest, `Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")`)
		return
	}
	status.State, status.Description, status.TargetURL = c.Text("state"), c.Text("description"), c.Text("target_url")
	c.Answer(http.StatusCreated, readStatus(c.PutStatus(status)))
}

func listUsers(c *forgetest.Call) {
	found := []object{}
	if name := c.Query.Get("username"); slices.Contains(users[1:], name) {
		found = append(found, user(name))
	}
	c.Answer(http.StatusOK, found)
}

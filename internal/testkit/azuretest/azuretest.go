// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package azuretest is an Azure Repos for tests: one repository, served over git, which needs the
// capability multi_ack as Azure's does, and over the operations of Azure's REST interface that the
// provider uses. The table below has the paths, parameters, fields and states of these operations,
// as the description of the interface has them (Git, version 7.1). A call that the table does not
// know fails the test.
package azuretest

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

// The parts of the repository's URL.
const (
	Organization = "octo"
	Project      = "Platform Team"
	Repository   = "gitops"
	path         = "/" + Organization + "/" + Project + "/_git/" + Repository
)

// Users by their ids.
const (
	Reviewer = "11111111-2222-3333-4444-555555555555"
	Group    = "99999999-8888-7777-6666-555555555555"
)

const version = "api-version string! 7.1"

// pull is the fields of a pull request that a client may write.
var pull = []string{
	"title string", "description string", "sourceRefName string", "targetRefName string", "isDraft boolean",
	"status string active abandoned completed", "labels list", "labels[].name string", "reviewers list", "reviewers[].id string",
	"reviewers[].isRequired boolean", "lastMergeSourceCommit object", "lastMergeSourceCommit.commitId string", "completionOptions object",
	"completionOptions.mergeStrategy string noFastForward squash rebase rebaseMerge", "completionOptions.deleteSourceBranch boolean",
	"completionOptions.mergeCommitMessage string", "completionOptions.bypassPolicy boolean", "completionOptions.transitionWorkItems boolean",
	"autoCompleteSetBy object", "autoCompleteSetBy.id string",
}

const repository = "{organization}/{project}/_apis/git/repositories/{repositoryId}/"

// operations is what the double knows of Azure's description.
var operations = []forgetest.Operation{
	{Method: "GET", Path: repository + "pullrequests", Do: list, Query: []string{version, "$top integer", "$skip integer",
		"searchCriteria.status string notSet active abandoned completed all", "searchCriteria.sourceRefName string",
		"searchCriteria.targetRefName string", "searchCriteria.creatorId string", "searchCriteria.includeLinks boolean"}},
	{Method: "POST", Path: repository + "pullrequests", Do: create, Query: []string{version, "supportsIterations boolean"}, Body: pull},
	{Method: "GET", Path: repository + "pullrequests/{pullRequestId}", Do: get, Query: []string{version, "includeCommits boolean",
		"includeWorkItemRefs boolean"}},
	{Method: "PATCH", Path: repository + "pullrequests/{pullRequestId}", Do: update, Query: []string{version}, Body: pull},
	{Method: "POST", Path: repository + "pullRequests/{pullRequestId}/threads", Do: comment, Query: []string{version}, Body: []string{
		"status string unknown active fixed wontFix closed byDesign pending", "comments list", "comments[].content string",
		"comments[].commentType string unknown text codeChange system", "comments[].parentCommentId integer"}},
	{Method: "GET", Path: repository + "commits/{commitId}/statuses", Do: statuses, Query: []string{version, "top integer", "skip integer",
		"latestOnly boolean"}},
	{Method: "POST", Path: repository + "commits/{commitId}/statuses", Do: setStatus, Query: []string{version}, Body: []string{
		"state string! notSet pending succeeded failed error notApplicable", "description string", "targetUrl string", "context object!",
		"context.genre string", "context.name string"}},
}

// Start serves a repository until the test ends.
func Start(t testing.TB, repo *gitmem.Repo, options ...gittest.HTTPOption) *forgetest.Server {
	t.Helper()
	repo.RequireMultiACK()
	return forgetest.Start(t, repo, forgetest.Dialect{
		Root: "/", Path: path, Operations: operations, Refuse: refuse,
		Unauthorized: "", Forbidden: "TF401027: You need the Git 'PullRequestContribute' permission to perform this action.",
		Archived: "TF401019: The Git repository with name or identifier gitops does not exist or you do not have permissions for the " +
			"operation you are attempting.",
		Protected: "TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.",
		Token: func(r *http.Request) string {
			_, password, _ := r.BasicAuth()
			if strings.Contains(r.URL.Path, "/_apis/") && r.Header.Get("X-TFS-FedAuthRedirect") != "Suppress" {
				return "" // Azure redirects such a client to a page to log in
			}
			return password
		},
	}, options...)
}

// refuse refuses as Azure does, which shows a page to log in to a client whose token is not valid.
func refuse(w http.ResponseWriter, status int, message string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNonAuthoritativeInfo)
		_, _ = w.Write([]byte("<html>Azure DevOps Services | Sign In</html>")) // a client that has gone away misses it
		return
	}
	text, _ := json.Marshal(map[string]any{"$id": "1", "message": message, "typeKey": "GitException", "errorCode": 0})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone away misses it
}

// object is a JSON object.
type object map[string]any

// here reports whether the path of a call names the repository, and refuses the call if not.
func here(c *forgetest.Call) bool {
	p := c.Parameters
	if p["organization"] == Organization && p["project"] == Project && p["repositoryId"] == Repository {
		return true
	}
	c.Refuse(http.StatusNotFound, "TF401019: The Git repository with name or identifier "+p["repositoryId"]+
		" does not exist or you do not have permissions for the operation you are attempting.")
	return false
}

// page answers with the part of a list that is asked for.
func page[T any](c *forgetest.Call, prefix string, all []T, read func(T) object) {
	top, err := strconv.Atoi(c.Query.Get(prefix + "top"))
	if err != nil {
		top = 100
	}
	skip, _ := strconv.Atoi(c.Query.Get(prefix + "skip"))
	first := min(len(all), skip)
	items := []object{}
	for _, item := range all[first:min(len(all), first+top)] {
		items = append(items, read(item))
	}
	c.Answer(http.StatusOK, object{"count": len(items), "value": items})
}

func read(_ *forgetest.Call) func(q *forgetest.Request) object {
	return func(q *forgetest.Request) object {
		q.Looked++
		p := object{
			"pullRequestId": q.Number, "title": q.Title, "description": q.Body, "isDraft": q.Draft,
			"status":        map[string]string{"open": "active", "merged": "completed", "closed": "abandoned"}[q.State],
			"sourceRefName": "refs/heads/" + q.Head, "targetRefName": "refs/heads/" + q.Base, "mergeStatus": "succeeded",
			"lastMergeSourceCommit": object{"commitId": q.HeadCommit}, "lastMergeCommit": object{"commitId": q.MergeCommit},
			"createdBy": object{"uniqueName": q.Author}, "repository": object{"name": Repository},
		}
		if q.Looked < 2 { // Azure tries the merge in the background
			p["mergeStatus"] = "queued"
		}
		return p
	}
}

func list(c *forgetest.Call) {
	state := map[string]string{"all": "", "active": "open", "": "open", "completed": "merged", "abandoned": "closed"}
	want := state[c.Query.Get("searchCriteria.status")]
	if here(c) {
		page(c, "$", c.Select(func(q *forgetest.Request) bool {
			source := c.Query.Get("searchCriteria.sourceRefName")
			return (want == "" || q.State == want) && (source == "" || source == "refs/heads/"+q.Head)
		}), read(c))
	}
}

func create(c *forgetest.Call) {
	if !here(c) {
		return
	}
	made := forgetest.Request{Author: c.Who, Title: c.Text("title"), Body: c.Text("description"), Draft: c.Body["isDraft"] == true,
		Head: strings.TrimPrefix(c.Text("sourceRefName"), "refs/heads/"), Base: strings.TrimPrefix(c.Text("targetRefName"), "refs/heads/"),
		Labels: c.Texts("labels", "name"), Reviewers: c.Texts("reviewers", "id")}
	unknown := slices.ContainsFunc(made.Reviewers, func(id string) bool { return id != Reviewer && id != Group })
	same := c.Select(func(q *forgetest.Request) bool {
		return q.State == "open" && q.Head == made.Head && q.Base == made.Base
	})
	switch {
	case len(same) > 0:
		c.Refuse(http.StatusConflict, "TF401179: An active pull request for the source and target branch already exists.")
	case c.Repo.Head(c.T, made.Head) == "" || c.Repo.Head(c.T, made.Base) == "":
		c.Refuse(http.StatusBadRequest, "TF401398: The pull request cannot be activated because the source and/or the target branch no longer "+
			"exists.")
	case len(made.Title) > 400 || len(made.Body) > 4000:
		c.Refuse(http.StatusBadRequest, "Invalid argument value. A description has at most 4000 characters. Parameter name: description")
	case unknown:
		c.Refuse(http.StatusBadRequest, "Invalid argument value. Parameter name: reviewers")
	default:
		c.Answer(http.StatusCreated, read(c)(c.Add(made)))
	}
}

// request returns the request that the path names.
func request(c *forgetest.Call) *forgetest.Request {
	if !here(c) {
		return nil
	}
	return c.Request("pullRequestId", "TF401180: The requested pull request was not found.")
}

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
	options, _ := c.Body["completionOptions"].(map[string]any)
	source, _ := c.Body["lastMergeSourceCommit"].(map[string]any)
	switch c.Text("status") {
	case "abandoned":
		q.State = "closed"
	case "completed":
		switch {
		case source["commitId"] != q.HeadCommit:
			c.Refuse(http.StatusConflict, "TF401192: The pull request is stale, because its source branch has moved.")
			return
		case c.Blocked(q):
			c.Refuse(http.StatusConflict, "The pull request update is rejected by policy: a minimum number of reviewers is required.")
			return
		}
		strategy := map[any]string{"noFastForward": "merge", "squash": "squash", "rebase": "rebase"}[options["mergeStrategy"]]
		if err := c.TryMerge(q, strategy); err != nil {
			c.T.Error(err)
		}
	}
	c.Answer(http.StatusOK, read(c)(q))
}

func comment(c *forgetest.Call) {
	if q := request(c); q != nil {
		q.Comments = append(q.Comments, c.Texts("comments", "content")...)
		c.Answer(http.StatusOK, object{"id": len(q.Comments)})
	}
}

func readStatus(s forgetest.Status) object {
	genre, name := "", s.Context
	if slash := strings.LastIndexByte(s.Context, '/'); slash >= 0 {
		genre, name = s.Context[:slash], s.Context[slash+1:]
	}
	return object{"id": s.ID, "state": s.State, "description": s.Description, "targetUrl": s.TargetURL, "creationDate": s.Time(),
		"context": object{"genre": genre, "name": name}, "createdBy": object{"uniqueName": s.CreatedBy}}
}

// commit returns the commit that the path names; empty, and a refusal, if it does not exist.
func commit(c *forgetest.Call) string {
	id := c.Parameters["commitId"]
	if !here(c) {
		return ""
	}
	if !c.Repo.HasCommit(id) {
		c.Refuse(http.StatusNotFound, "TF401175: The version descriptor could not be resolved: "+id)
		return ""
	}
	return id
}

func statuses(c *forgetest.Call) {
	if id := commit(c); id != "" {
		page(c, "", c.StatusesOf(id), readStatus)
	}
}

func setStatus(c *forgetest.Call) {
	id := commit(c)
	if id == "" {
		return
	}
	context, _ := c.Body["context"].(map[string]any)
	name := fmt.Sprint(context["name"])
	if genre, ok := context["genre"]; ok {
		name = fmt.Sprint(genre, "/", name)
	}
	c.Answer(http.StatusCreated, readStatus(c.PutStatus(forgetest.Status{Commit: id, Context: name, State: c.Text("state"),
		Description: c.Text("description"), TargetURL: c.Text("targetUrl"), CreatedBy: c.Who})))
}

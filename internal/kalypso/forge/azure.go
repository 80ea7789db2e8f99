// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Azure is Azure DevOps Services and Azure DevOps Server.
const Azure Software = "azure"

var azureKind = &kind{
	software: Azure, name: "Azure Repos", request: "pull request", also: "Azure DevOps Server",
	hosts: []string{"dev.azure.com", ".visualstudio.com"}, connect: newAzure, asksLogin: azureAsksLogin, check: azureLacks, maxBody: 4000,
	mergesInAwait: true, ciRun: azureRun,
	otherHosts: map[string]string{"ssh.dev.azure.com": "dev.azure.com", "vs-ssh.visualstudio.com": "dev.azure.com"},
	refusals:   []refusal{{says: []string{"tf401192", "stale"}, kind: remote.KindRefused, passing: true, advice: movedAdvice}},
	ofPush:     map[pushRefusal][]string{pushAuthor: {"author email"}, pushProtected: {"use a pull request"}},
}

// azureAsksLogin recognizes a page to log in, which Azure DevOps shows, or redirects to, if a token is
// missing or has expired.
func azureAsksLogin(r *http.Response) bool {
	return r.StatusCode == http.StatusNonAuthoritativeInfo ||
		r.StatusCode/100 == 3 && strings.Contains(r.Header.Get("Location"), "/_signin")
}

// azure is a repository in Azure Repos, on Azure DevOps Services or Server.
type azure struct {
	tokenLogin
	rest
	web string // the URL of the repository's pages
}

func newAzure(s site, client *http.Client) (Forge, error) {
	collection, project, repo, err := s.azurePath()
	if err != nil {
		return nil, err
	}
	root, repo := s.root, url.PathEscape(repo)
	for _, segment := range append(collection, project) {
		root += "/" + url.PathEscape(segment)
	}
	return &azure{tokenLogin(s.config.Token), rest{
		http: client, root: root + "/_apis/git/repositories/" + repo, query: url.Values{"api-version": {"7.1"}},
		header:        http.Header{"X-Tfs-Fedauthredirect": {"Suppress"}}, // otherwise Azure redirects to a page to log in
		authorization: "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+s.config.Token)),
	}, root + "/_git/" + repo}, nil
}

// azurePath reads the path of a repository: <organization or collection>/<project>/_git/<repo>, where
// a project of the same name may be missing, or v3/<organization>/<project>/<repo> for SSH.
// Hosts of visualstudio.com have the organization in their name.
func (s site) azurePath() (collection []string, project, repo string, err error) {
	at, shortest := slices.Index(s.path, "_git"), 1
	if strings.HasSuffix(s.root, ".visualstudio.com") {
		shortest = 0
	}
	switch {
	case s.path[0] == "v3" && len(s.path) == 4:
		whole, err := url.PathUnescape(strings.Join(s.path[1:], "/")) // git@host:path may have the escapes of a URL
		organization, rest, _ := strings.Cut(whole, "/")
		project, repo, _ := strings.Cut(rest, "/")
		return []string{organization}, project, repo, err
	case at >= shortest && at+2 == len(s.path):
		before, repo := s.path[:at], s.path[at+1]
		if len(before) > shortest {
			return slices.Clone(before[:at-1]), before[at-1], repo, nil
		}
		return slices.Clone(before), repo, repo, nil
	}
	return nil, "", "", errors.New("the path of a repository in Azure Repos is <organization>/<project>/_git/<repository>. Correct the URL")
}

type azureCommit struct {
	CommitID string `json:"commitId"`
}

type azurePull struct {
	PullRequestID int    `json:"pullRequestId"`
	Status        string `json:"status"`
	SourceRefName string `json:"sourceRefName"`
	TargetRefName string `json:"targetRefName"`
	IsDraft       bool   `json:"isDraft"`
	MergeStatus   string `json:"mergeStatus"`
	Source        struct {
		azureCommit
	} `json:"lastMergeSourceCommit"`
	Merge struct {
		azureCommit
	} `json:"lastMergeCommit"`
	ForkSource *struct{} `json:"forkSource"`
}

// azureBranches begins the full names of branches.
const azureBranches = "refs/heads/"

func (a *azure) read(p azurePull) Request {
	q := Request{
		Number: p.PullRequestID, State: Open, Draft: p.IsDraft, Fork: p.ForkSource != nil, HeadCommit: p.Source.CommitID,
		Base: strings.TrimPrefix(p.TargetRefName, azureBranches), Head: strings.TrimPrefix(p.SourceRefName, azureBranches),
		URL: fmt.Sprintf("%s/pullrequest/%d", a.web, p.PullRequestID), // a list does not have it
	}
	switch p.Status {
	case "completed":
		q.State, q.MergeCommit = Merged, p.Merge.CommitID
	case "abandoned":
		q.State = Closed
	}
	return q
}

// azureList is the form of all lists.
type azureList[T any] struct {
	Value []T `json:"value"`
}

// azurePages reads a list. A page that is not full is the last one.
func azurePages[T, R any](ctx context.Context, a *azure, path, prefix string, query url.Values, most int, read func(T) R) ([]R, error) {
	const size = 100
	return collect(most, pages(func(page int) (items []T, next int, err error) {
		var list azureList[T]
		query.Set(prefix+"top", strconv.Itoa(size))
		query.Set(prefix+"skip", strconv.Itoa((page-1)*size))
		_, err = a.do(ctx, http.MethodGet, path, query, nil, &list)
		if len(list.Value) == size {
			next = page + 1
		}
		return list.Value, next, err
	}), read)
}

func (a *azure) FindByHead(ctx context.Context, head string) ([]Request, error) {
	query := url.Values{"searchCriteria.status": {"all"}, "searchCriteria.sourceRefName": {azureBranches + head}}
	return azurePages(ctx, a, "/pullrequests", "$", query, maxRequests, a.read)
}

func (a *azure) Get(ctx context.Context, number int) (Request, error) {
	var pull azurePull
	_, err := a.do(ctx, http.MethodGet, fmt.Sprintf("/pullrequests/%d", number), nil, nil, &pull)
	return a.read(pull), err
}

// Open opens a pull request with everything at once.
func (a *azure) Open(ctx context.Context, n NewRequest) (Request, error) {
	type named struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	}
	labels, reviewers := []named{}, []named{}
	for _, name := range n.Labels {
		labels = append(labels, named{Name: name})
	}
	for _, id := range n.Reviewers {
		reviewers = append(reviewers, named{ID: id})
	}
	var pull azurePull
	_, err := a.do(ctx, http.MethodPost, "/pullrequests", nil, map[string]any{
		"sourceRefName": azureBranches + n.Head, "targetRefName": azureBranches + n.Base, "title": n.Title, "description": n.body,
		"isDraft": n.Draft, "labels": labels, "reviewers": reviewers,
	}, &pull)
	if saidIn(err, "tf401179") { // an active request for these branches exists
		return existing(ctx, a, n)
	}
	return a.read(pull), err
}

func (a *azure) Close(ctx context.Context, number int, comment string) error {
	thread := map[string]any{"status": "closed", "comments": []map[string]any{{"content": comment, "commentType": "text"}}}
	if _, err := a.do(ctx, http.MethodPost, fmt.Sprintf("/pullRequests/%d/threads", number), nil, thread, nil); err != nil {
		return err
	}
	_, err := a.do(ctx, http.MethodPatch, fmt.Sprintf("/pullrequests/%d", number), nil, map[string]any{"status": "abandoned"}, nil)
	return err
}

// azureStrategies are the names of the ways of merging.
var azureStrategies = map[Method]string{Merge: "noFastForward", Squash: "squash", Rebase: "rebase"}

// Merge completes the request, if its rules are met. Azure's automatic completion is not used,
// because it binds no commit.
func (a *azure) Merge(ctx context.Context, q Request, m Method) error {
	var pull azurePull
	if _, err := a.do(ctx, http.MethodGet, fmt.Sprintf("/pullrequests/%d", q.Number), nil, nil, &pull); err != nil {
		return err
	}
	switch pull.MergeStatus {
	case "queued", "notSet", "": // Azure has not tried the merge yet
		return errNotYet
	case "conflicts", "failure":
		return refused("Azure Repos cannot merge the request (%s). Look at the request", pull.MergeStatus)
	}
	_, err := a.do(ctx, http.MethodPatch, fmt.Sprintf("/pullrequests/%d", q.Number), nil, map[string]any{
		"status": "completed", "lastMergeSourceCommit": azureCommit{q.HeadCommit},
		"completionOptions": map[string]any{"mergeStrategy": azureStrategies[m], "deleteSourceBranch": true},
	}, nil)
	if saidIn(err, "polic") { // a policy is not met
		return errNotYet
	}
	return err
}

// azureStatus is a commit status. Its name is in two parts.
type azureStatus struct {
	State       string       `json:"state"`
	Description string       `json:"description"`
	TargetURL   string       `json:"targetUrl,omitempty"`
	Context     azureContext `json:"context"`
	// The following are answers only.
	ID           int        `json:"id,omitempty"`
	CreationDate *time.Time `json:"creationDate,omitempty"`
	CreatedBy    *struct {
		UniqueName string `json:"uniqueName"`
	} `json:"createdBy,omitempty"`
}

type azureContext struct {
	Genre string `json:"genre,omitempty"`
	Name  string `json:"name"`
}

var azureStates = states{"succeeded": Success, "notApplicable": Success, "failed": Failure, "error": Failure}

func (a *azure) Reports(ctx context.Context, commit string) ([]Status, error) {
	found, err := azurePages(ctx, a, "/commits/"+commit+"/statuses", "", url.Values{}, maxStatuses,
		func(s azureStatus) azureStatus { return s })
	slices.SortFunc(found, func(a, b azureStatus) int { return b.ID - a.ID })
	var all []Status
	for _, s := range found {
		status := Status{Context: strings.TrimPrefix(s.Context.Genre+"/"+s.Context.Name, "/"), State: azureStates.read(s.State),
			Description: s.Description, URL: s.TargetURL}
		if s.CreationDate != nil {
			status.Time = *s.CreationDate
		}
		if s.CreatedBy != nil {
			status.Creator = s.CreatedBy.UniqueName
		}
		all = append(all, status)
	}
	return all, err
}

// Report writes a commit status. What is before the last slash of its context is the genre.
func (a *azure) Report(ctx context.Context, commit string, s Status) error {
	state := map[StatusState]string{Success: "succeeded", Failure: "failed", Pending: "pending"}[s.State.plain()]
	status := azureStatus{State: state, Description: s.Description, TargetURL: s.URL, Context: azureContext{Name: s.Context}}
	if slash := strings.LastIndexByte(s.Context, '/'); slash > 0 && slash < len(s.Context)-1 {
		status.Context = azureContext{Genre: s.Context[:slash], Name: s.Context[slash+1:]}
	}
	_, err := a.do(ctx, http.MethodPost, "/commits/"+commit+"/statuses", nil, status, nil)
	return err
}

var azureID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func azureLacks(s Settings) error {
	for _, id := range s.Reviewers {
		if !azureID.MatchString(id) {
			return lacks("Azure Repos", fmt.Sprintf("names in reviewers (%q)", id), "Write the ids of users and groups")
		}
	}
	switch {
	case len(s.TeamReviewers) > 0:
		return lacks("Azure Repos", "team_reviewers", "Write the ids of groups into reviewers")
	case s.AutoMerge != "" && !s.Wait:
		return lacks("Azure Repos", "auto_merge without wait_for_merge", "Its automatic completion would also merge what others push to the "+
			"branch. Add wait_for_merge = true: then the apply completes the request")
	}
	return nil
}

func azureRun(get func(string) string) Run {
	if !strings.EqualFold(get("TF_BUILD"), "true") {
		return Run{}
	}
	server, project, id := get("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"), url.PathEscape(get("SYSTEM_TEAMPROJECT")), get("BUILD_BUILDID")
	return newRun("Azure Pipelines run "+id, address(server, "/", project, "/_build/results?buildId=", url.QueryEscape(id)))
}

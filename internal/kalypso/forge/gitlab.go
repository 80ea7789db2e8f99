// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"golang.org/x/time/rate"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// GitLab is GitLab.
const GitLab Software = "gitlab"

var gitLabKind = &kind{
	software: GitLab, name: "GitLab", request: "merge request", hosts: []string{"gitlab.com"},
	otherHosts: map[string]string{"altssh.gitlab.com": "gitlab.com"}, api: "/api/v4", connect: newGitLab, refusals: gitLabRefusals,
	check: gitLabLacks, maxBody: 65_536, ciRun: gitLabRun,
	ofPush: map[pushRefusal][]string{
		pushArchived: {"archived project"},
		pushUnsigned: {"must be signed"},
		pushAuthor: {"author's email", "committer's email", "committer email", "author's name", "committer's name",
			"is not a member of team"},
		pushMessage:   {"commit message"},
		pushProtected: {"protected branch"},
	},
}

// gitLab is a project on GitLab.
type gitLab struct {
	tokenLogin
	client  *gitlab.Client
	project string // with its groups
}

func newGitLab(s site, client *http.Client) (Forge, error) {
	// Repository.run repeats attempts and waits for rate limits, in the same way for all forges.
	c, err := gitlab.NewClient(s.config.Token, gitlab.WithBaseURL(s.root), gitlab.WithHTTPClient(client), gitlab.WithUserAgent(userAgent),
		gitlab.WithoutRetries(), gitlab.WithCustomLimiter(rate.NewLimiter(rate.Inf, 0)))
	return &gitLab{tokenLogin(s.config.Token), c, strings.Join(s.path, "/")}, err
}

func readMergeRequest(m *gitlab.BasicMergeRequest) Request {
	if m == nil {
		return Request{}
	}
	q := Request{
		Number: int(m.IID), URL: m.WebURL, State: Open, Draft: m.Draft,
		Base: m.TargetBranch, Head: m.SourceBranch, HeadCommit: m.SHA, AutoMerge: m.MergeWhenPipelineSucceeds,
		Fork: m.SourceProjectID != m.TargetProjectID,
	}
	switch m.State {
	case "merged":
		// A merge that fast-forwards makes no commit.
		q.State, q.MergeCommit = Merged, cmp.Or(m.MergeCommitSHA, m.SquashCommitSHA, m.SHA)
	case "closed":
		q.State = Closed
	}
	return q
}

func (g *gitLab) FindByHead(ctx context.Context, head string) ([]Request, error) {
	options := &gitlab.ListProjectMergeRequestsOptions{State: gitlab.Ptr("all"), SourceBranch: &head,
		ListOptions: gitlab.ListOptions{PerPage: 100}}
	return collect(maxRequests, gitlab.Scan2(func(page gitlab.PaginationOptionFunc) ([]*gitlab.BasicMergeRequest, *gitlab.Response, error) {
		return g.client.MergeRequests.ListProjectMergeRequests(g.project, options, gitlab.WithContext(ctx), page)
	}), readMergeRequest)
}

func (g *gitLab) Get(ctx context.Context, number int) (Request, error) {
	m, err := g.get(ctx, number)
	if m == nil {
		return Request{}, err
	}
	return readMergeRequest(&m.BasicMergeRequest), err
}

func (g *gitLab) get(ctx context.Context, number int) (*gitlab.MergeRequest, error) {
	m, _, err := g.client.MergeRequests.GetMergeRequest(g.project, int64(number), nil, gitlab.WithContext(ctx))
	return m, err
}

// gitLabDraft marks a merge request as a draft, at the beginning of its title.
const gitLabDraft = "Draft: "

// Open opens a merge request with everything at once. Its source branch goes with the merge.
func (g *gitLab) Open(ctx context.Context, n NewRequest) (Request, error) {
	options := &gitlab.CreateMergeRequestOptions{
		Title: &n.Title, Description: &n.body, SourceBranch: &n.Head, TargetBranch: &n.Base, RemoveSourceBranch: gitlab.Ptr(true),
	}
	if n.Draft {
		options.Title = gitlab.Ptr(gitLabDraft + n.Title)
	}
	if len(n.Labels) > 0 {
		options.Labels = gitlab.Ptr(gitlab.LabelOptions(n.Labels))
	}
	if len(n.Reviewers) > 0 {
		ids, err := g.users(ctx, n.Reviewers)
		if err != nil {
			return Request{}, err
		}
		options.ReviewerIDs = &ids
	}
	m, _, err := g.client.MergeRequests.CreateMergeRequest(g.project, options, gitlab.WithContext(ctx))
	switch {
	case saidIn(err, "open merge request already exists"):
		return existing(ctx, g, n)
	case err != nil || m == nil:
		return Request{}, err
	}
	return readMergeRequest(&m.BasicMergeRequest), nil
}

func (g *gitLab) users(ctx context.Context, names []string) (ids []int64, err error) {
	for _, name := range names {
		found, _, err := g.client.Users.ListUsers(&gitlab.ListUsersOptions{Username: &name}, gitlab.WithContext(ctx))
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(found, func(u *gitlab.User) bool { return u != nil && strings.EqualFold(u.Username, name) })
		if i < 0 {
			return nil, refused("a reviewer is unknown: GitLab has no user %q. Correct the reviewers", name)
		}
		ids = append(ids, found[i].ID)
	}
	return ids, nil
}

func (g *gitLab) Close(ctx context.Context, number int, comment string) error {
	_, _, err := g.client.Notes.CreateMergeRequestNote(g.project, int64(number), &gitlab.CreateMergeRequestNoteOptions{Body: &comment},
		gitlab.WithContext(ctx))
	if err != nil {
		return err
	}
	_, _, err = g.client.MergeRequests.UpdateMergeRequest(g.project, int64(number),
		&gitlab.UpdateMergeRequestOptions{StateEvent: gitlab.Ptr("close")}, gitlab.WithContext(ctx))
	return err
}

// Merge merges if GitLab has found the request to be mergeable, and otherwise turns on automatic
// merging, which GitLab cancels when somebody pushes to the branch.
func (g *gitLab) Merge(ctx context.Context, q Request, m Method) error {
	now, err := g.get(ctx, q.Number)
	if err != nil {
		return err
	}
	if now == nil {
		return emptyAnswer()
	}
	options := &gitlab.AcceptMergeRequestOptions{SHA: &q.HeadCommit, Squash: gitlab.Ptr(m == Squash)}
	switch now.DetailedMergeStatus {
	case "unchecked", "checking", "preparing", "approvals_syncing":
		return &remote.Error{Kind: remote.KindRefused, Passing: true, Message: "GitLab does not know yet whether the request can be merged. " +
			"Look at the request"}
	case "conflict", "need_rebase":
		return refused("the request has conflicts with its base branch, or has to be rebased (%s). Look at the request", now.DetailedMergeStatus)
	case "mergeable":
	default: // a rule is open
		options.AutoMerge = gitlab.Ptr(true)
	}
	_, _, err = g.client.MergeRequests.AcceptMergeRequest(g.project, int64(q.Number), options, gitlab.WithContext(ctx))
	return err
}

// gitLabStates are the states of commit statuses and of jobs.
var gitLabStates = states{"success": Success, "skipped": Success, "failed": Failure, "canceled": Failure}

// gitLabState returns the state of a status or a job. As in GitLab's pipelines, a job that may fail
// counts as passed if it failed, was canceled, or waits until somebody starts it.
func gitLabState(s *gitlab.CommitStatus) StatusState {
	if s.AllowFailure && slices.Contains([]string{"failed", "canceled", "manual"}, s.Status) {
		return Success
	}
	return gitLabStates.read(s.Status)
}

// Reports lists commit statuses and the jobs of GitLab's pipelines.
func (g *gitLab) Reports(ctx context.Context, commit string) ([]Status, error) {
	options := &gitlab.GetCommitStatusesOptions{All: gitlab.Ptr(true), ListOptions: gitlab.ListOptions{PerPage: 100}}
	found, err := collect(maxStatuses, gitlab.Scan2(func(page gitlab.PaginationOptionFunc) ([]*gitlab.CommitStatus, *gitlab.Response, error) {
		return g.client.Commits.GetCommitStatuses(g.project, commit, options, gitlab.WithContext(ctx), page)
	}), func(s *gitlab.CommitStatus) *gitlab.CommitStatus { return s })
	found = slices.DeleteFunc(found, func(s *gitlab.CommitStatus) bool { return s == nil })
	slices.SortFunc(found, func(a, b *gitlab.CommitStatus) int { return cmp.Compare(b.ID, a.ID) })
	var all []Status
	for _, s := range found {
		status := Status{Context: s.Name, State: gitLabState(s), Description: s.Description, Creator: s.Author.Username, URL: s.TargetURL}
		if at := cmp.Or(s.FinishedAt, s.StartedAt, s.CreatedAt); at != nil {
			status.Time = *at
		}
		all = append(all, status)
	}
	return all, err
}

// Report writes a commit status. GitLab refuses to repeat a state that is not final.
func (g *gitLab) Report(ctx context.Context, commit string, s Status) error {
	state := map[StatusState]gitlab.BuildStateValue{Success: gitlab.Success, Failure: gitlab.Failed, Pending: gitlab.Pending}
	options := &gitlab.SetCommitStatusOptions{State: state[s.State.plain()], Name: &s.Context, Description: &s.Description}
	if s.URL != "" {
		options.TargetURL = &s.URL
	}
	_, _, err := g.client.Commits.SetCommitStatus(g.project, commit, options, gitlab.WithContext(ctx))
	if saidIn(err, "cannot transition status via") {
		return nil
	}
	return err
}

func gitLabLacks(s Settings) error {
	switch {
	case len(s.TeamReviewers) > 0:
		return lacks("GitLab", "team_reviewers", "Write the users into reviewers, or let an approval rule of the project ask a group")
	case s.AutoMerge == Rebase:
		return lacks("GitLab", `auto_merge = "rebase"`, `Write auto_merge = "merge": the project's merge method decides about rebasing`)
	}
	return nil
}

func gitLabRun(get func(string) string) Run {
	if get("GITLAB_CI") != "true" {
		return Run{}
	}
	return newRun("GitLab CI job "+get("CI_JOB_ID"), cmp.Or(get("CI_JOB_URL"), get("CI_PIPELINE_URL")))
}

// gitLabRefusals explain GitLab's messages where the status does not show what to do.
var gitLabRefusals = []refusal{
	{status: http.StatusConflict, says: []string{"sha does not match"}, kind: remote.KindHeadMoved,
		advice: "somebody has pushed to its branch: %s. Look at the new commits, then merge the request by hand, or close the request and " +
			"apply again"},
	{status: http.StatusMethodNotAllowed, says: []string{"moved projects"}, kind: remote.KindRefused,
		advice: "the project has a new name, under which alone GitLab accepts changes: %s. Write its new URL"},
	{status: http.StatusMethodNotAllowed, kind: remote.KindNoAutoMerge,
		advice: "GitLab cannot merge this request, now or later: %s. Look at the request for conflicts, open threads and rules that are not met"},
	{status: http.StatusUnprocessableEntity, says: []string{"branch cannot be merged"}, kind: remote.KindRefused, passing: true,
		advice: movedAdvice},
	{status: http.StatusForbidden, kind: remote.KindForbidden,
		advice: "GitLab does not allow this operation to the token: %s. Give the token the scope api and at least the role Developer, and look " +
			"whether the project is archived. A job token (CI_JOB_TOKEN) cannot open merge requests"},
}

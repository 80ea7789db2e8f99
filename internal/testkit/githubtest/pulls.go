// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// pull is a pull request.
type pull struct {
	Pull
	fork      bool
	approvals int
	mergedAt  string
}

// Pull is a pull request as a test looks at it.
type Pull struct {
	Number       int
	Author       string
	Title, Body  string
	State        string // open or closed
	Merged       bool
	Draft        bool
	Base, Head   string
	HeadCommit   string
	MergeCommit  string
	AutoMerge    string // the method
	Labels       []string
	Users, Teams []string // asked for reviews
	Comments     []string
}

// Limits of texts, as GitHub has them.
const (
	maxTitle = 256
	maxBody  = 65536
)

func (c *call) listPulls() {
	query := c.request.URL.Query()
	state := query.Get("state")
	var found []object
	for _, p := range slices.Backward(c.pulls) {
		if (state == "all" || p.State == state || state == "" && p.State == "open") &&
			(query.Get("base") == "" || p.Base == query.Get("base")) &&
			(query.Get("head") == "" || p.owner()+":"+p.Head == query.Get("head")) {
			found = append(found, p.json(c.Server))
		}
	}
	c.respondList("pull-request-simple", found)
}

func (c *call) createPull() {
	var body struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	c.decode(&body)
	head := strings.TrimPrefix(body.Head, Owner+":")
	switch {
	case c.head(body.Base) == "":
		c.invalid(object{"resource": "PullRequest", "field": "base", "code": "invalid"})
	case c.head(head) == "":
		c.invalid(object{"resource": "PullRequest", "field": "head", "code": "invalid"})
	case c.openPull(head, body.Base) != nil:
		c.invalid(object{"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for " + Owner + ":" + head + "."})
	case c.count(body.Base, head) == 0:
		c.invalid(object{"resource": "PullRequest", "code": "custom", "message": "No commits between " + body.Base + " and " + head})
	case body.Draft && c.settings.NoDrafts:
		respondError(c.answer, http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository.")
	case c.tooLong(body.Title, body.Body):
	default:
		p := c.add(Pull{Author: c.who.login, Title: body.Title, Body: body.Body, Base: body.Base, Head: head, Draft: body.Draft})
		c.respond(http.StatusCreated, "pull-request", p.json(c.Server))
	}
}

// tooLong answers a request whose texts are longer than GitHub takes.
func (c *call) tooLong(title, body string) bool {
	switch {
	case utf8.RuneCountInString(title) > maxTitle:
		c.invalid(object{"resource": "Issue", "field": "title", "code": "custom", "message": "title is too long (maximum is 256 characters)"})
	case utf8.RuneCountInString(body) > maxBody:
		c.invalid(object{"resource": "Issue", "field": "body", "code": "custom", "message": "body is too long (maximum is 65536 characters)"})
	default:
		return false
	}
	return true
}

func (s *Server) add(p Pull) *pull {
	s.numbers++
	p.Number, p.State, p.HeadCommit = s.numbers, "open", s.head(p.Head)
	made := &pull{Pull: p}
	s.pulls = append(s.pulls, made)
	return made
}

func (c *call) getPull() {
	if p := c.pull(); p != nil {
		c.respond(http.StatusOK, "pull-request", p.json(c.Server))
	}
}

func (c *call) updatePull() {
	var body struct{ Title, Body, State *string }
	c.decode(&body)
	p := c.pull()
	if p == nil || c.tooLong(value(body.Title), value(body.Body)) {
		return
	}
	set(&p.Title, body.Title)
	set(&p.Body, body.Body)
	if !p.Merged {
		set(&p.State, body.State)
	}
	c.respond(http.StatusOK, "pull-request", p.json(c.Server))
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func set(to, from *string) {
	if from != nil {
		*to = *from
	}
}

func (c *call) mergePull() {
	var body struct {
		SHA    string
		Method string `json:"merge_method"`
	}
	c.decode(&body)
	p := c.pull()
	switch {
	case p == nil:
	case body.SHA != "" && body.SHA != p.HeadCommit:
		c.fail(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	default:
		if refusal := c.merge(p, body.Method); refusal != "" {
			c.fail(http.StatusMethodNotAllowed, refusal)
			return
		}
		c.respond(http.StatusOK, "pull-request-merge-result",
			object{"sha": p.MergeCommit, "merged": true, "message": "Pull Request successfully merged"})
	}
}

func (c *call) requestReviewers() {
	var body struct {
		Reviewers     []string
		TeamReviewers []string `json:"team_reviewers"`
	}
	c.decode(&body)
	p := c.pull()
	if p == nil {
		return
	}
	unknown := slices.ContainsFunc(body.Reviewers, func(user string) bool {
		return !slices.Contains(c.settings.Users, user) &&
			user != p.Author
	}) ||
		slices.ContainsFunc(body.TeamReviewers, func(team string) bool { return !slices.Contains(c.settings.Teams, team) })
	switch {
	case slices.Contains(body.Reviewers, p.Author):
		c.fail(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
	case unknown:
		c.fail(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. One or more of the users or teams you "+
			"specified is not a collaborator of the "+Owner+"/"+Name+" repository.")
	default:
		p.Users = union(p.Users, body.Reviewers)
		p.Teams = union(p.Teams, body.TeamReviewers)
		c.respond(http.StatusCreated, "pull-request-simple", p.json(c.Server))
	}
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// pull returns the request that the path names, or answers that there is none.
func (c *call) pull() *pull {
	number, _ := strconv.Atoi(c.parameters["pull_number"])
	if p := c.numbered(number); p != nil {
		return p
	}
	c.notFound()
	return nil
}

func (c *call) notFound() { c.fail(http.StatusNotFound, "Not Found") }

func (s *Server) numbered(number int) *pull {
	for _, p := range s.pulls {
		if p.Number == number {
			return p
		}
	}
	return nil
}

func (s *Server) openPull(head, base string) *pull {
	for _, p := range s.pulls {
		if p.State == "open" && p.Head == head && p.Base == base && !p.fork {
			return p
		}
	}
	return nil
}

// owner is whose repository the head branch is in.
func (p *pull) owner() string {
	if p.fork {
		return p.Author
	}
	return Owner
}

// json returns what is known of the request, in GitHub's words.
func (p *pull) json(s *Server) object {
	repository := func(id int, owner string) object {
		return object{"id": id, "name": Name, "full_name": owner + "/" + Name, "owner": user(owner), "default_branch": "main"}
	}
	headRepository := repository(1, Owner)
	if p.fork {
		headRepository = repository(2, p.Author)
	}
	page := fmt.Sprintf("%s/pull/%d", s.URL(), p.Number)
	pull := object{
		"id": p.Number, "node_id": p.node(), "number": p.Number, "state": p.State, "title": p.Title, "body": p.Body,
		"draft": p.Draft, "html_url": page, "user": user(p.Author), "locked": false,
		"base": object{"label": Owner + ":" + p.Base, "ref": p.Base, "sha": orZero(s.head(p.Base)), "repo": repository(1, Owner),
			"user": user(Owner)},
		"head":   object{"label": p.owner() + ":" + p.Head, "ref": p.Head, "sha": p.HeadCommit, "repo": headRepository, "user": user(p.owner())},
		"labels": labels(p.Labels), "requested_reviewers": users(p.Users), "requested_teams": teams(p.Teams),
		"merged": p.Merged, "mergeable": true, "mergeable_state": "clean", "comments": len(p.Comments), "author_association": "MEMBER",
		// Before the merge this is the commit of a merge that was tried out.
		"merge_commit_sha": p.HeadCommit,
		"created_at":       stamp(p.Number), "updated_at": stamp(p.Number),
		"auto_merge": nil, "merged_at": nil, "closed_at": nil,
	}
	if p.State == "closed" {
		pull["closed_at"] = stamp(p.Number)
	}
	if p.Merged {
		pull["merge_commit_sha"], pull["merged_at"] = p.MergeCommit, p.mergedAt
	}
	if p.AutoMerge != "" {
		pull["auto_merge"] = object{"enabled_by": user(p.Author), "merge_method": p.AutoMerge, "commit_title": "", "commit_message": ""}
	}
	return pull
}

// node is the request's identifier in GraphQL.
func (p *pull) node() string { return fmt.Sprintf("PR_%d", p.Number) }

// stamp is the time of an event, in the order of numbers.
func stamp(number int) string {
	return time.Date(2026, 1, 1, 0, number, 0, 0, time.UTC).Format(time.RFC3339)
}

// stampOf is a time, or where it is zero that of a number.
func stampOf(t time.Time, number int) string {
	if t.IsZero() {
		return stamp(number)
	}
	return t.UTC().Format(time.RFC3339)
}

func orZero(commit string) string {
	if commit == "" {
		return strings.Repeat("0", 40)
	}
	return commit
}

func user(login string) object { return object{"id": len(login), "login": login, "type": "User"} }

func users(logins []string) []object {
	list := []object{}
	for _, login := range logins {
		list = append(list, user(login))
	}
	return list
}

func teams(slugs []string) []object {
	list := []object{}
	for i, slug := range slugs {
		list = append(list, object{"id": i + 1, "name": slug, "slug": slug, "permission": "push"})
	}
	return list
}

func labels(names []string) []object {
	list := []object{}
	for i, name := range names {
		list = append(list, object{"id": i + 1, "name": name, "color": "ededed", "default": false})
	}
	return list
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

type issue struct{ Issue }

// Issue is an issue as a test looks at it.
type Issue struct {
	Number      int
	Author      string
	Title, Body string
	State       string // open or closed
	Comments    []string
}

func (c *call) listIssues() {
	state := c.request.URL.Query().Get("state")
	var found []object
	for number := 1; number <= c.numbers; number++ { // oldest first, as is asked for
		if i := c.issueNumbered(number); i != nil && (i.State == state || state == "all") {
			found = append(found, i.json(c.Server))
		}
		if p := c.numbered(number); p != nil && (p.State == state || state == "all") {
			found = append(found, p.issueJSON(c.Server))
		}
	}
	c.respondList("issue", found)
}

func (c *call) createIssue() {
	var body struct{ Title, Body string }
	c.decode(&body)
	switch {
	case c.settings.NoIssues:
		c.fail(http.StatusGone, "Issues are disabled for this repo")
	case c.tooLong(body.Title, body.Body):
	default:
		c.numbers++
		made := &issue{Issue{Number: c.numbers, Author: c.who.login, Title: body.Title, Body: body.Body, State: "open"}}
		c.issues = append(c.issues, made)
		c.respond(http.StatusCreated, "issue", made.json(c.Server))
	}
}

func (c *call) updateIssue() {
	var body struct{ Title, Body, State *string }
	c.decode(&body)
	i := c.issueNumbered(c.issueNumber())
	if i == nil {
		c.notFound()
		return
	}
	if c.tooLong(value(body.Title), value(body.Body)) {
		return
	}
	set(&i.Title, body.Title)
	set(&i.Body, body.Body)
	set(&i.State, body.State)
	c.respond(http.StatusOK, "issue", i.json(c.Server))
}

func (c *call) listComments() {
	comments := c.commentsOf()
	if comments == nil {
		return
	}
	var found []object
	for i, text := range *comments {
		found = append(found, comment(i+1, c.who.login, text))
	}
	c.respondList("issue-comment", found)
}

func (c *call) createComment() {
	var body struct{ Body string }
	c.decode(&body)
	comments := c.commentsOf()
	if comments == nil || c.tooLong("", body.Body) {
		return
	}
	*comments = append(*comments, body.Body)
	c.respond(http.StatusCreated, "issue-comment", comment(len(*comments), c.who.login, body.Body))
}

func comment(id int, login, text string) object {
	return object{"id": id, "body": text, "user": user(login), "author_association": "MEMBER", "created_at": stamp(id),
		"updated_at": stamp(id)}
}

func (c *call) addLabels() {
	// A list of names, as go-github sends it; GitHub takes objects too.
	var names []string
	c.decode(&names)
	p := c.numbered(c.issueNumber())
	if p == nil {
		c.notFound()
		return
	}
	p.Labels = union(p.Labels, names)
	list := []any{}
	for _, label := range labels(p.Labels) {
		list = append(list, c.description.complete("label", label))
	}
	respondJSON(c.answer, http.StatusOK, list)
}

func (c *call) issueNumber() int {
	number, _ := strconv.Atoi(c.parameters["issue_number"])
	return number
}

// commentsOf returns the comments of the issue or request that the path names, or
// answers that there is none.
func (c *call) commentsOf() *[]string {
	number := c.issueNumber()
	if i := c.issueNumbered(number); i != nil {
		return &i.Comments
	}
	if p := c.numbered(number); p != nil {
		return &p.Comments
	}
	c.notFound()
	return nil
}

func (s *Server) issueNumbered(number int) *issue {
	for _, i := range s.issues {
		if i.Number == number {
			return i
		}
	}
	return nil
}

func (i *issue) json(s *Server) object {
	return object{
		"id": i.Number, "number": i.Number, "state": i.State, "title": i.Title, "body": i.Body, "user": user(i.Author),
		"html_url": fmt.Sprintf("%s/issues/%d", s.URL(), i.Number), "created_at": stamp(i.Number), "updated_at": stamp(i.Number),
		"author_association": "MEMBER", "comments": len(i.Comments), "labels": []object{}, "assignee": nil, "milestone": nil,
	}
}

// issueJSON is the request in a list of issues.
func (p *pull) issueJSON(s *Server) object {
	page := fmt.Sprintf("%s/pull/%d", s.URL(), p.Number)
	i := (&issue{Issue{Number: p.Number, Author: p.Author, Title: p.Title, Body: p.Body, State: p.State, Comments: p.Comments}}).json(s)
	i["html_url"] = page
	i["pull_request"] = object{"html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch", "url": page}
	return i
}

// page cuts a list to the page that is asked for, and links the next.
func (c *call) page(all []object) []object {
	query := c.request.URL.Query()
	size, err := strconv.Atoi(query.Get("per_page"))
	if err != nil || size < 1 || size > 100 {
		size = 30
	}
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	first := min(len(all), (number-1)*size)
	last := min(len(all), number*size)
	if last < len(all) {
		query.Set("page", strconv.Itoa(number+1))
		next := c.Address() + "/api/v3" + c.request.URL.Path + "?" + query.Encode()
		c.answer.Header().Set("Link", "<"+strings.ReplaceAll(next, "%3A", ":")+`>; rel="next"`)
	}
	return all[first:last]
}

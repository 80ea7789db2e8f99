// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"net/http"
	"strconv"
	"strings"
)

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

// commentsOf returns the comments of the request that the path names, or
// answers that there is none.
func (c *call) commentsOf() *[]string {
	number := c.issueNumber()
	if p := c.numbered(number); p != nil {
		return &p.Comments
	}
	c.notFound()
	return nil
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

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/markdown"
)

// Issue is an issue on a forge.
type Issue struct {
	Number      int
	URL         string
	Title, Body string
	// Author is the user who opened the issue.
	Author string
}

// Failures is the content of an issue: the errors that prevent the rendering of an
// environment.
type Failures struct {
	Title  string
	Errors []string
	Run    Run
}

// Markdown renders the errors in at most limit bytes. Errors that do not fit are left out, and
// a line shows their number.
func (p Failures) Markdown(limit int) string {
	errors := block{head: "The change cannot be rendered, so nothing is written or proposed until this is fixed."}
	for _, text := range p.Errors {
		text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\n' {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(text, "?"))
		errors.rows = append(errors.rows, "\n"+markdown.Fenced(markdown.Shorten(strings.TrimSpace(text), limit/4)))
	}
	return assemble([]block{errors, {head: p.Run.markdown()}}, limit)
}

// Report opens the marker's issue, or updates the open one.
func (r *Repository) Report(ctx context.Context, m Marker, p Failures) (Issue, error) {
	title := Title(p.Title)
	var issue Issue
	err := r.run(ctx, "report the errors as an issue", func(ctx context.Context) error {
		open, err := r.issues(ctx, m)
		if err != nil {
			return err
		}
		if len(open) == 0 {
			issue, err = r.api.openIssue(ctx, title, renewed("", p.Markdown, m.mark()))
			return err
		}
		issue = open[0]
		body := renewed(issue.Body, p.Markdown, m.mark())
		if issue.Title == title && sameText(issue.Body, body) {
			return nil
		}
		issue.Title, issue.Body = title, body
		return r.api.editIssue(ctx, issue)
	})
	return issue, err
}

// Resolve closes the marker's open issue, if any, with a comment.
func (r *Repository) Resolve(ctx context.Context, m Marker, comment string) error {
	return r.run(ctx, "close the issue about fixed errors", func(ctx context.Context) error {
		open, err := r.issues(ctx, m)
		if err != nil {
			return err
		}
		for _, issue := range open {
			if err := r.say(ctx, issue.Number, comment); err != nil {
				return err
			}
			if err := r.api.closeIssue(ctx, issue.Number); err != nil {
				return fmt.Errorf("issue %d: %w", issue.Number, err)
			}
		}
		return nil
	})
}

// issues returns the open issues of the marker that we have opened, oldest first. There are
// two only if two runs opened one at the same moment.
func (r *Repository) issues(ctx context.Context, m Marker) ([]Issue, error) {
	all, err := r.api.issues(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(issue Issue) bool {
		k, ok := readMark(issue.Body)
		return !ok || !k.of(m) || k.Head != ""
	})
	if len(all) == 0 {
		return nil, nil
	}
	me, err := r.api.viewer(ctx) // everybody can write a marker
	return slices.DeleteFunc(all, func(issue Issue) bool { return issue.Author != me }), err
}

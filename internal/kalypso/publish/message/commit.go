// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// The trailers of each commit's message, for programs.
const (
	environmentTrailer = "Kalypso-Environment"
	promotedTrailer    = "Kalypso-Promoted-Commit"
)

// DefaultCommit is the message of commits unless commit_message is set. {environment} and
// {summary} are replaced.
const DefaultCommit = "{environment}: {summary}"

// Commit returns the message of a commit: the text of the user or DefaultCommit, a sentence about
// the writer, and trailers with the environment, the release and the run, as far as they are
// known.
func Commit(d ownership.Wanted, text, summary, writtenBy string, run forge.Run) string {
	if text == "" {
		text = DefaultCommit
	}
	text = strings.NewReplacer("{environment}", d.Environment, "{summary}", summary).Replace(text)
	text, trailers := ownTrailers(strings.TrimSpace(text))
	trailers += trailer(environmentTrailer, d.Environment)
	if tree.CommitID(d.Release.Commit) != "" { // a manifest may name something else
		trailers += trailer(promotedTrailer, d.Release.Commit)
	}
	trailers += trailer(record.RunTrailer, run.URL)
	return strings.TrimSpace(text+"\n\n"+writtenBy+"\n\n"+trailers) + "\n"
}

// Title returns the title of a request: the first line of the message of its commit, in at most 100 bytes.
func Title(commit string) string {
	subject, _, _ := strings.Cut(commit, "\n")
	return wording.Shorten(subject, 100-len("…"))
}

// trailerLines matches a paragraph of trailers, such as Signed-off-by of a developer certificate, or Gerrit's Change-Id.
var trailerLines = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*: [^\n]+\n?)+$`)

// ownTrailers divides a message into its text and the trailers at its end, which Git finds in the last
// paragraph only.
func ownTrailers(message string) (text, trailers string) {
	if i := strings.LastIndex(message, "\n\n"); i > 0 && trailerLines.MatchString(message[i+2:]) {
		return message[:i], message[i+2:] + "\n"
	}
	return message, ""
}

// trailer returns a trailer of a commit's message; empty if the value is empty, or if the
// trailer would have several lines.
func trailer(name, value string) string {
	if strings.TrimSpace(value) == "" || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return name + ": " + strings.TrimSpace(value) + "\n"
}

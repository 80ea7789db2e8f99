// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// The end of each commit's message, for programs that read it: Git's trailers.
const (
	environmentTrailer = "Kalypso-Environment"
	promotedTrailer    = "Kalypso-Promoted-Commit"
	runTrailer         = "Kalypso-Run"
)

// TakesOver describes a change that leaves all packages as they are in the branch, and
// only records their owner.
const TakesOver = "take over packages as they are"

// Commit returns the message of a commit. It names the environment, the change and the
// writer. Trailers name the environment, the commit of the control plane and the run, as
// far as each is known.
func Commit(d ownership.Desired, change, writtenBy string, run forge.Run) string {
	if d.Environment != "" { // none after an import
		change = d.Environment + ": " + change
	}
	trailers := trailer(environmentTrailer, d.Environment)
	if commit := cmp.Or(d.Promoted, d.Source); tree.IsCommitID(commit) { // manifests may name anything
		trailers += trailer(promotedTrailer, commit)
	}
	trailers += trailer(runTrailer, run.URL)
	return strings.TrimSpace(change+"\n\n"+writtenBy+"\n\n"+trailers) + "\n"
}

// trailer returns a trailer of a commit's message. It returns none if the value is empty,
// or if the trailer would have more than one line.
func trailer(name, value string) string {
	if strings.TrimSpace(value) == "" || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return name + ": " + strings.TrimSpace(value) + "\n"
}

// runLine is the trailer of the run at the end of a message.
var runLine = regexp.MustCompile(runTrailer + `: [!-~]+\n$`)

// Lasting returns the message of a commit without the run, which is another one each time that the same
// commit is made.
func Lasting(message string) string { return strings.TrimSpace(runLine.ReplaceAllString(message, "")) }

// RunOf returns the address of the run that wrote a commit, from the trailer of its
// message. It is empty if the trailer does not name a web page.
func RunOf(message string) string {
	line := runLine.FindString(strings.TrimSpace(message) + "\n")
	return forge.WebPage(strings.TrimSpace(strings.TrimPrefix(line, runTrailer+":")))
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// The trailers of each commit's message, for programs.
const (
	environmentTrailer = "Kalypso-Environment"
	promotedTrailer    = "Kalypso-Promoted-Commit"
	sourceTrailer      = "Kalypso-Source"
	runTrailer         = "Kalypso-Run"
)

// maxSources is how many sources the message names. The record has all.
const maxSources = 50

// TakesOver describes a change that only records the owner of packages, and leaves the
// packages unchanged.
const TakesOver = "take over unchanged packages"

// Commit returns the message of a commit. It names the environment, the change and the writer.
// Trailers name the environment, the commit of the control plane, the sources and the run, if
// they are known.
func Commit(d ownership.Desired, change, writtenBy string, run forge.Run) string {
	if d.Environment != "" { // an imported resource has no environment yet
		change = d.Environment + ": " + change
	}
	trailers := trailer(environmentTrailer, d.Environment)
	if commit := cmp.Or(d.Promoted, d.Source); tree.IsCommitID(commit) { // a manifest may name something else
		trailers += trailer(promotedTrailer, commit)
	}
	sources := slices.Sorted(maps.Keys(d.Sources))
	for _, name := range sources[:min(len(sources), maxSources)] {
		trailers += trailer(sourceTrailer, name+" "+d.Sources[name])
	}
	trailers += trailer(runTrailer, run.URL)
	return strings.TrimSpace(change+"\n\n"+writtenBy+"\n\n"+trailers) + "\n"
}

// trailer returns a trailer of a commit's message; empty if the value is empty, or if the
// trailer would have several lines.
func trailer(name, value string) string {
	if strings.TrimSpace(value) == "" || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return name + ": " + strings.TrimSpace(value) + "\n"
}

// runLine is the trailer of the run at the end of a message.
var runLine = regexp.MustCompile(runTrailer + `: [!-~]+\n$`)

// Lasting returns the message of a commit without the run, because each new attempt at the
// same commit has another run.
func Lasting(message string) string { return strings.TrimSpace(runLine.ReplaceAllString(message, "")) }

// RunOf returns the URL of the run that wrote a commit, from the trailer of its message; empty
// if the trailer is not the URL of a web page.
func RunOf(message string) string {
	line := runLine.FindString(strings.TrimSpace(message) + "\n")
	return forge.WebPage(strings.TrimSpace(strings.TrimPrefix(line, runTrailer+":")))
}

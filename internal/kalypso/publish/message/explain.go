// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Explain says why a location was not changed, and how to fix it. creating is true if we
// had nothing there before.
func Explain(loc git.Location, err error, creating bool, known engine.Digests) string {
	var conflict *git.ConflictError
	var exists *git.ExistsError
	switch {
	case errors.As(err, &conflict):
		return problem.Sentence(errors.New(ChangedBy(loc, conflict, known))) + " Nothing was written. Plan again to see the change, then apply " +
			"that plan."
	case errors.As(err, &exists):
		return Occupied(loc, exists) + " Nothing was written." + OccupiedAdvice(loc, exists, creating)
	}
	return Sentence(err)
}

// SettingsFor are the settings that may help if a server refuses a request. The packages
// that send the request do not know the settings.
var SettingsFor = map[remote.ErrorKind]string{
	remote.KindStartNotFound: "Correct create_branch_from, or leave it out to start a branch without history.",
	remote.KindBaseNotFound:  "A pull request needs a branch to be merged into: create the branch first, or set create_branch_from.",
	remote.KindProtected: "If the branch is protected, add a pull_request block to have the change proposed as a pull request instead, " +
		"or let the user of the credential push to it.",
	remote.KindNoAutoMerge: "Or leave auto_merge out.",
	remote.KindNoMethod:    "Or choose another auto_merge.",
	remote.KindNoDraft:     "With draft = false, requests are opened ready for review.",
	remote.KindNoIssues:    "Or set report_issue = false.",
}

// Sentence describes an error of a server, or a list of errors line by line, with the
// settings that may help.
func Sentence(err error) string {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		for _, one := range list.Unwrap() {
			lines = append(lines, Sentence(one))
		}
		return strings.Join(lines, "\n")
	}
	var refused *ownership.RefusedError
	var unshown *ownership.UnshownError
	switch {
	case errors.As(err, &refused):
		var texts []string
		for _, m := range ProblemsOf(refused.Decision).Errors {
			texts = append(texts, m.Detail)
		}
		return strings.Join(texts, "\n\n")
	case errors.As(err, &unshown):
		return fmt.Sprintf("The plan has not shown what this apply would take over in %s: %s. The owner or the content has changed since. "+
			"Nothing was written. Plan again, and apply that plan.",
			unshown.Location, Owners(unshown.Location, unshown.Claims))
	}
	text := problem.Sentence(err)
	var e *remote.Error
	if !errors.As(err, &e) || SettingsFor[e.Kind] == "" {
		return text
	}
	if strings.Contains(text, "\n") { // the server's own words come last
		return text + "\n" + SettingsFor[e.Kind]
	}
	return text + " " + SettingsFor[e.Kind]
}

// ChangedBy describes the change that somebody has made since our last look, without
// advice.
func ChangedBy(loc git.Location, e *git.ConflictError, known engine.Digests) string {
	text := fmt.Sprintf("somebody else changed %s in %s after the plan was made", listPaths(loc, e.Paths, e.Files), loc)
	var packages []string
	for _, path := range e.Paths {
		name := ownership.KeyOf(loc, path)
		if _, coarse := known[name]; coarse || engine.IsOwnedFile(path) {
			continue
		}
		before, after := engine.Digests{}, engine.Digests{}
		for key, digest := range known {
			if strings.HasPrefix(key, name+"/") {
				before[key] = digest
			}
		}
		after.AddFolder(engine.DetailPackage, name, tree.ID{}, e.Found[path])
		packages = append(packages, before.Differing(after)...)
	}
	if len(packages) > 0 {
		text += ": " + List("package", packages)
	}
	return text
}

// Occupied names the path in the way.
func Occupied(loc git.Location, e *git.ExistsError) string {
	where := loc
	if e.StartFrom != "" {
		where.Branch = e.StartFrom
	}
	return fmt.Sprintf("%s already holds %s, with other content than there is to write.", where, listPaths(loc, e.Paths, e.Files))
}

// OccupiedAdvice explains how to deal with the path in the way.
func OccupiedAdvice(loc git.Location, e *git.ExistsError, creating bool) string {
	advice := ""
	if slices.Contains(e.Paths, engine.PromotedCommitFile) {
		advice = " A branch has one file for the promoted commit: where another resource writes it, set promoted_commit = \"\" here."
	}
	if slices.ContainsFunc(e.Paths, func(p string) bool { return e.Files[p] && !engine.IsOwnedFile(p) }) {
		advice += " Give the overview another name, or remove the file that is in its place."
	}
	if !slices.ContainsFunc(e.Paths, func(p string) bool { return !e.Files[p] }) {
		return advice
	}
	if creating && e.StartFrom == "" {
		return advice + fmt.Sprintf(" Where this provider or Kalypso wrote these folders, take them over by an import with the id %s: it "+
			"claims the folders whose README.md says so. Otherwise remove or rename them in the branch, or write below another path.", loc)
	}
	advice += " If these folders are this resource's own, brought there by an earlier move or by another URL of the same repository, apply " +
		"the move alone first, without a change of the fleet: what is the same is taken over. If they are somebody else's, "
	if e.StartFrom != "" {
		return advice + "start the new branch from another one, or from none (create_branch_from)."
	}
	return advice + "remove or rename them in the branch, rename the cluster types, or write below another path."
}

// GoneForGood completes the reason why nothing can be removed. It says how to go on if the
// repository does not exist any more.
func GoneForGood(err error) error {
	if !remote.Is(err, remote.KindNotFound) {
		return SinceApplied(err)
	}
	return fmt.Errorf("%w. If the repository is gone for good, there is nothing to remove: take the resource out of the state with terraform "+
		"state rm", err)
}

// SinceApplied completes the reason why a credential was withheld, or a repository must
// not be used. It says that the applied settings count there, and not the present
// configuration.
func SinceApplied(err error) error {
	if !remote.Is(err, remote.KindWithheld) && !remote.Is(err, remote.KindBarred) {
		return err
	}
	return fmt.Errorf("%w. Where repo is set only now, it counts from the next apply on: apply once with -refresh=false", err)
}

// listPaths names folders of a location, and those of the paths that are files.
func listPaths(loc git.Location, paths []string, files map[string]bool) string {
	var folders, all []string
	for _, p := range paths {
		if files[p] {
			all = append(all, "the file "+ownership.KeyOf(loc, p))
		} else {
			folders = append(folders, ownership.KeyOf(loc, p))
		}
	}
	if len(folders) > 0 {
		all = append([]string{List("folder", folders)}, all...)
	}
	return strings.Join(all, " and ")
}

// MaxListed is the largest number of names in a full list.
const MaxListed = 20

// List returns names with their noun: "folders a, b and 3 more".
func List(noun string, names []string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	return noun + "s " + wording.First(names, MaxListed)
}

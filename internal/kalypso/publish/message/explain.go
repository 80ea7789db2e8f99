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

// Explain says why a location was not changed, and how to fix the cause. creating is true if
// the resource had nothing at the location before.
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

// settingsFor are the settings that may help if a server refuses a request. The packages
// that send the request do not know the settings.
var settingsFor = map[remote.ErrorKind]string{
	remote.KindStartNotFound: "Correct create_branch_from, or leave it out to start a branch without history.",
	remote.KindBaseNotFound:  "A pull request needs a base branch: create the branch first, or set create_branch_from.",
	remote.KindNoAutoMerge:   "Or remove auto_merge.",
	remote.KindNoMethod:      "Or set another auto_merge.",
	remote.KindNoDraft:       "With draft = false, new requests are ready for review.",
}

// Sentence describes an error of a server, or each error of a list on its own line, with the
// settings that may help. Among errors of the same kind, only the last has the settings.
func Sentence(err error) string {
	if list := each(err); len(list) > 1 {
		lines := make([]string, len(list))
		for i, one := range list {
			var e *remote.Error
			if errors.As(one, &e) && slices.ContainsFunc(list[i+1:], func(next error) bool { return remote.Is(next, e.Kind) }) {
				lines[i] = problem.Sentence(one)
			} else {
				lines[i] = Sentence(one)
			}
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
		return fmt.Sprintf("The plan has not shown that this apply would take over paths in %s: %s. The owner or the content changed after the "+
			"plan. Nothing was written. Plan again, and apply that plan.",
			unshown.Location, Owners(unshown.Location, unshown.Claims))
	}
	text := problem.Sentence(err)
	var e *remote.Error
	if !errors.As(err, &e) || settingsFor[e.Kind] == "" {
		return text
	}
	if strings.Contains(text, "\n") { // a server's text ends the message
		return text + "\n" + settingsFor[e.Kind]
	}
	return text + " " + settingsFor[e.Kind]
}

// each returns the errors of a list, without the lists in it.
func each(err error) (all []error) {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	for _, one := range list.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// ChangedBy describes a change that somebody made after the plan, without advice.
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

// Occupied names the paths in the way.
func Occupied(loc git.Location, e *git.ExistsError) string {
	where := loc
	if e.StartFrom != "" {
		where.Branch = e.StartFrom
	}
	return fmt.Sprintf("%s already has %s, with content that differs from the planned content.", where, listPaths(loc, e.Paths, e.Files))
}

// OccupiedAdvice explains how to remove the paths from the way.
func OccupiedAdvice(loc git.Location, e *git.ExistsError, creating bool) string {
	advice := ""
	if slices.Contains(e.Paths, engine.PromotedCommitFile) {
		advice = " A branch has one file for the promoted commit: if another resource writes this file, set promoted_commit = \"\" here."
	}
	if !slices.ContainsFunc(e.Paths, func(p string) bool { return !e.Files[p] }) {
		return advice
	}
	if creating && e.StartFrom == "" {
		return advice + fmt.Sprintf(" If this provider or Kalypso wrote these folders, take them over by an import with the id %s: the import "+
			"claims the folders whose README.md names the writer. Otherwise remove or rename them in the branch, or write below another path.", loc)
	}
	advice += " If these folders belong to this resource, after an earlier move or through another URL of the same repository, apply " +
		"the move alone first, without a change of the fleet: the apply takes unchanged folders over. If the folders belong to somebody else, "
	if e.StartFrom != "" {
		return advice + "start the new branch from another branch, or without history (create_branch_from)."
	}
	return advice + "remove or rename them in the branch, rename the cluster types, or write below another path."
}

// GoneForGood adds to an error of a removal what to do if the repository does not exist any
// more, or is archived.
func GoneForGood(err error) error {
	switch {
	case remote.Is(err, remote.KindNotFound):
		return fmt.Errorf("%w. If the repository was deleted, there is nothing to remove: remove the resource from the state with terraform "+
			"state rm", err)
	case remote.Is(err, remote.KindArchived):
		return fmt.Errorf("%w\nTo leave the repository as it is, remove the resource from the state with terraform state rm", err)
	}
	return SinceApplied(err)
}

// SinceApplied adds to an error about a withheld credential or a barred repository that the
// applied settings count, and not the present configuration.
func SinceApplied(err error) error {
	if !remote.Is(err, remote.KindWithheld) && !remote.Is(err, remote.KindBarred) {
		return err
	}
	return fmt.Errorf("%w. If you have only just set repo, it takes effect with the next apply: apply once with -refresh=false", err)
}

// listPaths names the folders and files at some paths of a location.
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

// MaxListed is how many names a list has before it is shortened.
const MaxListed = 20

// List returns names after their noun: "folders a, b and 3 more".
func List(noun string, names []string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	return noun + "s " + wording.First(names, MaxListed)
}

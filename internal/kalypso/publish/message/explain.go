// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// SettingsFor are the settings that may help if a server refuses a request. The packages
// that send the request do not know the settings.
var SettingsFor = map[remote.ErrorKind]string{
	remote.KindStartNotFound: "Correct create_branch_from, or leave it out to start a branch without history.",
	remote.KindBaseNotFound:  "A pull request needs a base branch: create the branch first, or set create_branch_from.",
	remote.KindNoAutoMerge:   "Or remove auto_merge.",
	remote.KindNoMethod:      "Or set another auto_merge.",
	remote.KindNoDraft:       "With draft = false, new requests are ready for review.",
}

// Sentence describes an error of a server, or each error of a list on its own line, and then the
// settings that may help.
func Sentence(err error) string {
	var refused *RefusedError
	if errors.As(err, &refused) {
		var texts []string
		for _, m := range refused.Refusals {
			texts = append(texts, m.Detail)
		}
		return strings.Join(texts, "\n\n")
	}
	var lines, settings []string
	for _, one := range each(err) {
		lines = append(lines, problem.Sentence(one))
		var e *remote.Error
		if errors.As(one, &e) && SettingsFor[e.Kind] != "" && !slices.Contains(settings, SettingsFor[e.Kind]) {
			settings = append(settings, SettingsFor[e.Kind])
		}
	}
	text := strings.Join(lines, "\n")
	if len(settings) == 0 {
		return text
	}
	if strings.Contains(text, "\n") { // a server's text may end it
		return text + "\n" + strings.Join(settings, " ")
	}
	return text + " " + settings[0]
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

// OfApplied adds to an error about the applied place what to do if the repository does not exist
// any more or is archived, or if its credential is withheld: the applied settings count, and not
// the present configuration.
func OfApplied(err error) error {
	switch {
	case remote.Is(err, remote.KindNotFound):
		return fmt.Errorf("%w. If the repository was deleted, remove the resource from the state with terraform state rm", err)
	case remote.Is(err, remote.KindArchived):
		return fmt.Errorf("%w\nTo leave the repository as it is, remove the resource from the state with terraform state rm", err)
	case remote.Is(err, remote.KindWithheld), remote.Is(err, remote.KindBarred):
		return fmt.Errorf("%w. If you have only just set repo, it takes effect with the next apply: apply once with -refresh=false", err)
	}
	return err
}

// Unwritten adds the error of a write. If time was up, the server may have a push that it has not answered.
func (m *Messages) Unwritten(err error) {
	if remote.Is(err, remote.KindTimeout) {
		m.Fail("The apply has not finished", Sentence(err)+" If a push was under way, the server may still carry it out: plan again to see "+
			"what the branch has.")
		return
	}
	m.Fail(Unchanged, Sentence(err))
}

// List returns names after their noun: "folders a, b, c and 17 more".
func List(noun string, names []string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	return noun + "s " + wording.First(names, wording.MaxListed)
}

// Folders names folders, and entries of files, by their keys: "folders a, b and file docs/fleet.md".
func Folders(keys []string) string {
	var parts, folders, files []string
	for _, key := range keys {
		if record.IsFolder(key) {
			folders = append(folders, key)
		} else {
			files = append(files, strings.TrimPrefix(key, "./"))
		}
	}
	if len(folders) > 0 {
		parts = append(parts, List("folder", folders))
	}
	if len(files) > 0 {
		parts = append(parts, List("file", files))
	}
	return strings.Join(parts, " and ")
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// pushRefusal is a reason for which a forge refuses a push. Forges have different words for it.
type pushRefusal int

// The reasons. If the words of a forge contain several, the first counts.
const (
	pushArchived pushRefusal = iota
	pushUnsigned
	pushAuthor
	pushMessage
	pushProtected
)

// pushAdvice is what to do about each reason. A forge does not know the settings of the provider.
var pushAdvice = [...]struct {
	kind   remote.ErrorKind
	advice string
}{
	pushArchived: {remote.KindArchived, "The repository is archived and accepts no changes. Unarchive it, or write to another repository."},
	pushUnsigned: {remote.KindRefused, "Set commit_signing in the provider, and add its key to the account at the forge."},
	pushAuthor: {remote.KindRefused, "In the provider, set commit_author to a name and an email address that the rule of the repository " +
		"allows."},
	pushMessage: {remote.KindRefused, "Set commit_message to a text that the rule of the repository allows."},
	pushProtected: {remote.KindRefused, "To propose the change as a pull request, add a pull_request block. Or let the user of the " +
		"credential push to the branch."},
}

// PushAdvice returns the kind of the error and what to do about the words with which any forge refuses
// a push; the advice is empty if it does not know the words.
func PushAdvice(words string) (kind remote.ErrorKind, advice string) {
	words = strings.ToLower(words)
	for reason, known := range pushAdvice {
		for _, k := range kinds {
			if slices.ContainsFunc(k.ofPush[pushRefusal(reason)], func(part string) bool { return strings.Contains(words, part) }) {
				return known.kind, known.advice
			}
		}
	}
	return 0, ""
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree

import (
	"regexp"
	"strings"
)

var commitID = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// IsCommitID reports whether a text is a commit id, full or abbreviated, in the form of
// people and manifests.
func IsCommitID(text string) bool { return commitID.MatchString(text) }

// FullCommitID returns the full id of a commit in lower case, as forges and Git write it; ""
// for any other text.
func FullCommitID(text string) string {
	if full := len(text) == 40 || len(text) == 64; !full || !IsCommitID(text) {
		return ""
	}
	return strings.ToLower(text)
}

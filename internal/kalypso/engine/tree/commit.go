// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree

import (
	"regexp"
	"strings"
)

var commitID = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// IsCommitID reports whether a text is the id of a commit, in full or abbreviated, as people
// and manifests write it.
func IsCommitID(text string) bool { return commitID.MatchString(text) }

// FullCommitID returns the full id of a commit in small letters, as forges and Git write it;
// empty for any other text.
func FullCommitID(text string) string {
	if full := len(text) == 40 || len(text) == 64; !full || !IsCommitID(text) {
		return ""
	}
	return strings.ToLower(text)
}

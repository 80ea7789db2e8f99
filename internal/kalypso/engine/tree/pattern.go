// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree

import "path"

// IsPattern reports whether a pattern has the syntax of path.Match, and is not empty.
func IsPattern(pattern string) bool {
	_, err := path.Match(pattern, "")
	return err == nil && pattern != ""
}

// Matches reports whether a pattern matches a whole text. * matches any characters except
// slashes. A pattern that is not valid matches nothing.
func Matches(pattern, text string) bool {
	matched, err := path.Match(pattern, text)
	return err == nil && matched
}

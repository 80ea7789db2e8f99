// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import "strings"

// matches reports whether a context is as a pattern says: * stands for any text, slashes
// and nothing included, and everything else for itself. Cost: linear in the context for
// each part of the pattern.
func matches(pattern, context string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == context
	}
	context, ok := strings.CutPrefix(context, first)
	for ok {
		var part string
		if part, rest, wild = strings.Cut(rest, "*"); !wild {
			return strings.HasSuffix(context, part)
		}
		_, context, ok = strings.Cut(context, part)
	}
	return false
}

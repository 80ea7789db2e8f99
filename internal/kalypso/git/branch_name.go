// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckBranch says what is wrong with the name of a branch, or nil. The rules
// are those of git check-ref-format --branch.
func CheckBranch(name string) error {
	if problem := branchProblem(name); problem != "" {
		return fmt.Errorf("%q is not a valid branch name: %s", name, problem)
	}
	return nil
}

func branchProblem(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case name == "@" || name == "HEAD":
		return "git uses that name itself"
	case strings.HasPrefix(name, "-"):
		return `it starts with "-"`
	case strings.HasSuffix(name, "."):
		return `it ends with "."`
	case strings.Contains(name, ".."):
		return `it holds ".."`
	case strings.Contains(name, "@{"):
		return `it holds "@{"`
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	}
	if i := strings.IndexFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune(` ~^:?*[\`, r)
	}); i >= 0 {
		return fmt.Sprintf("it holds %q", name[i])
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return `it starts or ends with "/" or holds "//"`
		case strings.HasPrefix(part, "."):
			return fmt.Sprintf(`%q starts with "."`, part)
		case strings.HasSuffix(part, ".lock"):
			return fmt.Sprintf(`%q ends with ".lock"`, part)
		}
	}
	return ""
}

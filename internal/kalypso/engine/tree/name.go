// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CheckName returns why a name cannot be one segment of a path in a repository, or nil. It
// refuses every name that could leave the folder or reach git's own files on any file
// system: separators, ".", "..", ".git" in every disguise, control characters, invalid
// UTF-8.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a path has an empty segment")
	case name == "." || name == "..":
		return fmt.Errorf("%q in a path would leave its folder", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("the path segment %q is not valid UTF-8", name)
	case strings.ContainsAny(name, `/\:`):
		return fmt.Errorf(`the path segment %q contains a separator ("/", "\" or ":")`, name)
	case len(name) > maxNameBytes:
		return fmt.Errorf("the path segment %q… is longer than %d bytes", name[:32], maxNameBytes)
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("the path segment %q contains a control character", name)
	}
	if isGitDir(name) {
		return fmt.Errorf("the path segment %q is git's own folder, or looks like it to some file systems", name)
	}
	return nil
}

// maxNameBytes is the longest name that every common file system accepts.
const maxNameBytes = 255

// isGitDir reports whether some file system reads the name as ".git". Case, invisible
// characters, compatibility forms, and trailing dots and spaces do not matter, and Windows
// has a short name.
func isGitDir(name string) bool {
	visible := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	plain := strings.ToLower(strings.TrimRight(visible, ". "))
	return plain == ".git" || plain == "git~1"
}

// Fold returns the same text for names that some file systems take for one: those that
// differ in upper and lower case, or in how their accents are composed, alone.
func Fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// CheckPath returns why a slash-separated path below a repository's root is not valid, or
// nil. "", "." and "./" mean the root itself. A leading "./" and a trailing "/" are valid.
func CheckPath(path string) error {
	for _, name := range SplitPath(path) {
		if err := CheckName(name); err != nil {
			return err
		}
	}
	return nil
}

// SplitPath returns the segments of a valid path; nil for the root.
func SplitPath(path string) []string {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "./"), "/")
	if path == "" || path == "." {
		return nil
	}
	return strings.Split(path, "/")
}

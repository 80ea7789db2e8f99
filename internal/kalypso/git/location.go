// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Branch is a branch of a repository.
type Branch struct{ Repo, Name string }

// String returns the branch as repo#name, without secrets.
func (b Branch) String() string { return remote.Redact(b.Repo) + "#" + b.Name }

// Key returns the same text for spellings of one branch: see remote.URL.Key.
func (b Branch) Key() string { return remote.Key(b.Repo) + "#" + b.Name }

// Location is a folder of a branch. Path is slash-separated; "." or "" is
// the repository's root.
type Location struct{ Repo, Branch, Path string }

// Of returns the location's branch.
func (l Location) Of() Branch { return Branch{Repo: l.Repo, Name: l.Branch} }

// String returns the location as repo#branch:path, without secrets.
func (l Location) String() string { return l.Of().String() + ":" + cmp.Or(l.Path, ".") }

// Same reports whether two locations are spellings of one place: see Branch.Key.
func (l Location) Same(other Location) bool {
	return l.Of().Key() == other.Of().Key() && slices.Equal(tree.SplitPath(l.Path), tree.SplitPath(other.Path))
}

// Join returns the path of a name below the location, from the repository's root.
func (l Location) Join(name string) string {
	return path.Join(append(tree.SplitPath(l.Path), name)...)
}

// notInBranch matches the parts that git check-ref-format --branch refuses, and also control
// characters of Unicode and those that reverse the direction of text.
var notInBranch = regexp.MustCompile(`^(?:@|HEAD)$|^-|\.\.|@\{|\.$|^/|/$|//|(?:^|/)\.|\.lock(?:/|$)` +
	`|[ ~^:?*\[\\\p{Cc}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// CheckBranch returns an error if the name is not a valid branch name.
func CheckBranch(name string) error {
	found := notInBranch.FindStringIndex(name)
	switch {
	case name == "":
		return errors.New("the name of a branch is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not a valid branch name: it is not valid UTF-8", name)
	case strings.HasPrefix(name, "refs/"):
		return fmt.Errorf("%q is the name of a reference. Write the name of the branch: %q", name, strings.TrimPrefix(name, "refs/heads/"))
	case found != nil:
		return fmt.Errorf("%q is not a valid branch name: git does not allow %q there", name, name[found[0]:found[1]])
	}
	return nil
}

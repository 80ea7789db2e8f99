// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// notInBranch is what git check-ref-format --branch refuses, with control characters of
// Unicode and those that turn the direction of a text around.
var notInBranch = regexp.MustCompile(`^(?:@|HEAD)$|^-|\.\.|@\{|\.$|^/|/$|//|(?:^|/)\.|\.lock(?:/|$)` +
	`|[ ~^:?*\[\\\p{Cc}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// CheckBranch says what is wrong with the name of a branch, or nil.
func CheckBranch(name string) error {
	found := notInBranch.FindStringIndex(name)
	switch {
	case name == "":
		return errors.New("the name of a branch is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not a valid branch name: it is not valid UTF-8", name)
	case found != nil:
		return fmt.Errorf("%q is not a valid branch name: git does not allow %q there", name, name[found[0]:found[1]])
	}
	return nil
}

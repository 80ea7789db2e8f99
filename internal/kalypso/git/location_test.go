// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

var branches = []string{
	"main", "dev", "release/1.0", "a", "a.b", "a-b", "a@b", "feature/ünïcode", "x{y", "a/b/c", "HEAD/x", "a.lockx",
	"", "@", "HEAD", "-a", "a..b", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a b", "a~b", "a^b", "a:b", "a?b", "a*b",
	"a[b", `a\b`, "a@{b", "a\x01b", "a\x7fb", "a/b.",
}

// Our rules are git's own.
func TestCheckBranchAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, name := range branches {
		cmd := gittest.Command(t.Context(), "check-ref-format", "--branch", name)
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		theirs := err == nil && name != "@" // which git takes for another name of HEAD
		if ours := git.CheckBranch(name) == nil; ours != theirs {
			t.Errorf("CheckBranch(%q) takes it: %v, git: %v", name, ours, theirs)
		}
	}
}

// go-git has the same rules, except that it allows no part "@", and characters that only we refuse.
func FuzzCheckBranch(f *testing.F) {
	for _, name := range branches {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		theirs := plumbing.NewBranchReferenceName(name).Validate() == nil
		if err := git.CheckBranch(name); err == nil && !theirs && !strings.Contains("/"+name+"/", "/@/") {
			t.Errorf("CheckBranch takes %q, go-git does not", name)
		}
	})
}

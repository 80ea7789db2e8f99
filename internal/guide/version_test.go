// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Everything that a user copies names the version of this release: the tag of the module and of the
// starter, and the addresses of schemas, whose files exist.
func TestVersions(t *testing.T) {
	t.Parallel()
	const root = "../.."
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(changelog)
	if version == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "grep", "-IohE",
		`(\?ref=|terraform-provider-kalypso/)v[0-9][^" ]*`, "--", "modules", "starter", "templates", "examples", "README.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(out))
	if len(names) < 10 {
		t.Errorf("only %q name a version", names)
	}
	for _, name := range names {
		_, tag, _ := strings.Cut(name, "v")
		if _, after, isAddress := strings.Cut(name, "kalypso/v"); isAddress {
			tag = after
		}
		tag, file, _ := strings.Cut(strings.TrimRight(tag, "`),"), "/")
		if tag != string(version[1]) {
			t.Errorf("%s is not of version %s", name, version[1])
		}
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

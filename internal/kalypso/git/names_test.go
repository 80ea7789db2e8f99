// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://github.com/microsoft/kalypso-gitops", "http://localhost:3000/a/b.git", "https://me@dev.azure.com/me/p/_git/r",
		"ssh://git@github.com/a/b", "ssh://git@host:2222/~/b.git", "git@github.com:a/b.git", "file:///srv/git/a.git", "/srv/git/a.git", "https://[::1]:8080/a",
	} {
		if err := git.CheckURL(url); err != nil {
			t.Errorf("CheckURL(%q): %v", url, err)
		}
	}
	for url, word := range map[string]string{
		"":                                     "empty",
		"fleet":                                "no URL",
		"./fleet":                              "no URL",
		"ftp://host/a":                         "protocol",
		"git://host/a":                         "protocol",
		"https://github.com":                   "no repository",
		"https:///a":                           "no host",
		"https://user:s3cret@host/a":           "credentials",
		"https://user:s3/cret@host/a":          "malformed",
		"user:s3cret@host:a":                   "credentials",
		"https://host/a b":                     "white space",
		"https://host/a\x00":                   "control character",
		"https://host/contoso/../other/a":      `".."`,
		"https://host/contoso/%2e%2e/other/a":  `".."`,
		"https://host/a?service=x":             `"?"`,
		"https://host/a#dev":                   `"?"`,
		"file://relative/path":                 "absolute",
		"git@host:-oProxyCommand=x":            "no repository",
		"ssh://-oProxyCommand=x/a":             "no host",
		"https://host/" + string([]byte{0xff}): "UTF-8",
	} {
		err := git.CheckURL(url)
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("CheckURL(%q) = %v, want %q", url, err, word)
		}
		if err != nil && (strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "s3/cret")) {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}

func TestLocationString(t *testing.T) {
	t.Parallel()
	for want, loc := range map[string]git.Location{
		"https://host/a#dev:.":        {Repo: "https://user:secret@host/a", Branch: "dev"},
		"https://host/a#dev:x/y":      {Repo: "https://token@host/a", Branch: "dev", Path: "x/y"},
		"ssh://git@host/a#dev:.":      {Repo: "ssh://git:secret@host/a", Branch: "dev", Path: "."},
		"git@host:a#dev:.":            {Repo: "git@host:a", Branch: "dev"},
		"/srv/git/a@b:c#release/1.0:": {Repo: "/srv/git/a@b:c", Branch: "release/1.0", Path: ""},
	} {
		if got := loc.String(); got != want && got != want+"." {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

var branches = []string{
	"main", "dev", "release/1.0", "a", "a.b", "a-b", "a@b", "feature/ünïcode", "x{y", "a/b/c", "HEAD/x", "a.lockx",
	"", "@", "HEAD", "-a", "a..b", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", `a\b`, "a@{b", "a\x01b", "a\x7fb", "a/b.",
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

// badBranch is the rules of git-check-ref-format once more, in another form.
var badBranch = regexp.MustCompile(`^$|^@$|^HEAD$|^-|\.\.|@\{|\.$|[\x00-\x20\x7f~^:?*\[\\]|^/|/$|//|(^|/)\.|\.lock($|/)`)

func FuzzCheckBranch(f *testing.F) {
	for _, name := range branches {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		want := !badBranch.MatchString(name) && utf8.ValidString(name)
		if err := git.CheckBranch(name); (err == nil) != want {
			t.Errorf("CheckBranch(%q) = %v, want valid: %v", name, err, want)
		}
	})
}

func FuzzCheckURL(f *testing.F) {
	for _, url := range []string{"https://host/a", "git@host:a", "ssh://u:p@h:1/x", "/abs", "file:///a", "https://[::1", "://", "a@b@c:d", "https://host/%zz", "ssh://[fe80::1%25eth0]/a"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		err := git.CheckURL(url)
		loc := git.Location{Repo: url, Branch: "dev"}
		if text := loc.String(); err == nil && strings.Contains(url, "://") && strings.Count(text, "#") != 1+strings.Count(url, "#") {
			t.Errorf("the location of %q is %q", url, text)
		}
	})
}

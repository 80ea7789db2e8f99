// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package tree_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"a", "reconciler.yaml", ".github", ".gitignore", ".gitx", "git", "x.git", "a b", "...", "日本", "é", "git~2", strings.Repeat("a", 255),
	} {
		if err := tree.CheckName(name); err != nil {
			t.Errorf("CheckName(%q) gave %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"":                       "empty segment",
		".":                      "would leave its folder",
		"..":                     "would leave its folder",
		"a/b":                    "contains a separator",
		`a\b`:                    "contains a separator",
		"a:b":                    "contains a separator",
		".git::$INDEX":           "contains a separator",
		"a\x00b":                 "control character",
		"a\nb":                   "control character",
		"\x7f":                   "control character",
		"\xff":                   "not valid UTF-8",
		strings.Repeat("a", 256): "longer than 255 bytes",
		".git":                   "git's own folder",
	} {
		if err := tree.CheckName(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckName(%q) gave %v, want %q", name, err, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{{"drone", "Drone"}, {"README.md", "readme.MD"}, {"\u00e9t\u00e9", "E\u0301TE\u0301"}, {"a b", "A b"}} {
		if tree.Fold(same[0]) != tree.Fold(same[1]) {
			t.Errorf("%q and %q are told apart", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"drone", "drones"}, {"a-b", "a_b"}, {"e", "\u00e9"}} {
		if tree.Fold(other[0]) == tree.Fold(other[1]) {
			t.Errorf("%q and %q are taken for one", other[0], other[1])
		}
	}
}

// disguises are names that some file system reads as ".git".
var disguises = []string{
	".git", ".GIT", ".Git", ".gIt", ".git ", ".git.", ".git. .", ".git...", ".GIT ", "git~1", "GIT~1", "Git~1",
	".g\u200cit", ".gi\u200dt", "\u200e.git", ".git\u200f", ".g\u202ait", "\u202b.git", ".g\u202cit", ".gi\u202dt", ".git\u202e",
	".g\u206ait", ".g\u206bit", ".g\u206cit", ".gi\u206dt", ".git\u206e", "\u206f.git", "\ufeff.git", ".G\u200cIT",
}

func TestDisguisesOfGitAreRefused(t *testing.T) {
	t.Parallel()
	more := []string{"．git", ".ｇｉｔ", ".gi\ufe0ft", ".git\u00ad", "\u2060.git", ".git \u200c."}
	for _, name := range append(more, disguises...) {
		if tree.CheckName(name) == nil {
			t.Errorf("CheckName(%q) gave nil", name)
		}
		if tree.CheckPath("a/"+name+"/config") == nil {
			t.Errorf("CheckPath of %q within a path gave nil", name)
		}
	}
}

func TestNoNameThatGitRefusesIsAccepted(t *testing.T) {
	t.Parallel()
	git := newRepository(t)
	for _, name := range append([]string{"..", ".", ".GIT/x", `.git\x`}, disguises...) {
		_, err := git.try(t, nil, "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true",
			"update-index", "--add", "--cacheinfo", "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,a/"+name)
		if err == nil {
			t.Errorf("git accepts %q, so this test proves nothing about it", name)
		}
		if tree.CheckPath("a/"+name) == nil {
			t.Errorf("CheckPath(%q) gave nil, but git refuses it", "a/"+name)
		}
	}
}

func TestSplitPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"": nil, ".": nil, "./": nil, "a": {"a"}, "./a": {"a"}, "a/": {"a"}, "./a/b/": {"a", "b"}, "a//b": {"a", "", "b"}, "/a": {"", "a"},
	} {
		if diff := cmp.Diff(want, tree.SplitPath(in)); diff != "" {
			t.Errorf("SplitPath(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for _, right := range []string{"", ".", "./", "a", "./clusters/dev/", "a/.github/b"} {
		if err := tree.CheckPath(right); err != nil {
			t.Errorf("CheckPath(%q) gave %v", right, err)
		}
	}
	for wrong, want := range map[string]string{
		"/a": "empty segment", "a//b": "empty segment", "../a": "leave its folder", "a/../b": "leave its folder", "a/./b": "leave its folder",
		"././a": "leave its folder", "a/.git/hooks": "git's own folder", `C:\a`: "separator",
	} {
		if err := tree.CheckPath(wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckPath(%q) gave %v, want %q", wrong, err, want)
		}
	}
}

// gitName matches the names that file systems read as ".git", without invisible characters.
var gitName = regexp.MustCompile(`(?i)^(\.git|git~1)[ .]*$`)

// FuzzCheckPath looks for accepted paths that leave the repository's root or
// reach git's own files.
func FuzzCheckPath(f *testing.F) {
	for _, name := range disguises {
		f.Add("a/" + name)
	}
	for _, seed := range []string{"", ".", "./", "/", "//", "a/b", "../a", "a/..", `a\..\b`, "a\x00", ".//", "./..", "…", "．．/a", "c:/x",
		"~/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if tree.CheckPath(p) != nil {
			return
		}
		if joined := path.Join("/root", p); joined != "/root" && !strings.HasPrefix(joined, "/root/") {
			t.Errorf("%q leaves the root: %s", p, joined)
		}
		for _, name := range strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' }) {
			seen := strings.Map(func(r rune) rune {
				if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector) {
					return -1
				}
				return r
			}, norm.NFKC.String(name))
			if gitName.MatchString(seen) || name == ".." {
				t.Errorf("%q reaches git's folder or its parent with %q", p, name)
			}
		}
		for _, name := range tree.SplitPath(p) {
			if _, err := tree.NewDir([]tree.Entry{tree.File(name, nil)}); err != nil {
				t.Errorf("%q is accepted as a path, but not as a tree: %v", p, err)
			}
		}
	})
}

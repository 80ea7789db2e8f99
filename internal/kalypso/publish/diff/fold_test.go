// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// Files in which the same lines change appear once, whatever lines are around the changes.
func TestUnifiedFolds(t *testing.T) {
	t.Parallel()
	config := func(name, value string) string {
		return fmt.Sprintf("name: %s\ndata:\n  REGION: %s\n", name, value)
	}
	for name, test := range map[string]struct {
		old, now map[string]string
		want     []string // the lines that begin a file, and those in brackets
	}{
		"one value everywhere": {
			map[string]string{"a": config("a", "x"), "b": config("b", "x"), "c": config("c", "x"), "d": config("d", "x"), "e": config("e", "x")},
			map[string]string{"a": config("a", "y"), "b": config("b", "y"), "c": config("c", "y"), "d": config("d", "y"), "e": config("e", "y")},
			[]string{"diff --git a/a b/a", "(the same lines in 4 other files: b, c, d and 1 more; below .)"},
		},
		"two values": {
			map[string]string{"a": config("a", "x"), "b": config("b", "z"), "c": config("c", "x")},
			map[string]string{"a": config("a", "y"), "b": config("b", "y"), "c": config("c", "y")},
			[]string{"diff --git a/a b/a", "(the same lines in 1 other file: c; below .)", "diff --git a/b b/b"},
		},
		"new and deleted": {
			map[string]string{"gone": "x\n", "gone too": "x\n"}, map[string]string{"new": "x y\n", "new too": "x y\n"},
			[]string{"diff --git a/gone b/gone", "(the same lines in 1 other file: gone too; below .)", "diff --git a/new b/new",
				"(the same lines in 1 other file: new too; below .)"},
		},
		"a line that looks like the beginning of a hunk": {
			map[string]string{"a": "x\n", "b": "y\n"}, map[string]string{"a": "@@ -1 +1 @@\n", "b": "@@ -1 +1 @@\n"},
			[]string{"diff --git a/a b/a", "diff --git a/b b/b"},
		},
		"another owner": {
			map[string]string{"large/a/x": "a:\n  on: 1\nb:\n  on: 1\n", "large/b/x": "a:\n  on: 1\nb:\n  on: 1\n",
				"small/a/x": "a:\n  on: 1\nb:\n  on: 1\n"},
			map[string]string{"large/a/x": "a:\n  on: 2\nb:\n  on: 1\n", "large/b/x": "a:\n  on: 1\nb:\n  on: 2\n",
				"small/a/x": "a:\n  on: 2\nb:\n  on: 1\n"},
			[]string{"diff --git a/large/a/x b/large/a/x", "(the same lines in 1 other file: small/a/x; below small)",
				"diff --git a/large/b/x b/large/b/x"},
		},
		"another mode": {
			map[string]string{"a": "x\n"}, map[string]string{"a": "y\n", "b.sh": "y\n"},
			[]string{"diff --git a/a b/a", "diff --git a/b.sh b/b.sh"},
		},
		"empty files": {nil, map[string]string{"a": "", "b": ""}, []string{"diff --git a/a b/a", "diff --git a/b b/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for line := range strings.Lines(unified(between(files(test.old), files(test.now)))) {
				if strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "(") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// The number of missing files includes files that a fold would have named.
func TestUnifiedCountsFoldedFiles(t *testing.T) {
	t.Parallel()
	old, now := map[string]string{"a": "1\n"}, map[string]string{"a": "2\n"}
	for i := range 50 {
		name := fmt.Sprintf("b%d", i)
		old[name], now[name] = "3\n", "4\n"
	}
	if _, got := diff.Unified(between(files(old), files(now)), diff.Limit{Lines: 8, Bytes: all}); got != "50 more files" {
		t.Errorf("left out: %q", got)
	}
}

// First come objects that a cluster stops running, then changed and new ones. Files
// beside the packages come last, in one line each if a package changes.
func TestUnifiedOrder(t *testing.T) {
	t.Parallel()
	old := map[string]string{".github/commit.md": "1\n2\n", "large/README.md": "1\n2\n3\n", "large/web/a": "1\n", "large/zoo/a": "2\n",
		"large/way/a": "6\n"}
	now := map[string]string{".github/commit.md": "1\n3\n", "large/README.md": "1\n", "large/web/a": "3\n", "large/new/a": "4\n",
		"a/README.md": "5\n", "small/way/a": "6\n"}
	for name, test := range map[string]struct {
		without func(path string) bool
		want    []string
	}{
		"packages change": {func(string) bool { return false }, []string{
			"diff --git a/large/way/a b/large/way/a", "diff --git a/large/zoo/a b/large/zoo/a", "diff --git a/large/web/a b/large/web/a",
			"diff --git a/large/new/a b/large/new/a", "diff --git a/small/way/a b/small/way/a",
			"(folded: a/README.md, large/README.md)", "(folded: .github/commit.md)",
		}},
		"nothing else changes": {func(path string) bool { return !strings.HasSuffix(path, ".md") }, []string{
			"diff --git a/a/README.md b/a/README.md", "diff --git a/large/README.md b/large/README.md",
			"diff --git a/.github/commit.md b/.github/commit.md",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := slices.DeleteFunc(between(files(old), files(now)), func(c diff.FileChange) bool { return test.without(c.Path) })
			for i := range changes {
				changes[i].Beside = strings.HasSuffix(changes[i].Path, ".md")
			}
			var got []string
			for line := range strings.Lines(unified(changes)) {
				if strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "(") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Files of one name beside the packages are one line, whatever their number.
func TestUnifiedFoldsFilesBesidePackages(t *testing.T) {
	t.Parallel()
	changes := []diff.FileChange{}
	for i := range 20 {
		changes = append(changes, between(nil, files(map[string]string{fmt.Sprintf("site-%02d/README.md", i): fmt.Sprint(i, "\n")}))...)
		changes[i].Beside = true
	}
	changes = append(changes, between(nil, files(map[string]string{"site-00/web/a": "1\n"}))...)
	const want = "+1\n(folded: site-00/README.md, site-01/README.md, site-02/README.md and 17 more)\n"
	if got := unified(changes); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
}

// New files of packages that differ in the names of their packages alone appear once.
func TestUnifiedOfNewPackages(t *testing.T) {
	t.Parallel()
	content := func(clusterType, region string) string {
		return fmt.Sprintf("kind: ConfigMap\nnamespace: dev-%s-web\na: 1\nb: 2\nregion: %s\nc: 3\n", clusterType, region)
	}
	now := map[string]string{"s1/web/a": content("s1", "north"), "s2/web/a": content("s2", "south"), "s3/web/a": content("s3", "south"),
		"s4/web/a": content("s4", "north"), "s5/web/a": "other: 1\n", "s6/shop/a": content("s6", "west"),
		"s7/web/a": content("s7", "token: ghp_"+strings.Repeat("a1B2", 9))}
	changes := between(nil, files(now))
	for i := range changes {
		changes[i].Whole = true
	}
	got := unified(changes)
	const one, other = "+c: 3\n(the same file, except for names of the package, in 1 other file: s4/web/a; below s4)\n",
		"+c: 3\n(the same file, except for names of the package, in 1 other file: s3/web/a; below s3)\n"
	if !strings.Contains(got, one) || !strings.Contains(got, other) || strings.Count(got, "diff --git") != 5 {
		t.Errorf("got\n%s", got)
	}
	if _, left := diff.Unified(changes, diff.Limit{Lines: 1, Bytes: all}); !strings.HasSuffix(left, " of s1/web/a, and 6 more files") {
		t.Errorf("left out: %s", left)
	}
}

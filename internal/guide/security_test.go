// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promises are the sections of SECURITY.md that need a test for each point.
var promises = []string{"What the provider promises", "Who gets which credential", "Requests, issues, commits", "Promotions", "Servers"}

// Every point of a list or table of promises names the test that checks the point.
func TestSecurityPromisesAreHeld(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, title := range promises {
		_, section, found := strings.Cut(string(text), "\n## "+title+"\n")
		if !found {
			t.Errorf("there is no section %q", title)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		_, rows, _ := strings.Cut(section, "|---|---|\n")
		for line := range strings.Lines(section) {
			isPoint := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "| ") && strings.Contains(rows, line)
			if !isPoint {
				continue
			}
			if points++; !strings.Contains(line, "<!-- held by: ") {
				t.Errorf("no test holds %.80q", line)
			}
		}
	}
	if points < 35 {
		t.Errorf("only %d points were found", points)
	}
}

// Every comment in SECURITY.md names the tests that check the sentence before the comment:
// <!-- held by: TestOne, TestTwo -->. All of them have to exist.
func TestSecurityIsHeldByTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testsBelow(t, root)
	comments := regexp.MustCompile(`(?s)<!--(.*?)-->`).FindAllStringSubmatch(string(text), -1)
	if len(comments) == 0 {
		t.Error("SECURITY.md names no test at all")
	}
	for _, comment := range comments {
		names, ok := strings.CutPrefix(comment[1], " held by: ")
		if !ok {
			t.Errorf("%q is not of the form <!-- held by: TestOne, TestTwo -->", comment[0])
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSpace(names), ", ") {
			if !tests[name] {
				t.Errorf("%q names the test %q, which does not exist", comment[0], name)
			}
		}
	}
}

// testsBelow returns the names of all tests, fuzz tests and benchmarks in a folder.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A promise of a guide is a row of a table, or a point or paragraph that begins in bold.
var promise = regexp.MustCompile(`(?m)^(?:\| ([^|]+) \||(?:- |\d+\. )?(?:The |A )?\*\*(.+?)\*\*)`)

// TestHeld compares the promises of the guides "Folders" and "Promotion rules" with testdata/held.txt, which has the
// beginning of each promise, and the tests that check it.
func TestHeld(t *testing.T) {
	t.Parallel()
	held, tests := read(t, "testdata/held.txt"), testsBelow(t, "../..")
	for _, page := range strings.Split(held, "\n# ")[1:] {
		name, lines, _ := strings.Cut(strings.TrimSpace(page), "\n")
		rows := strings.Split(strings.TrimSpace(lines), "\n")
		text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(read(t, "../../docs/guides/"+name), "")
		text = regexp.MustCompile(`(?m)^\|.*\|\n\|---.*\n`).ReplaceAllString(text, "") // headings of tables
		for _, match := range promise.FindAllStringSubmatch(text, -1) {
			if len(rows) == 0 || !strings.HasPrefix(strings.TrimPrefix(match[1]+match[2], "["), strings.Split(rows[0], " | ")[0]) {
				t.Fatalf("%s: testdata/held.txt does not have %q here: %q", name, match[1]+match[2], rows)
			}
			_, names, _ := strings.Cut(rows[0], " | ")
			for test := range strings.SplitSeq(names, ", ") {
				if !tests[test] {
					t.Errorf("%s: %q names the test %q, which does not exist", name, rows[0], test)
				}
			}
			rows = rows[1:]
		}
		if len(rows) > 0 {
			t.Errorf("%s does not promise %q", name, rows)
		}
	}
}

// Each number of BENCHMARKS.md names its benchmark in the aims, and it exists.
func TestBenchmarksExist(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile(`"(\w+)\.([A-Z]\w*)/`).FindAllStringSubmatch(read(t, "../../tools/benchtable/aims.go"), -1)
	tests := testsBelow(t, "../..")
	for _, match := range names {
		if !tests["Benchmark"+match[2]] {
			t.Errorf("there is no Benchmark%s of %s", match[2], match[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d names were found", len(names))
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

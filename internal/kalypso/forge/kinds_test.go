// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// capabilities reads the table of the guide: the cells of each row, with a cell for each kind.
func capabilities(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "guides", "forges.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What each forge can do\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == len(kinds)+1 {
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

// The guide's table says what the code does.
func TestGuide(t *testing.T) {
	t.Parallel()
	rows := capabilities(t)
	cell := func(row string, of int) string {
		t.Helper()
		if rows[row] == nil {
			t.Fatalf("the guide has no row %q with a column for each forge", row)
		}
		return rows[row][of]
	}
	quoted := regexp.MustCompile("`([^`]*)`")
	for i, k := range kinds {
		r := &Repository{kind: k, name: "the repository"}
		lacks := func(s Settings) bool { return r.Check(s) != nil }
		var hosts, methods, told []string
		for _, host := range k.hosts {
			if strings.HasPrefix(host, ".") {
				host = `\*` + host
			}
			hosts = append(hosts, host)
		}
		for _, m := range []Method{Merge, Squash, Rebase} {
			if !lacks(Settings{AutoMerge: m, Wait: true}) {
				methods = append(methods, string(m))
			}
		}
		for _, found := range quoted.FindAllStringSubmatch(cell("`auto_merge`", i), -1) {
			if slices.Contains([]Method{Merge, Squash, Rebase}, Method(found[1])) {
				told = append(told, found[1])
			}
		}
		onlyAwaited := strings.Contains(cell("`auto_merge`", i), "only with `wait_for_merge`")
		for what, pair := range map[string][2]any{
			"the type":       {cell("`type` in `forge`", i), "`" + string(k.software) + "`"},
			"the hosts":      {cell("hosts that need no `type`", i), strings.Join(hosts, ", ")},
			"the name":       {cell("a pull request is called", i), k.request},
			"users":          {strings.HasPrefix(cell("`reviewers`", i), "user names"), !lacks(Settings{Reviewers: []string{"octocat"}})},
			"teams":          {!strings.HasPrefix(cell("`team_reviewers`", i), "no:"), !lacks(Settings{TeamReviewers: []string{"platform"}})},
			"the methods":    {strings.Join(told, " "), strings.Join(methods, " ")},
			"wait_for_merge": {onlyAwaited, lacks(Settings{AutoMerge: Squash})},
			"who merges":     {strings.HasPrefix(cell("who merges with `auto_merge`", i), "the apply"), k.mergesInAwait},
			"the ids": {strings.HasPrefix(cell("`reviewers`", i), "ids"),
				lacks(Settings{Reviewers: []string{"octocat"}}) && !lacks(Settings{Reviewers: []string{"11111111-2222-3333-4444-555555555555"}})},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s, %s (-guide +code):\n%s", k.name, what, diff)
			}
		}
	}
}

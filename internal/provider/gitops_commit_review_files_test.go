// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/diff"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// reviewed returns the two files that the last plan of a workspace has written.
func reviewed(t *testing.T, folder string) (file reviewFile, markdown string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 2 || filepath.Ext(names[0]) != ".json" || filepath.Ext(names[1]) != ".md" {
		t.Fatalf("files %q, %v", names, err)
	}
	if err := json.Unmarshal([]byte(readFile(t, names[0])), &file); err != nil {
		t.Fatal(err)
	}
	return file, readFile(t, names[1])
}

// Each plan writes what it says, also when nothing changes and when it fails: a file of the
// run before would be taken for this one's.
func TestAccCLI_planDir(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)
	folder := filepath.Join(w.dir, "plans", "new")
	w.providers = inEnvironment(map[string]string{envPlanDir: folder, envURLPrefix: localRepositories})
	protected := plainCommit("dev", "dev", "dev", "limits { protect = [\"*/*\"] }")
	says := func(markdown string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(markdown, word) {
				t.Errorf("nothing says %q in\n%s", word, markdown)
			}
		}
	}

	w.mustRun(t, w.written(t, plainFleet("blue", "large small", "dev")+protected, "plan")...)
	file, markdown := reviewed(t, folder)
	if diff := cmp.Diff(reviewedPackages{Added: []string{"large/web-live-dev", "small/web-live-dev"}, Changed: []string{},
		Removed: []string{}, Kept: []string{}}, *file.Packages); diff != "" {
		t.Error(diff)
	}
	if len(file.Files) != 8 || file.Files[1].Change != "added" || !strings.Contains(file.Files[1].Diff, "+") || file.Branch != "dev" ||
		file.Environment != "dev" {
		t.Errorf("%+v", file)
	}
	says(markdown, "### dev in `"+r.url+"#dev:.`", "`+2 ~0 -0 packages in 2 cluster types`",
		"```diff\ndiff --git a/large/web-live-dev/namespace.yaml")

	w.mustRun(t, applying...)
	w.mustRun(t, planning...)
	file, markdown = reviewed(t, folder)
	if len(file.Files) != 0 || file.Summary != "no change" {
		t.Errorf("%+v", file)
	}
	says(markdown, "`no change`")

	w.mustRun(t, w.written(t, plainFleet("green", "large small", "dev")+protected, "plan")...)
	file, _ = reviewed(t, folder)
	if len(file.Packages.Changed) != 2 || file.Files[0].Change != "changed" || !strings.Contains(file.Files[0].Diff, "family: green") {
		t.Errorf("%+v", file)
	}

	// Another detail has other keys, and removes nothing.
	inTypes := plainCommit("dev", "dev", "dev", `detail = "cluster_type"`)
	w.mustRun(t, w.written(t, plainFleet("blue", "large small", "dev")+inTypes, "plan")...)
	file, markdown = reviewed(t, folder)
	nothing := reviewedPackages{Added: []string{}, Changed: []string{}, Removed: []string{}, Kept: []string{}}
	if diff := cmp.Diff(nothing, *file.Packages); diff != "" ||
		strings.Contains(markdown, "Removed") {
		t.Errorf("%s%s", diff, markdown)
	}
	w.mustRun(t, w.written(t, plainFleet("blue", "large", "dev")+inTypes, "plan")...)
	file, markdown = reviewed(t, folder)
	if diff := cmp.Diff([]string{"small"}, file.Packages.Removed); diff != "" {
		t.Error(diff)
	}
	says(markdown, "`+0 ~0 -1 cluster types`", "#### Removed: 1 cluster type\n", "  - small\n")

	// What is refused is there to be read.
	w.fails(t, w.written(t, plainFleet("blue", "large", "dev")+protected, "plan"), "protect")
	file, markdown = reviewed(t, folder)
	if diff := cmp.Diff([]string{"small/web-live-dev"}, file.Packages.Removed); diff != "" || len(file.Errors) != 1 {
		t.Errorf("%s%+v", diff, file.Errors)
	}
	says(markdown, "The plan failed", "The planned change: `+0 ~0 -1 packages in 1 cluster type`", "#### Error: ", "\n- small/web-live-dev (3 files)\n")
	if !strings.Contains(file.Files[1].Diff, "deleted file mode") {
		t.Errorf("%+v", file.Files)
	}
	w.fails(t, w.written(t, plainFleet("blue", "large", "dev")+strings.Replace(protected, "protect", "overview", 1), "plan"), "overview")
	w.fails(t, w.written(t, "locals {\n  fleet = [\"kind: [\"]\n}\n"+protected, "plan"), "YAML")
	if file, _ = reviewed(t, folder); len(file.Errors) != 1 || len(file.Files) != 0 || file.Packages != nil {
		t.Errorf("%+v", file)
	}

	w.mustRun(t, w.written(t, plainFleet("blue", "large small", "dev")+strings.Replace(protected, "limits { protect = [\"*/*\"] }", "", 1),
		applying...)...)
	w.mustRun(t, "plan", "-destroy")
	file, markdown = reviewed(t, folder)
	says(markdown, "The environment is destroyed.", "Removed: 2 packages", "web-live-dev: 2 cluster types (large, small)")
	if len(file.Packages.Removed) != 2 || file.Summary != "The environment is destroyed." {
		t.Errorf("%+v", file)
	}

	// A folder that cannot be written is a warning, and the plan is a plan.
	w.write(t, "file", "")
	w.providers = inEnvironment(map[string]string{envPlanDir: filepath.Join(w.dir, "file", "below"), envURLPrefix: localRepositories})
	w.succeeds(t, planning, "The plan's files cannot be written")
}

// A package that moves is removed in one place. This does not count as a loss.
func TestReviewedPackages_leave(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]reviewedPackages{
		"": {Added: []string{"a/y"}},
		"#### Removed: 1 package\n\n```\n  - x: 1 cluster type (a)\n\n```\n": {Removed: []string{"a/x"}, Added: []string{"a/y"}},
		"#### Removed: 1 package\n\n```\n  - y: 1 cluster type (a)\n\n```\n\n#### Moved: 1 package\n\n```\n  - x: a -> b\n\n```\n": {
			Removed: []string{"a/x", "a/y"}, Added: []string{"b/x"},
		},
		"#### Kept: 1 package\n\n```\n  - x: 1 cluster type (a)\n\n```\n": {Kept: []string{"a/x"}},
		"#### Removed: 2 cluster types\n\n```\n  - a\n  - b\n\n```\n":     {Removed: []string{"a", "b"}, Added: []string{"c"}},
	} {
		var b strings.Builder
		p.leave(&b)
		if got := strings.TrimPrefix(b.String(), "\n"); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// One line of backticks does not make a fence that is longer than a comment.
func TestReviewMarkdown_backticks(t *testing.T) {
	t.Parallel()
	content := []byte(strings.Repeat("`", 60000))
	v := review{environment: "dev", summary: "+1", planned: true, changes: []diff.FileChange{{Path: "a",
		New: &diff.File{Mode: tree.ModeFile, ID: tree.File("", content).ID, Content: content}}}}
	if text := v.file(nil).markdown(v.changes); len(text) > mostMarkdown {
		t.Errorf("%d bytes", len(text))
	}
}

// The Markdown fits a comment, whatever changes, and no text of others ends its block of code.
func TestReviewMarkdown(t *testing.T) {
	t.Parallel()
	var changes []diff.FileChange
	for i := range 400 {
		content := []byte(strings.Repeat(fmt.Sprintf("`````` line of %d\n", i), 20))
		changes = append(changes, diff.FileChange{
			Path: fmt.Sprintf("large/app-%d/``````.yaml", i), New: &diff.File{Mode: tree.ModeFile, ID: tree.File("", content).ID, Content: content},
		})
	}
	var told diag.Diagnostics
	for i := range 30 {
		told.AddWarning(fmt.Sprint("Findings ", i), strings.Repeat("``` many words\n", 400))
		told.AddError(fmt.Sprint("Refused ", i), strings.Repeat("- package\n", 1000))
	}
	v := review{environment: "dev/../..`", before: engine.Digests{}, now: engine.Digests{}, changes: changes, summary: "+400", planned: true}
	folder := t.TempDir()
	if diags := v.write(folder, told); len(diags) > 0 {
		t.Fatal(diags)
	}
	file, markdown := reviewed(t, folder)
	if len(file.Files) != 400 || len(file.Errors) != 30 || len(file.Warnings) != 30 || strings.Count(file.Files[399].Diff, "\n+") < 20 {
		t.Errorf("the JSON file lacks something: %d files", len(file.Files))
	}
	if len(markdown) > mostMarkdown || len(markdown) < mostMarkdown/2 {
		t.Errorf("%d bytes", len(markdown))
	}
	if open := strings.Index(markdown, "\n```````diff\n"); open < 0 || !strings.HasSuffix(markdown, "\n```````\n</details>\n") {
		t.Errorf("the diff is not in a block of its own:\n…%s", markdown[len(markdown)-200:])
	}
	if !strings.Contains(markdown, "more: see the JSON file)") {
		t.Error("nothing says that something is cut")
	}
	if names, err := os.ReadDir(folder); err != nil || !strings.HasPrefix(names[0].Name(), "dev_.._.._-") {
		t.Errorf("%v, %v", names, err)
	}
}

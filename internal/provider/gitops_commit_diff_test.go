// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// removedPackage is the line of a diff for a removed package.
var removedPackage = regexp.MustCompile(`(?m)^- (\S+) \(\d+ files?\)\n`)

// patched applies a diff to a clone of the branch prod with git itself, removes the packages
// of which the diff has a line, and returns the tree that comes out, except for records and
// what a diff folds.
func patched(t *testing.T, r gitServer, diff string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	from := []string{"clone", "--quiet", "--branch", "prod", r.onDisk().Path(), clone}
	if r.repo.Head(t, "prod") == "" {
		from = []string{"init", "--quiet", clone}
	}
	patch := clone + ".patch"
	remove := []string{"-C", clone, "rm", "-r", "-q", "--cached", "--ignore-unmatch", ".kalypso", ".github", "*README.md"}
	for _, line := range removedPackage.FindAllStringSubmatch(diff, -1) {
		remove = append(remove, line[1])
	}
	if err := os.WriteFile(patch, removedPackage.ReplaceAll([]byte(diff), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, args := range [][]string{from, {"-C", clone, "apply", "--index", "--allow-empty", patch}, remove, {"-C", clone, "write-tree"}} {
		var err error
		if out, err = gittest.Command(t.Context(), args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s\n%s", args, err, out, diff)
		}
	}
	return strings.TrimSpace(string(out))
}

// A plan shows exactly the change of the apply: Git, given the diff and the packages that
// it removes, makes the same tree, except for folded parts.
func TestAccGitOpsCommit_diffIsWhatHappens(t *testing.T) {
	t.Parallel()
	r := transports["file"](t).showing(100_000)
	// Each file has a digest of its names, and each change a name, so that no two are shown as one.
	distinct := strings.NewReplacer("<<-EOT\n", "<<-EOT\n"+strings.Repeat("    # {{ .Namespace | sha256sum }}\n", 4),
		`"family" | default "none" }}`, `"family" | default "none" }}-{{ .ClusterType }}`)
	hcl := func(o fleetOptions) string { return distinct.Replace(fleetHCL(r, o)) }
	w := newWorkspace(t, "")
	for _, step := range []struct {
		name   string
		config string
		byHand map[string][]byte
	}{
		{"create", hcl(fleetOptions{}), nil},
		{"a label", hcl(fleetOptions{family: "green"}), map[string][]byte{"docs/index.md": []byte("# Docs\n")}},
		{"drift", hcl(fleetOptions{family: "green"}), map[string][]byte{
			"large/web-live/reconciler.yaml": []byte("edited: by hand"), "large/batch-nightly/namespace.yaml": nil,
			"small/stray/deep/file.txt": []byte("stray\n"), "small/README.md": nil,
		}},
		{"drift and a change", hcl(fleetOptions{family: "red"}), map[string][]byte{
			"large/web-live/namespace.yaml": nil, "large/web-live": []byte("a file\n"),
		}},
		{"a folder gone", hcl(fleetOptions{family: "red"}), map[string][]byte{
			"small/README.md": nil, "small/web-live/namespace.yaml": nil, "small/web-live/platform-config.yaml": nil,
			"small/web-live/reconciler.yaml": nil,
		}},
		{"promoted", distinct.Replace(promotedHCL(r, promoted, "")), nil},
		{"promoted, edited", distinct.Replace(promotedHCL(r, strings.Repeat("ab", 20), "")),
			map[string][]byte{trackingPath: []byte("edited")}},
		{"smaller", hcl(fleetOptions{withoutBatch: true, withoutSmall: true}), nil},
		{"another path", hcl(fleetOptions{commit: "on_removal = \"retain\"\n  path = \"fleet/prod\""}), nil},
	} {
		if step.byHand != nil {
			r.repo.CommitFiles(t, "prod", step.byHand, "by hand")
		}
		w.write(t, "main.tf", step.config)
		planned := w.diff(t, "plan", "-out=saved")
		want := patched(t, r, planned)
		w.mustRun(t, "apply", "saved")
		if got := patched(t, r, ""); got != want {
			t.Fatalf("%s: the branch holds the tree %s, and the planned diff leads to %s\n%s", step.name, got, want, planned)
		}
	}
}

func TestAccGitOpsCommit_diffText(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, "")
	shows := func(config, pattern string) {
		t.Helper()
		w.write(t, "main.tf", config)
		if diff := w.diff(t, "plan", "-out=saved"); !regexp.MustCompile(pattern).MatchString(diff) {
			t.Errorf("want %s in\n%s", pattern, diff)
		}
		w.mustRun(t, "apply", "saved")
	}
	retained := "\n  on_removal = \"retain\""
	shows(fleetHCL(r.showing(20), fleetOptions{commit: retained}),
		`(?s)^diff --git a/large/batch-nightly/namespace.yaml.*\n\(left out: 8 more files\. For all, set max_diff_lines of the provider\)\n$`)
	// A value that changes, as git shows it, and what changes in the same way in one line.
	shows(fleetHCL(r, fleetOptions{family: "green", withoutBatch: true, commit: retained}),
		`(?s)^- large/batch-nightly \(3 files\)\n.*\n-    family: blue\n\+    family: green\n\(the same lines in 1 other file: small/web-live/reconciler.yaml; below small\)\n`)
	shows(fleetHCL(r.showing(0), fleetOptions{family: "red", withoutBatch: true, commit: retained}), `^$`)
	// After an import, the former content is known too.
	w.mustRun(t, "state", "rm", theCommit)
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "blue", withoutBatch: true}))
	w.mustRun(t, "import", theCommit, r.url+"#prod:.")
	shows(fleetHCL(r, fleetOptions{family: "blue", withoutBatch: true}), `(?s)\n-    family: red\n\+    family: blue\n`)
}

// max_diff_lines is about showing: a change of it updates no resource.
func TestAccGitOpsCommit_maxDiffLines(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{}))
	w.mustRun(t, applying...)
	for _, lines := range []int{0, 7} {
		w.succeeds(t, w.written(t, fleetHCL(r.showing(lines), fleetOptions{}), "plan", "-detailed-exitcode"), "No changes")
	}
}

// The apply shows the changes that no plan could show.
func TestAccGitOpsCommit_diffOfUnknown(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, strings.Replace(fleetHCL(r, fleetOptions{}), `{REGION: Europe}`, `{REGION: "${terraform_data.region.output}"}`,
		1)+`
resource "terraform_data" "region" {
  input = "Europe"
}
`)
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "The change cannot be previewed: prod", "manifests[")
	if says(said, "warning", "Planned change") {
		t.Errorf("the plan shows a change: %+v", said)
	}
	if diff := w.diff(t, "apply", "-auto-approve"); !strings.Contains(diff, "\n+  REGION: Europe\n") {
		t.Errorf("the apply shows\n%s", diff)
	}
}

// If nobody changed anything, a refresh finds no drift. So drift detection does not report
// a workspace as drifted after each apply.
func TestAccGitOpsCommit_refreshIsQuiet(t *testing.T) {
	t.Parallel()
	plain, merged, proposed := transports["file"](t), newGitHub(t), newGitHub(t)
	for name, config := range map[string]func(family string) string{
		"direct": func(family string) string { return fleetHCL(plain, fleetOptions{family: family}) },
		"merged": func(family string) string {
			return merged.proposing(family, `auto_merge = "squash"; wait_for_merge = true`)
		},
		"proposed": func(family string) string { return proposed.proposing(family, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, "")
			for _, family := range []string{"blue", "green"} {
				w.applies(t, config(family))
			}
			w.mustRun(t, "plan", "-refresh-only", "-detailed-exitcode")
			w.mustRun(t, w.written(t, config("red"), "plan", "-out=saved")...)
			if out, _, err := w.run("show", "-json", "saved"); err != nil || strings.Contains(out, "resource_drift") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Three resources in one plan show three diffs.
func TestGitOpsCommit_severalDiffs(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	var config strings.Builder
	config.WriteString(fleetHCL(r, fleetOptions{}))
	for _, path := range []string{"a", "b"} {
		fmt.Fprintf(&config, "resource \"kalypso_gitops_commit\" %q {\n  environment = \"prod\"\n  manifests = local.fleet\n  path = %q\n}\n",
			path, path)
	}
	d := expectDirectly(t, config.String())
	for _, path := range []string{".", "a", "b"} {
		d.warns(t, "Planned change: prod in "+r.url+"#prod:"+path+": ")
	}
}

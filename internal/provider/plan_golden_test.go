// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the plans in testdata/plans as they look now")

// TestAccCLI_goldenPlans holds the text of the demo fleet's plans, as people
// review them, so that a change of what they see is reviewed too. It is the text
// of the pinned OpenTofu (make testacc CLI=tofu): each version of Terraform prints plans
// in its own way.
func TestAccCLI_goldenPlans(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, "", nil)
	if version, _, err := w.run("version"); err != nil || !strings.HasPrefix(version, "OpenTofu") {
		t.Skipf("not the pinned OpenTofu: %s", version)
	}
	if err := os.Remove(filepath.Join(w.dir, "versions.tf")); err != nil {
		t.Fatal(err)
	}
	example := filepath.Join("..", "..", "examples", "quickstart")
	for _, pattern := range []string{"*.tf", "templates/*"} {
		files, err := filepath.Glob(filepath.Join(example, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			name, err := filepath.Rel(example, file)
			if err != nil {
				t.Fatal(err)
			}
			w.write(t, name, readFile(t, file))
		}
	}
	w.write(t, "terraform.tfvars", fmt.Sprintf("gitops_repo = %q\n", r.url))

	w.compare(t, r, "create")
	w.mustRun(t, "apply", "-auto-approve")

	types := filepath.Join(w.dir, "cluster-types.tf")
	moved := strings.Replace(readFile(t, types), `size = "small"`, `size = "small", restricted = "true", edge = "true"`, 1)
	w.write(t, "cluster-types.tf", moved)
	w.compare(t, r, "label")
	w.mustRun(t, "apply", "-auto-approve")

	r.repo.CommitFiles(t, "dev", map[string][]byte{
		"drone/hello-world-app-functional-test/namespace.yaml": []byte("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: by-hand\n"),
		"large/stray.yaml": []byte("left: here\n"),
		"docs/notes.md":    []byte("not ours\n"),
	}, "by hand")
	w.compare(t, r, "drift")
}

// compare plans, and holds what the terminal shows against the golden file.
func (w workspace) compare(t *testing.T, r gitServer, name string) {
	t.Helper()
	text, _, err := w.run("plan")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	// What differs from one run, and one CLI, to the next.
	text = regexp.MustCompile(`(?s)^.*will perform the following actions:\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?s)\n─+\n.*$`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, r.url, "file:///gitops.git")
	text = regexp.MustCompile(`\b[0-9a-f]{40}\b`).ReplaceAllString(text, "<commit>")

	golden := filepath.Join("testdata", "plans", name+".txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, golden), text); diff != "" {
		t.Errorf("the plan %q looks different. If that is meant, run CLI=tofu scripts/with-acceptance go test ./internal/provider -run goldenPlans -update (-before +now):\n%s", name, diff)
	}
}

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

// TestAccCLI_goldenPlans holds the text of the demo fleet's plans, as people review them,
// so that a change of what they see is reviewed too.
func TestAccCLI_goldenPlans(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := quickstart(t, r, "")
	w.compare(t, r, "create", "plan")
	w.mustRun(t, "apply", "-auto-approve")

	types := filepath.Join(w.dir, "cluster-types.tf")
	moved := strings.Replace(readFile(t, types), `size = "small"`, `size = "small", restricted = "true", edge = "true"`, 1)
	w.write(t, "cluster-types.tf", moved)
	w.compare(t, r, "label", "plan")
	w.mustRun(t, "apply", "-auto-approve")

	var restore []func()
	for name, texts := range map[string][]string{"flux": {"name: edit", "name: view"}, "namespace": {"name: \"{{", "name: \"new-{{"}} {
		name = "templates/" + name + ".yaml.tmpl"
		before := readFile(t, filepath.Join(w.dir, name))
		w.write(t, name, strings.Replace(before, texts[0], texts[1], 1))
		restore = append(restore, func() { w.write(t, name, before) })
	}
	w.compare(t, r, "clusters", "plan")
	for _, each := range restore {
		each()
	}

	r.repo.CommitFiles(t, "dev", map[string][]byte{
		"drone/hello-world-app-functional-test/namespace.yaml": []byte("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: by-hand\n"),
		"large/stray.yaml": []byte("left: here\n"),
		"docs/notes.md":    []byte("not ours\n"),
	}, "by hand")
	w.compare(t, r, "drift", "plan")
	w.compare(t, r, "destroy", "plan", "-destroy")
}

func TestAccCLI_goldenProposal(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.repo.CommitFiles(t, "dev", map[string][]byte{"README.md": []byte("# GitOps\n")}, "first")
	w := quickstart(t, h.gitServer, "  pull_request {\n    labels = [\"fleet\"]\n  }\n")
	w.mustRun(t, "apply", "-auto-approve")
	h.server.Merge(t, h.only(t).Number, "squash")
	configs := filepath.Join(w.dir, "configs.yaml")
	w.write(t, "configs.yaml", strings.Replace(readFile(t, configs), "LOG_LEVEL: debug", "LOG_LEVEL: info", 1))
	w.compare(t, h.gitServer, "proposal", "plan")
}

// quickstart is a workspace with the example of that name, whose commit has these
// further settings.
func quickstart(t *testing.T, r gitServer, settings string) workspace {
	t.Helper()
	w := newWorkspace(t, "")
	if err := os.Remove(filepath.Join(w.dir, "versions.tf")); err != nil {
		t.Fatal(err)
	}
	example := filepath.Join("..", "..", "examples", "quickstart")
	for _, pattern := range []string{"*.tf", "*.yaml", "templates/*"} {
		files, err := filepath.Glob(filepath.Join(example, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			name, err := filepath.Rel(example, file)
			if err != nil {
				t.Fatal(err)
			}
			const commit = "  manifests   = local.fleet\n"
			w.write(t, name, strings.Replace(readFile(t, file), commit, commit+settings, 1))
		}
	}
	w.write(t, "terraform.tfvars", fmt.Sprintf("gitops_repo = %q\n", r.url))
	w.write(t, "provider.tf", r.provider)
	return w
}

// compare plans, and holds what the terminal shows against the golden file: Terraform and
// OpenTofu show the same.
func (w workspace) compare(t *testing.T, r gitServer, name string, args ...string) {
	t.Helper()
	text, _, err := w.run(args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	// What differs from one run to the next.
	text = regexp.MustCompile(`(?s)^.*will perform the following actions:\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?s)\n─+\n.*$`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, r.url, "file:///gitops.git")
	text = regexp.MustCompile(`\b[0-9a-f]{40}\b`).ReplaceAllString(text, "<commit>")
	text = regexp.MustCompile(` UTC [0-9a-f]{12} `).ReplaceAllString(text, " UTC <commit> ")
	text = regexp.MustCompile(`"[0-9a-f]{16}"`).ReplaceAllString(text, `"<instance>"`)
	text = regexp.MustCompile(`kalypso/dev/[0-9a-f]{12}\b`).ReplaceAllString(text, "kalypso/dev/<digits>")
	text = regexp.MustCompile(`\.kalypso/[0-9a-f]{16}`).ReplaceAllString(text, ".kalypso/<instance>")

	golden := filepath.Join("testdata", "plans", name+".txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, golden), text); diff != "" {
		t.Errorf("the plan %q looks different. If that is meant, run scripts/with-acceptance go test ./internal/provider -run golden -update "+
			"(-before +now):\n%s", name, diff)
	}
}

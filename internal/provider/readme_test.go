// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	readmeBlock   = regexp.MustCompile("(?ms)^```(hcl|text)\n(.*?)^```")
	readmePrinted = regexp.MustCompile(`(?m)^.*("[0-9a-f]{12}"|\d packages in|, by policy).*$`)
)

// The README shows the first plan of its quick start: each line with a digest, and the list of packages,
// is what the plan prints. Then it says what a label changes.
func TestAccCLI_readme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := readmeBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 || blocks[0][1] != "hcl" {
		t.Fatalf("the README has %d blocks of HCL and plans", len(blocks))
	}
	r := transports["file"](t)
	config := strings.ReplaceAll(blocks[0][2], "https://github.com/contoso/gitops", r.url)
	_, config, _ = strings.Cut(config, "\n}\n") // without the block terraform
	w := newWorkspace(t, config)
	if err := os.CopyFS(filepath.Join(w.dir, "fleet"), os.DirFS("../../examples/kalypso-yaml/fleet")); err != nil {
		t.Fatal(err)
	}
	shows := func(lines []string) {
		t.Helper()
		out, _, err := w.run("plan", "-no-color")
		if err != nil {
			t.Fatal(out)
		}
		plan := strings.Join(strings.Fields(out), " ")
		for _, line := range lines {
			if !strings.Contains(plan, strings.Join(strings.Fields(line), " ")) {
				t.Errorf("the plan does not print %q:\n%s", line, out)
			}
		}
	}
	printed := readmePrinted.FindAllString(blocks[1][2], -1)
	if len(printed) != 8 {
		t.Errorf("the README has %d lines of a plan", len(printed))
	}
	shows(printed)
	w.mustRun(t, applying...)
	const cloud = "fleet/cluster-types/cloud.yaml"
	w.write(t, cloud, strings.Replace(readFile(t, filepath.Join(w.dir, cloud)), "size: large\n", "size: large\n    edge: \"true\"\n", 1))
	shows([]string{"+ shop-checkout on cloud, by policy checkout-at-the-edge", "- shop-reporting on cloud"})
}

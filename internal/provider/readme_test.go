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
	readmeBlock  = regexp.MustCompile("(?ms)^```(hcl|text)\n(.*?)^```")
	readmeDigest = regexp.MustCompile(`"[0-9a-f]{12}"`)
)

// The README shows three plans of its quick start: the first one, one after a change of a
// label, and one that repairs an edit. Each line with a digest is what a plan prints.
func TestAccCLI_readme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := readmeBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 4 || blocks[0][1] != "hcl" {
		t.Fatalf("the README has %d blocks of HCL and plans", len(blocks))
	}
	r := transports["file"](t)
	config := strings.ReplaceAll(blocks[0][2], "https://github.com/contoso/gitops", r.url)
	_, config, _ = strings.Cut(config, "\n}\n") // without the block terraform
	w := newWorkspace(t, config)
	if err := os.CopyFS(filepath.Join(w.dir, "fleet"), os.DirFS("../../examples/kalypso-yaml/fleet")); err != nil {
		t.Fatal(err)
	}
	shows := func(block []string) {
		t.Helper()
		out, _, err := w.run("plan", "-no-color")
		if err != nil {
			t.Fatal(out)
		}
		plan, lines := strings.Fields(out), 0
		for line := range strings.Lines(block[2]) {
			if words := strings.Join(strings.Fields(line), " "); readmeDigest.MatchString(line) {
				lines++
				if !strings.Contains(strings.Join(plan, " "), words) {
					t.Errorf("no plan prints %q", words)
				}
			}
		}
		if lines == 0 {
			t.Errorf("no digest in\n%s", block[2])
		}
		if t.Failed() {
			t.Log(out)
		}
	}
	shows(blocks[1])
	w.mustRun(t, applying...)
	const edited, relabelled = "store-east/shop-checkout/reconciler.yaml", "fleet/cluster-types/cloud.yaml"
	r.edit(t, "dev", edited, strings.ReplaceAll(r.repo.Files(t, "dev")[edited], "interval: 30s", "interval: 24h"))
	shows(blocks[3])
	w.mustRun(t, applying...)
	w.write(t, relabelled, strings.Replace(readFile(t, filepath.Join(w.dir, relabelled)), "size: large\n", "size: large\n    edge: \"true\"\n",
		1))
	shows(blocks[2])
}

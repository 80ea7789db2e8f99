// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// diffPatch is a plan check that applies the planned diff to a clone of the
// branch with git itself.
type diffPatch struct {
	t *testing.T
	r gitServer
	// tree is what came out.
	tree string
}

func (p *diffPatch) CheckPlan(ctx context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != theCommit {
			continue
		}
		after, ok := change.Change.After.(map[string]any)
		text, known := after["diff"].(string)
		if !ok || !known {
			resp.Error = errors.New("the diff is not known")
			return
		}
		p.tree, resp.Error = p.apply(ctx, text)
		return
	}
	resp.Error = errors.New("no change of the commit is planned")
}

func (p *diffPatch) apply(ctx context.Context, text string) (string, error) {
	clone := filepath.Join(p.t.TempDir(), "clone")
	from := []string{"clone", "--quiet", "--branch", "prod", p.r.repo.Path(), clone}
	if p.r.repo.Head(p.t, "prod") == "" {
		from = []string{"init", "--quiet", clone}
	}
	patch := clone + ".patch"
	if err := os.WriteFile(patch, []byte(text), 0o600); err != nil {
		return "", err
	}
	var out []byte
	for _, args := range [][]string{from, {"-C", clone, "apply", "--index", patch}, {"-C", clone, "rm", "-r", "-q", "--cached", "--ignore-unmatch", ".kalypso"}, {"-C", clone, "write-tree"}} {
		var err error
		if out, err = gittest.Command(ctx, args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w\n%s\n%s", args, err, out, text)
		}
	}
	return strings.TrimSpace(string(out)), nil
}

// arrived checks that the branch holds what the diff had said, records aside.
func (p *diffPatch) arrived(*terraform.State) error {
	if got := p.r.repo.TreeWithout(p.t, "prod", ".kalypso"); got != p.tree {
		return fmt.Errorf("the branch holds the tree %s, and the planned diff leads to %s", got, p.tree)
	}
	return nil
}

// What a plan shows is what apply does: git, given the diff, makes the same tree.
func TestAccGitOpsCommit_diffIsWhatHappens(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	step := func(name, config string, before func()) resource.TestStep {
		p := &diffPatch{t: t, r: r}
		return resource.TestStep{
			PreConfig: before, Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{p}},
			Check: func(s *terraform.State) error {
				if err := p.arrived(s); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				return nil
			},
		}
	}
	commit := func(files map[string][]byte) func() {
		return func() { r.repo.CommitFiles(t, "prod", files, "by hand") }
	}
	all := "max_diff_lines = 100000"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			step("create", fleetHCL(r, fleetOptions{commit: all}), nil),
			step("a label", fleetHCL(r, fleetOptions{commit: all, family: "green"}), commit(map[string][]byte{"docs/index.md": []byte("# Docs\n")})),
			step("drift", fleetHCL(r, fleetOptions{commit: all, family: "green"}), commit(map[string][]byte{
				"large/web-live/reconciler.yaml": []byte("edited: by hand"), "large/batch-nightly/namespace.yaml": nil,
				"small/stray/deep/file.txt": []byte("stray\n"), "small/README.md": nil,
			})),
			step("drift and a change", fleetHCL(r, fleetOptions{commit: all, family: "red"}), commit(map[string][]byte{
				"large/web-live/namespace.yaml": nil, "large/web-live": []byte("a file\n"),
			})),
			step("a folder gone", fleetHCL(r, fleetOptions{commit: all, family: "red"}), commit(map[string][]byte{
				"small/README.md": nil, "small/web-live/namespace.yaml": nil, "small/web-live/platform-config.yaml": nil, "small/web-live/reconciler.yaml": nil,
			})),
			step("promoted", promotedHCL(r, promoted, all+"\n"), nil),
			step("promoted, edited", promotedHCL(r, strings.Repeat("ab", 20), all+"\n"), commit(map[string][]byte{trackingPath: []byte("edited")})),
			step("smaller", fleetHCL(r, fleetOptions{commit: all, withoutBatch: true, withoutSmall: true}), nil),
			step("another path", fleetHCL(r, fleetOptions{commit: all + "\n  on_removal = \"retain\"\n  path = \"fleet/prod\""}), nil),
		},
	})
}

func TestAccGitOpsCommit_diffText(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	diff := func(check knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("diff"), check)
	}
	matches := func(pattern string) knownvalue.Check { return knownvalue.StringRegexp(regexp.MustCompile(pattern)) }
	imported := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", theCommit, r.url+"#prod:.")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{ // Cut at the end of a file.
				Config:           fleetHCL(r, fleetOptions{commit: "max_diff_lines = 20\n  on_removal = \"retain\""}),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate, diff(matches(`(?s)^diff --git a/large/README.md.*\n\(left out: \d+ lines of 10 files\)\n$`))),
			},
			{ // Refresh empties it, and nothing else.
				RefreshState: true,
				Check:        resource.TestCheckNoResourceAttr(theCommit, "diff"),
			},
			{ // A value that changes, as git shows it.
				Config: fleetHCL(r, fleetOptions{family: "green", withoutBatch: true, commit: `on_removal = "retain"`}),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, diff(matches(
					`(?s)deleted file mode 100644.*\n-    family: blue\n\+    family: green\n`))),
			},
			{Config: r.provider},
			{ // After an import, what was there is known too.
				Config:           fleetHCL(r, fleetOptions{family: "red", withoutBatch: true}) + imported,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, diff(matches(`(?s)\n-    family: green\n\+    family: red\n`))),
			},
		},
	})
}

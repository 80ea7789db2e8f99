// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

func TestAccGitOpsCommit_promotedCommit(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	other := strings.Repeat("ab", 20)
	edited := map[string][]byte{trackingPath: []byte("edited")}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: promotedHCL(r, promoted, ""), Check: expectTracking(t, r, promoted)},
			{ // Set by hand, it replaces the BaseRepo's.
				Config:           promotedHCL(r, promoted, fmt.Sprintf("promoted_commit = %q", other)),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~1 -0 files beside the packages")),
				Check:            expectTracking(t, r, other),
			},
			{ // An edit is drift.
				PreConfig:        func() { r.repo.CommitFiles(t, "prod", edited, "edited") },
				Config:           promotedHCL(r, promoted, fmt.Sprintf("promoted_commit = %q", other)),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				Check:            expectTracking(t, r, other),
			},
			{ // Where none is known any more, the file goes.
				Config:           fleetHCL(r, fleetOptions{}),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~0 -1 files beside the packages")),
				Check:            expectTracking(t, r, ""),
			},
			{Config: promotedHCL(r, promoted, ""), Check: expectTracking(t, r, promoted)},
			{ // Left to others, it stays as it is.
				Config:           promotedHCL(r, promoted, `promoted_commit = ""`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				Check:            resource.ComposeTestCheckFunc(expectTracking(t, r, promoted), expectCommits(t, r, 6)),
			},
			{
				PreConfig:        func() { r.repo.CommitFiles(t, "prod", edited, "theirs") },
				Config:           promotedHCL(r, promoted, `promoted_commit = ""`),
				ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				Check:            expectTracking(t, r, "edited"),
			},
			{
				Config:      promotedHCL(r, promoted, ""),
				ExpectError: regexp.MustCompile(`(?s)already\s+holds.*Promoted_Commit_Id.*promoted_commit\s+=\s+""`),
			},
			{Config: r.provider, Check: expectTracking(t, r, "edited")},
		},
	})
}

// The promoted commit's file is guarded between plan and apply as folders are.
func TestAccCLI_trackingConflict(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newWorkspace(t, promotedHCL(r, promoted, ""), nil)
	w.mustRun(t, "apply", "-auto-approve")
	for _, change := range []struct {
		name, config string
		flags        []string
	}{
		{"another commit", promotedHCL(r, strings.Repeat("cd", 20), ""), nil},
		{"a setting", promotedHCL(r, promoted, `on_destroy = "retain"`), []string{"-refresh=false"}},
		{"no commit", fleetHCL(r, fleetOptions{}), nil},
	} {
		w.write(t, "main.tf", change.config)
		w.mustRun(t, slices.Concat([]string{"plan", "-out=saved"}, change.flags)...)
		head := r.repo.CommitFiles(t, "prod", map[string][]byte{trackingPath: []byte(change.name)}, "in between")
		if out, _, err := w.run("apply", "saved"); err == nil || !strings.Contains(out, "Plan again") || !strings.Contains(out, "Promoted_Commit_Id") {
			t.Errorf("%s: want an error that names the file, got %v:\n%s", change.name, err, out)
		}
		if now := r.repo.Head(t, "prod"); now != head {
			t.Errorf("%s: something was written", change.name)
		}
		w.mustRun(t, "apply", "-auto-approve")
	}
	if err := expectTracking(t, r, "")(nil); err != nil {
		t.Error(err)
	}
}

// An import cannot know whose the promoted commit's file is: it is only changed
// where the fleet has such a commit.
func TestAccGitOpsCommit_importLeavesTracking(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	imported := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", theCommit, r.url+"#prod:.")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: promotedHCL(r, promoted, `on_destroy = "retain"`)},
			{Config: r.provider},
			{
				Config: fleetHCL(r, fleetOptions{}) + imported,
				Check:  resource.ComposeTestCheckFunc(expectTracking(t, r, promoted), expectCommits(t, r, 1)),
			},
			{Config: r.provider, Check: expectTracking(t, r, promoted)},
		},
	})
}

// An executable file with the right content is right.
func TestAccGitOpsCommit_executableTracking(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: promotedHCL(r, promoted, "")},
			{
				PreConfig: func() { r.repo.CommitExecutable(t, "prod", trackingPath) },
				Config:    promotedHCL(r, promoted, `on_destroy = "retain"`),
				Check:     expectCommits(t, r, 2),
			},
		},
	})
}

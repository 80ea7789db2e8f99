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
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

const (
	trackingPath = ".github/tracking/Promoted_Commit_Id"
	promoted     = "0123456789abcdef0123456789abcdef01234567"
)

// expectTracking checks the promoted commit's file; empty means that there is none.
func expectTracking(t *testing.T, r remote, want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := r.repo.Files(t, "prod")[trackingPath]; got != want {
			return fmt.Errorf("%s holds %q, want %q", trackingPath, got, want)
		}
		return nil
	}
}

// promotedHCL is the fixture fleet with a BaseRepo "main" at a commit.
func promotedHCL(r remote, commit, more string) string {
	fleet := fleetHCL(r, fleetOptions{commit: more})
	return strings.Replace(fleet, "manifests   = local.fleet", "manifests   = concat(local.fleet, [kalypso_base_repo.main.manifest])", 1) + fmt.Sprintf(`
resource "kalypso_base_repo" "main" {
  name   = "main"
  repo   = "https://git.example/control-plane"
  branch = "main"
  commit = %q
}
`, commit)
}

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
			{ // None at all removes what we have written.
				Config:           promotedHCL(r, promoted, `promoted_commit = ""`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~0 -1 files beside the packages")),
				Check:            expectTracking(t, r, ""),
			},
			{ // Then it is nobody's but theirs.
				PreConfig:        func() { r.repo.CommitFiles(t, "prod", edited, "theirs") },
				Config:           promotedHCL(r, promoted, `promoted_commit = ""`),
				ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				Check:            expectTracking(t, r, "edited"),
			},
			{
				Config:      promotedHCL(r, promoted, ""),
				ExpectError: regexp.MustCompile(`(?s)Promoted_Commit_Id.*exists.*promoted_commit\s+=\s+""`),
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
		{"no commit", promotedHCL(r, promoted, `promoted_commit = ""`), nil},
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

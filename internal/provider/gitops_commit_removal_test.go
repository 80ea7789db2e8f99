// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// emptiedMark begins the README.md of a folder that was emptied.
const emptiedMark = "<!-- emptied by terraform-provider-kalypso -->"

// docs is a file of somebody else, which nothing here may lose.
var docs = map[string][]byte{"docs/index.md": []byte("# Docs\n")}

var (
	applying   = []string{"apply", "-auto-approve"}
	planning   = []string{"plan"}
	destroying = []string{"destroy", "-auto-approve"}
)

// on_removal counts wherever a folder is no longer wanted: where its cluster type leaves
// the fleet, on a destroy, and at the old place of a move. Then everything comes back.
func TestAccCLI_onRemoval(t *testing.T) {
	t.Parallel()
	for name, occasion := range map[string]struct {
		after fleetOptions
		args  []string
		// left are the files of the branch that are no longer wanted, and come are those
		// that are then.
		left, come []string
		// packages has the files whose packages the state has then.
		packages []string
	}{
		"a cluster type leaves": {
			after: fleetOptions{withoutSmall: true}, args: applying,
			left: withoutPrefix(fixtureFiles, "large/"), come: withoutPrefix(fixtureFiles, "small/"), packages: withoutPrefix(fixtureFiles, "small/"),
		},
		"destroy": {args: destroying, left: fixtureFiles},
		"another path": {
			after: fleetOptions{commit: `path = "fleet"`}, args: applying,
			left: fixtureFiles, come: below("fleet", fixtureFiles), packages: fixtureFiles,
		},
		"another branch": {after: fleetOptions{commit: `branch = "next"`}, args: applying, left: fixtureFiles, packages: fixtureFiles},
	} {
		for _, removal := range []string{"empty", "delete", "retain", "forbid"} {
			t.Run(name+", "+removal, func(t *testing.T) {
				t.Parallel()
				r := transports["file"](t)
				r.repo.CommitFiles(t, "prod", docs, "foreign")
				config := func(o fleetOptions) string {
					o.commit += fmt.Sprintf("\n  max_diff_lines = 0\n  on_removal = %q", removal)
					return fleetHCL(r, o)
				}
				w := newWorkspace(t, config(fleetOptions{}), nil)
				w.mustRun(t, applying...)
				before, head := packageFiles(t, r, "prod"), r.repo.Head(t, "prod")

				w.write(t, "main.tf", config(occasion.after))
				if removal == "forbid" {
					w.fails(t, occasion.args, "Removal is forbidden", "on_removal")
					if now := r.repo.Head(t, "prod"); now != head {
						t.Errorf("the branch moved from %s to %s", head, now)
					}
					return
				}
				w.mustRun(t, occasion.args...)
				expectLeft(t, r, removal, before, occasion.left, occasion.come)
				keys, exists := w.packages(t, theCommit)
				if diff := cmp.Diff(packagesOf(occasion.packages), keys); diff != "" {
					t.Errorf("packages (-want +got):\n%s", diff)
				}
				if exists {
					w.mustRun(t, "plan", "-detailed-exitcode")
				}

				// What was retained, emptied or deleted is in nobody's way.
				w.write(t, "main.tf", config(fleetOptions{}))
				w.mustRun(t, applying...)
				after := packageFiles(t, r, "prod")
				maps.DeleteFunc(after, func(file, _ string) bool { return strings.HasPrefix(file, "fleet/") })
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("files once everything is wanted again (-want +got):\n%s", diff)
				}
				w.mustRun(t, "plan", "-detailed-exitcode")
			})
		}
	}
}

// expectLeft checks that of the files before, those that are left are as on_removal says,
// that others have come, and that these alone are claimed.
func expectLeft(t *testing.T, r gitServer, removal string, before map[string]string, left, come []string) {
	t.Helper()
	got, want := packageFiles(t, r, "prod"), map[string]string{"docs/index.md": "# Docs\n"}
	for _, file := range come {
		want[file] = before[strings.TrimPrefix(file, "fleet/")]
	}
	for _, file := range left {
		switch {
		case removal == "retain":
			want[file] = before[file]
		case removal == "empty" && strings.HasSuffix(file, "/README.md"):
			if want[file] = got[file]; !strings.HasPrefix(got[file], emptiedMark+"\n") {
				t.Errorf("%s has no mark:\n%s", file, got[file])
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var folders []string
	for _, file := range come {
		if folder, found := strings.CutSuffix(file, "/README.md"); found {
			folders = append(folders, folder)
		}
	}
	if claimed := recorded(t, r); !slices.Equal(claimed, folders) {
		t.Errorf("claimed are %q, want %q", claimed, folders)
	}
}

// packagesOf returns the folders of these files, and README.md: the keys of packages.
func packagesOf(files []string) []string {
	keys := map[string]bool{}
	for _, file := range files {
		if dir, name := file[:strings.LastIndex(file, "/")], file[strings.LastIndex(file, "/"):]; name == "/README.md" {
			keys[file] = true
		} else {
			keys[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// on_removal = "forbid", limits.protect and hold bind destroying and replacing, in
// whichever order Terraform would do it, and removing the resource from the configuration.
func TestAccCLI_guards(t *testing.T) {
	t.Parallel()
	for name, guard := range map[string]struct{ setting, says string }{
		"forbid":  {`on_removal = "forbid"`, "Removal is forbidden"},
		"protect": {"limits {\n protect = [\"*/web-*\"]\n}", "limits.protect keeps packages large/web-live, small/web-live"},
		"hold":    {`hold = true`, "while hold = true"},
	} {
		for _, first := range []string{"create", "destroy"} {
			t.Run(name+", "+first+" first", func(t *testing.T) {
				t.Parallel()
				r := transports["file"](t)
				config := func(setting, trigger string) string {
					fleet := fleetHCL(r, fleetOptions{commit: fmt.Sprintf("max_diff_lines = 0\n  %s\n  lifecycle {\n    replace_triggered_by = [terraform_data.trigger]\n    create_before_destroy = %t\n  }", setting, first == "create")})
					// A replacement that is triggered does not know its fleet either.
					return strings.Replace(fleet, `"Europe"`, "terraform_data.trigger.output", 1) + fmt.Sprintf("resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n", trigger)
				}
				w := newWorkspace(t, config("", "one"), nil)
				w.mustRun(t, applying...)
				w.write(t, "main.tf", config(guard.setting, "one"))
				w.mustRun(t, applying...)
				head := r.repo.Head(t, "prod")

				w.fails(t, destroying, guard.says, "must not be destroyed")
				w.fails(t, []string{"apply", "-auto-approve", "-replace=" + theCommit}, guard.says, "must not be replaced")
				w.write(t, "main.tf", config(guard.setting, "two"))
				w.fails(t, applying, guard.says, "must not be replaced")
				w.write(t, "main.tf", config("", "two")) // what was applied counts
				w.fails(t, applying, guard.says, "must not be replaced")
				w.write(t, "main.tf", strings.Replace(config(guard.setting, "one"), `"kalypso_gitops_commit" "prod"`, `"kalypso_gitops_commit" "renamed"`, 1))
				w.fails(t, applying, guard.says, "must not be destroyed")
				if now := r.repo.Head(t, "prod"); now != head {
					t.Errorf("the branch moved from %s to %s", head, now)
				}

				// Once the guard is taken away, it can be destroyed.
				w.write(t, "main.tf", config("", "one"))
				w.mustRun(t, applying...)
				w.mustRun(t, destroying...)
				if err := expectPaths(t, r)(nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A replacement takes nothing out of the branch in between, whichever half comes first
// and however many things Terraform does at once.
func TestAccCLI_replaceWithoutGap(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"create", "destroy"} {
		for _, parallelism := range []string{"1", "10"} {
			t.Run(first+" first, "+parallelism+" at once", func(t *testing.T) {
				t.Parallel()
				r := transports["file"](t)
				config := func(family string) string {
					return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("max_diff_lines = 0\n  on_removal = \"empty\"\n  lifecycle {\n    replace_triggered_by = [kalypso_workload.web]\n    create_before_destroy = %t\n  }", first == "create")})
				}
				w := newWorkspace(t, config("blue"), nil)
				w.mustRun(t, applying...)
				w.mustRun(t, "apply", "-auto-approve", "-parallelism="+parallelism, "-replace="+theCommit)
				w.mustRun(t, "plan", "-detailed-exitcode")
				w.write(t, "main.tf", config("green"))
				w.mustRun(t, "apply", "-auto-approve", "-parallelism="+parallelism)
				w.mustRun(t, "plan", "-detailed-exitcode")
				expectAlways(t, r, fixtureFiles...)
				if text := r.repo.Files(t, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: green") {
					t.Errorf("the change did not arrive:\n%s", text)
				}
				if claimed := recorded(t, r); !slices.Equal(claimed, []string{"large", "small"}) {
					t.Errorf("claimed are %q", claimed)
				}
			})
		}
	}
}

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

// docs is a foreign file, which no test may lose.
var docs = map[string][]byte{"docs/index.md": []byte("# Docs\n")}

var (
	applying   = []string{"apply", "-auto-approve"}
	planning   = []string{"plan"}
	destroying = []string{"destroy", "-auto-approve"}
)

// Folders that are no longer wanted are emptied, deleted, retained, or protected from
// removal, as on_removal says. Each row has another occasion. The tests of publish combine
// all occasions with each value.
func TestAccCLI_onRemoval(t *testing.T) {
	t.Parallel()
	withoutReadme := withoutPrefix(fixtureFiles, "small/")
	for removal, test := range map[string]struct {
		after fleetOptions
		args  []string
		// want are the files of the branch then, and packages has the files whose packages
		// the state has; fails is what an error says.
		want, packages []string
		fails          string
	}{
		"empty": {after: fleetOptions{withoutSmall: true}, args: applying, want: append(withoutReadme, "small/README.md"),
			packages: withoutReadme},
		"delete": {after: fleetOptions{commit: `path = "fleet"`}, args: applying, want: below("fleet", fixtureFiles), packages: fixtureFiles},
		"retain": {args: destroying, want: fixtureFiles},
		"forbid": {args: destroying, want: fixtureFiles, packages: fixtureFiles, fails: "Removal is forbidden"},
	} {
		t.Run(removal, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			config := func(o fleetOptions) string {
				o.commit += fmt.Sprintf("\n  on_removal = %q", removal)
				return fleetHCL(r, o)
			}
			w := newWorkspace(t, config(fleetOptions{}))
			w.mustRun(t, applying...)
			before := r.repo.Files(t, "prod")
			if w.write(t, "main.tf", config(test.after)); test.fails != "" {
				w.fails(t, test.args, test.fails, "on_removal")
				if diff := cmp.Diff(before, r.repo.Files(t, "prod")); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				return
			}
			w.mustRun(t, test.args...)
			expectFiles(t, r, "prod", test.want...)
			if emptied := strings.HasPrefix(r.repo.Files(t, "prod")["small/README.md"], emptiedMark+"\n"); emptied != (removal == "empty") {
				t.Errorf("the folder small is emptied: %t", emptied)
			}
			kept, exists := w.kept(t, theCommit)
			if diff := cmp.Diff(packagesOf(test.packages), slices.Sorted(maps.Keys(kept.Packages))); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			if exists {
				w.settled(t)
			}
			// Retained, emptied or deleted folders block no other resource.
			w.mustRun(t, w.written(t, config(fleetOptions{}), applying...)...)
			if diff := cmp.Diff(packageContents(before), packageContents(r.repo.Files(t, "prod"))); diff != "" {
				t.Errorf("files once everything is wanted again (-want +got):\n%s", diff)
			}
		})
	}
}

// packageContents are files without records.
func packageContents(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasPrefix(path, ".kalypso/") })
	return files
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

// on_removal = "forbid" and limits.protect bind destroying, and removing the resource from
// the configuration.
func TestAccCLI_guards(t *testing.T) {
	t.Parallel()
	for name, guard := range map[string]struct{ first, setting, says string }{
		"forbid":  {"create", `on_removal = "forbid"`, "Removal is forbidden"},
		"protect": {"destroy", "limits {\n protect = [\"*/web-*\"]\n}", "web-live: 2 cluster types (large, small)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			config := func(setting, trigger string) string {
				fleet := fleetHCL(r, fleetOptions{commit: fmt.Sprintf("%s\n  lifecycle {\n    replace_triggered_by = "+
					"[terraform_data.trigger]\n    create_before_destroy = %t\n  }", setting, guard.first == "create")})
				// A replacement that is triggered does not know its fleet either.
				return strings.Replace(fleet, `"Europe"`, "terraform_data.trigger.output", 1) +
					fmt.Sprintf("resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n", trigger)
			}
			w := newWorkspace(t, config(guard.setting, "one"))
			w.mustRun(t, applying...)
			head := r.repo.Head(t, "prod")
			w.fails(t, destroying, guard.says, "must not be destroyed")
			w.fails(t, w.written(t, called("renamed", config(guard.setting, "one")), applying...), guard.says, "must not be destroyed",
				"add a moved block")
			if now := r.repo.Head(t, "prod"); now != head {
				t.Errorf("the branch moved from %s to %s", head, now)
			}
		})
	}
}

// A replacement takes nothing out of the branch in between, whichever half comes first
// and however many things Terraform does at once.
func TestAccCLI_replaceWithoutGap(t *testing.T) {
	t.Parallel()
	for first, parallelism := range map[string]string{"create": together, "destroy": inTurn} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			config := func(family string) string {
				return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("on_removal = \"empty\"\n  lifecycle {\n    "+
					"replace_triggered_by = [kalypso_workload.web]\n    create_before_destroy = %t\n  }", first == "create")})
			}
			w := newWorkspace(t, "")
			w.applies(t, config("blue"))
			w.applies(t, config("blue"), parallelism, "-replace="+theCommit)
			w.applies(t, config("green"), parallelism)
			expectNeverGone(t, r.repo, "prod", fixtureFiles...)
			expectOwned(t, w, r, "prod", "green")
		})
	}
}

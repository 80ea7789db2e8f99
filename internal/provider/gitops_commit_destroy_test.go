// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A plan that destroys says of each resource what is removed, and from where.
func TestAccCLI_destroyIsPlanned(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := alsoIn(fleetHCL(r, fleetOptions{commit: "for_each = toset([\"a\", \"b\"])\n  path = each.key"}),
		"stage", fmt.Sprintf("repo = %q\n  branch = \"stage\"", r.url))
	w := newWorkspace(t, config, nil)
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"},
		fmt.Sprintf("Warning: Removes 3 packages in 2 cluster types: prod in %s#prod:a", r.url), "Their folders are deleted",
		fmt.Sprintf("Warning: Removes 3 packages in 2 cluster types: prod in %s#prod:b", r.url),
		fmt.Sprintf("Warning: Removes 2 packages in 2 cluster types: stage in %s#stage", r.url), "Their folders stay with a README.md alone")
	// Removing one from the configuration says it of that one alone.
	w.write(t, "main.tf", strings.Replace(config, `["a", "b"]`, `["a"]`, 1))
	out, _, err := w.run("plan")
	if w.says(t, out, "Removes 3 packages in 2 cluster types: prod in "); err != nil || strings.Count(out, "Warning: Removes") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	w.write(t, "main.tf", strings.Replace(config, `"delete"`, `"retain"`, 1))
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"}, "Warning: Leaves 3 packages in 2 cluster types as they are: prod", "stay in")
}

// A fleet that cannot be computed keeps Terraform from its destroy, which begins with an
// ordinary plan. The error says how to do it nevertheless.
func TestAccCLI_destroyBrokenFleet(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	config := fleetHCL(r, fleetOptions{})
	w := newWorkspace(t, config, nil)
	w.mustRun(t, applying...)
	w.write(t, "main.tf", strings.Replace(config, "reconciler        = kalypso_template.reconciler.name", "reconciler = \"nothing\"", 1))
	w.fails(t, destroying, `"nothing"`, "add -refresh=false to terraform destroy")
	w.mustRun(t, append(destroying, "-refresh=false")...)
	if err := expectPaths(t, r, "docs/index.md")(nil); err != nil {
		t.Error(err)
	}
	if claimed := recorded(t, r); len(claimed) > 0 {
		t.Errorf("claimed are %q", claimed)
	}
}

// Where the repository is gone there is nothing to remove, and the error says how to let
// go of it.
func TestAccCLI_destroyRepositoryGone(t *testing.T) {
	t.Parallel()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transport(t)
			w := newWorkspace(t, fleetHCL(r, fleetOptions{}), nil)
			w.mustRun(t, applying...)
			if err := os.RemoveAll(r.onDisk().Path()); err != nil {
				t.Fatal(err)
			}
			w.fails(t, destroying, "terraform state rm")
			w.fails(t, append(destroying, "-refresh=false"), "terraform state rm")
			w.mustRun(t, "state", "rm", theCommit)
			w.mustRun(t, destroying...)
		})
	}
}

// A resource that is created on hold writes nothing until hold is taken away.
func TestAccCLI_createOnHold(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{commit: "hold = true"}), nil)
	w.succeeds(t, applying, "The environment is on hold: prod in")
	w.mustRun(t, "plan", "-detailed-exitcode")
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green", commit: "hold = true"}))
	w.succeeds(t, applying, "The environment is on hold: prod in")
	if head := r.repo.Head(t, "prod"); head != "" {
		t.Errorf("something was written: %s", head)
	}
	if keys, exists := w.packages(t, theCommit); !exists || len(keys) > 0 {
		t.Errorf("packages %q", keys)
	}
	w.fails(t, destroying, "while hold = true")
	w.write(t, "main.tf", fleetHCL(r, fleetOptions{family: "green"}))
	w.succeeds(t, planning, "+3 ~0 -0 packages in 2 cluster types")
	w.mustRun(t, applying...)
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Error(err)
	}
	w.mustRun(t, "plan", "-detailed-exitcode")
	w.mustRun(t, destroying...)
	if err := expectPaths(t, r)(nil); err != nil {
		t.Error(err)
	}
}

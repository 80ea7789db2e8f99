// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A plan that destroys lists for each resource the removed packages and their place.
func TestAccCLI_destroyIsPlanned(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := alsoIn(fleetHCL(r, fleetOptions{commit: "for_each = toset([\"a\", \"b\"])\n  path = each.key"}),
		"stage", fmt.Sprintf("repo = %q\n  branch = \"stage\"", r.url))
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"},
		fmt.Sprintf("Warning: Removes 3 packages in 2 cluster types: prod in %s#prod:a", r.url), "Their folders are deleted",
		fmt.Sprintf("Warning: Removes 3 packages in 2 cluster types: prod in %s#prod:b", r.url),
		fmt.Sprintf("Warning: Removes 2 packages in 2 cluster types: stage in %s#stage", r.url), "Their folders keep only a README.md")
	// Removing one from the configuration says it of that one alone.
	w.write(t, "main.tf", strings.Replace(config, `["a", "b"]`, `["a"]`, 1))
	out, _, err := w.run("plan")
	if w.says(t, out, "Removes 3 packages in 2 cluster types: prod in "); err != nil || strings.Count(out, "Warning: Removes") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	w.write(t, "main.tf", strings.Replace(config, `"delete"`, `"retain"`, 1))
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"}, "Warning: Leaves 3 packages in 2 cluster types unchanged: prod", "stay in")
}

// A fleet that cannot be computed keeps Terraform from its destroy, which begins with an
// ordinary plan. The guide "Operate and repair" says that -refresh=false helps.
func TestAccCLI_destroyBrokenFleet(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	config := fleetHCL(r, fleetOptions{})
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.write(t, "main.tf", strings.Replace(config, "reconciler        = kalypso_template.reconciler.name", "reconciler = \"nothing\"", 1))
	w.fails(t, destroying, `"nothing"`)
	w.mustRun(t, append(destroying, "-refresh=false")...)
	if err := expectPaths(t, r, "docs/index.md")(nil); err != nil {
		t.Error(err)
	}
	if all := records(t, r.repo, "prod"); len(all) > 0 {
		t.Errorf("records %v", all)
	}
}

// If the repository is gone there is nothing to remove, and the error says how to forget
// the resource.
func TestAccCLI_destroyRepositoryGone(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{}))
	w.mustRun(t, applying...)
	if err := os.RemoveAll(r.onDisk().Path()); err != nil {
		t.Fatal(err)
	}
	w.fails(t, destroying, "terraform state rm")
	w.fails(t, append(destroying, "-refresh=false"), "terraform state rm")
	w.forget(t, theCommit)
	w.mustRun(t, destroying...)
}

// A resource that is created on hold writes nothing until the hold is removed.
func TestAccCLI_createOnHold(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newWorkspace(t, fleetHCL(r, fleetOptions{commit: "hold = true"}))
	w.succeeds(t, applying, "The environment is on hold: prod in")
	w.settled(t)
	if head := r.repo.Head(t, "prod"); head != "" {
		t.Errorf("something was written: %s", head)
	}
	if kept, exists := w.kept(t, theCommit); !exists || len(kept.Packages) > 0 {
		t.Errorf("packages %q", kept.Packages)
	}
	w.fails(t, destroying, "while hold = true")
	w.succeeds(t, w.written(t, fleetHCL(r, fleetOptions{family: "green"}), applying...), "+3 ~0 -0 packages in 2 cluster types")
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Error(err)
	}
	w.succeeds(t, w.written(t, fleetHCL(r, fleetOptions{family: "red", commit: "hold = true"}), applying...), "The environment is on hold: "+
		"prod in")
	w.settled(t)
	if text := r.repo.Files(t, "prod")["large/web-live/reconciler.yaml"]; !strings.Contains(text, "family: green") {
		t.Errorf("it was written on hold:\n%s", text)
	}
}

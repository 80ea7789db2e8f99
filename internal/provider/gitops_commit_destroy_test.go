// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A plan that destroys says for each resource what happens to how many packages.
func TestAccCLI_destroyIsPlanned(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := alsoIn(fleetHCL(r, fleetOptions{commit: "for_each = toset([\"a\", \"b\"])\n  path = each.key\n  on_destroy = \"delete\""}),
		"stage", fmt.Sprintf("repo = %q\n  branch = \"stage\"\n  on_destroy = \"empty\"", r.url))
	w := newWorkspace(t, config)
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"},
		fmt.Sprintf("Warning: Destroying removes 3 packages: prod in %s#prod:a", r.url), "with their folders",
		fmt.Sprintf("Warning: Destroying removes 3 packages: prod in %s#prod:b", r.url),
		fmt.Sprintf("Warning: Destroying removes 2 packages: stage in %s#stage", r.url), "each folder keeps only a README.md")
	// Removing one from the configuration says it of that one alone.
	w.write(t, "main.tf", strings.Replace(config, `["a", "b"]`, `["a"]`, 1))
	out, _, err := w.run("plan")
	if w.says(t, out, "Destroying removes 3 packages: prod in "); err != nil || strings.Count(out, "Warning: Destroying") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	w.write(t, "main.tf", strings.Replace(config, `on_destroy = "delete"`, "", 1))
	w.mustRun(t, applying...)
	w.succeeds(t, []string{"plan", "-destroy"}, "Warning: Destroying releases 3 packages: prod", "stay in")
}

// A fleet that cannot be computed keeps Terraform from its destroy, which begins with an
// ordinary plan. The guide "Operate and repair" says that -refresh=false helps.
func TestAccCLI_destroyBrokenFleet(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", docs, "foreign")
	config := fleetHCL(r, fleetOptions{commit: `on_destroy = "delete"`})
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
	w := newWorkspace(t, "")
	unknown := strings.Replace(fleetHCL(r, fleetOptions{commit: fmt.Sprintf("hold = true\n  repo = %q\n  branch = \"prod\"\n  "+
		"fail_on = [terraform_data.later.output.code]\n  limits {\n    max_removed = terraform_data.later.output.amount\n  }", r.url)}),
		"{REGION: Europe}", `{REGION: "${terraform_data.later.output.code}"}`, 1) +
		"resource \"terraform_data\" \"later\" {\n  input = { code = \"NOT_PROMOTED\", amount = \"7\" }\n}\n"
	w.succeeds(t, w.written(t, unknown, applying...), "The environment is on hold: prod in")
	w.settled(t)
	if head := r.repo.Head(t, "prod"); head != "" {
		t.Errorf("something was written: %s", head)
	}
	if kept, exists := w.kept(t, theCommit); !exists || len(kept.Packages) > 0 || kept.Status != "held" {
		t.Errorf("packages %q", kept.Packages)
	}
	w.mustRun(t, destroying...) // there is nothing of the resource in the branch
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

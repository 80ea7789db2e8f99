// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// Another place is an update, never a replacement, even if a replacement would create
// before it destroys. Another spelling of a place is still the same place.
func TestAccGitOpsCommit_moves(t *testing.T) {
	t.Parallel()
	from, to := transports["file"](t), transports["file"](t)
	to.repo.CommitFiles(t, "docs", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "docs")
	config := func(attributes string) string {
		return fleetHCL(from, fleetOptions{commit: attributes + "\n  lifecycle {\n    create_before_destroy = true\n  }"})
	}
	at := func(repo, path string) string { return config(fmt.Sprintf("repo = %q\n  path = %q", repo, path)) }
	digest := knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{12}$`))
	known := func(name string, value knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New(name), value)
	}
	inSteps(t,
		resource.TestStep{
			Config: config("detail = \"cluster_type\"\n  path = \"fleet/prod\""),
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate, summary("+2 ~0 -0 cluster types"),
				known("packages", knownvalue.MapExact(map[string]knownvalue.Check{"large": digest, "small": digest}))),
			Check: expectPaths(t, from, below("fleet/prod", fixtureFiles)...),
		},
		resource.TestStep{
			Config: at(to.url, "fleet"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+3 ~0 -0 packages in 2 cluster types"),
				known("id", knownvalue.StringExact(to.url+"#prod:fleet")), known("repo", knownvalue.StringExact(to.url)),
				known("branch", knownvalue.StringExact("prod"))),
			Check: resource.ComposeTestCheckFunc(expectPaths(t, to, below("fleet", fixtureFiles)...), expectPaths(t, from)),
		},
		resource.TestStep{
			Config: at(to.onDisk().Path()+"/", "./fleet/"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, known("packages", fixturePackages()),
				known("path", knownvalue.StringExact("./fleet/"))),
			Check: resource.ComposeTestCheckFunc(expectPaths(t, to, below("fleet", fixtureFiles)...), expectCommits(t, to, 1)),
		},
		resource.TestStep{Config: at(to.onDisk().Path()+"/", "./fleet/"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		resource.TestStep{
			Config:           config(fmt.Sprintf("repo = %q\n  branch = \"next\"\n  create_branch_from = \"docs\"", to.url)),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(expectPaths(t, to), check(func() error {
				if files := to.repo.Files(t, "next"); files["docs/index.md"] == "" || files["large/README.md"] == "" {
					return fmt.Errorf("the new branch holds %v", files)
				}
				return nil
			})),
		},
	)
}

// A place that is known only after apply is judged then.
func TestAccGitOpsCommit_unknownPlace(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(path, family string) string {
		return fleetHCL(r, fleetOptions{family: family, commit: "path = terraform_data.path.output"}) +
			fmt.Sprintf("resource \"terraform_data\" \"path\" {\n  input = %q\n  triggers_replace = %q\n}\n", path, family)
	}
	inSteps(t, []resource.TestStep{
		{Config: config("a", "blue"), Check: expectPaths(t, r, below("a", fixtureFiles)...)},
		{ // Unknown, and the same in the end.
			Config:           config("a", "green"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("id"))),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("summary"),
				knownvalue.StringExact("+0 ~2 -0 packages in 2 cluster types"))},
			Check: resource.ComposeTestCheckFunc(expectPaths(t, r, below("a", fixtureFiles)...), expectCommits(t, r, 2)),
		},
		// Unknown, and another one in the end.
		{Config: config("b", "green"), Check: expectPaths(t, r, below("b", fixtureFiles)...)},
	}...)
}

func TestAccCLI_replace(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(family, path string) string {
		return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("path = %q\n  lifecycle {\n    create_before_destroy = true\n  }",
			path)})
	}
	w := newWorkspace(t, config("blue", "."))
	w.mustRun(t, "apply", "-auto-approve")
	w.mustRun(t, "apply", "-auto-approve", "-replace="+theCommit)
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Errorf("after a replacement: %v", err)
	}

	// A tainted resource is destroyed without the provider's notes about it.
	w.write(t, "main.tf", strings.ReplaceAll(config("green", "."), "create_before_destroy = true", ""))
	w.mustRun(t, "taint", theCommit)
	w.mustRun(t, "apply", "-auto-approve")
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Errorf("after a replacement of a tainted resource: %v", err)
	}

	// A replacement never moves packages: nothing would know the old place any more.
	w.write(t, "main.tf", strings.ReplaceAll(config("green", "fleet"), "create_before_destroy = true", ""))
	if out, _, err := w.run("apply", "-auto-approve", "-replace="+theCommit); err == nil ||
		!strings.Contains(out, "A replacement cannot move packages") {
		t.Errorf("want an error, got:\n%s", out)
	}
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Error(err)
	}
}

// A GitOpsRepo that is known only after apply can name another place.
func TestAccGitOpsCommit_unknownGitOpsRepo(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(branch string) string {
		fleet := strings.Replace(fleetHCL(r, fleetOptions{}), `branch = "prod"`, `branch = terraform_data.branch.output`, 1)
		return fleet + fmt.Sprintf("resource \"terraform_data\" \"branch\" {\n  input = %q\n}\n", branch)
	}
	inSteps(t, []resource.TestStep{
		{Config: config("first")},
		{Config: config("prod"), Check: expectPaths(t, r, fixtureFiles...)},
	}...)
}

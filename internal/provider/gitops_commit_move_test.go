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
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// Another place is another resource. Its plan shows the diff of the new place, and the old
// place stays, released. Another spelling of a place is still the same place.
func TestAccGitOpsCommit_moves(t *testing.T) {
	t.Parallel()
	from, to := transports["file"](t), transports["file"](t)
	to.repo.CommitFiles(t, "docs", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "docs")
	config := func(attributes string) string { return fleetHCL(from, fleetOptions{commit: attributes}) }
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
			ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate, summary("+3 ~0 -0 packages in 2 cluster types"),
				known("id", knownvalue.StringExact(to.url+"#prod:fleet")), known("repo", knownvalue.StringExact(to.url)),
				known("branch", knownvalue.StringExact("prod"))),
			Check: resource.ComposeTestCheckFunc(expectPaths(t, to, below("fleet", fixtureFiles)...),
				expectPaths(t, from, below("fleet/prod", fixtureFiles)...)),
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
			ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate),
			Check: check(func() error {
				if files := to.repo.Files(t, "next"); files["docs/index.md"] == "" || files["large/README.md"] == "" {
					return fmt.Errorf("the new branch holds %v", files)
				}
				return nil
			}),
		},
	)
}

// The plan of a move shows what changes at the new place.
func TestAccCLI_moveShowsItsDiff(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)
	config := func(path string) string {
		return plainFleet("blue", "a", "prod") + plainCommit("prod", "prod", "prod", fmt.Sprintf("path = %q", path))
	}
	w.applies(t, config("one"))
	w.write(t, "main.tf", config("two"))
	if diff := w.diff(t, "plan"); !strings.Contains(diff, "+++ b/two/a/web-live-prod/reconciler.yaml\n") {
		t.Errorf("the plan of the move shows\n%s", diff)
	}
	w.mustRun(t, "apply", "-auto-approve")
	w.settled(t)
}

// A place that the configuration leaves unknown is planned as a replacement.
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
			Config: config("a", "green"),
			ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate,
				plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("id"))),
			Check: expectPaths(t, r, below("a", fixtureFiles)...),
		},
		{ // Unknown, and another one in the end.
			Config: config("b", "red"),
			Check:  expectPaths(t, r, append(below("b", fixtureFiles), below("a", fixtureFiles)...)...),
		},
	}...)
}

// A GitOpsRepo that is known only after apply plans no replacement. If it names another place
// then, Terraform stops the apply, because the plan becomes another one. The next plan replaces the
// resource.
func TestAccGitOpsCommit_unknownGitOpsRepo(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(branch string) string {
		fleet := strings.Replace(fleetHCL(r, fleetOptions{}), `branch = "prod"`, `branch = terraform_data.branch.output`, 1)
		return fleet + fmt.Sprintf("resource \"terraform_data\" \"branch\" {\n  input = %q\n}\n", branch)
	}
	w := newWorkspace(t, config("first"))
	w.mustRun(t, applying...)
	w.write(t, "main.tf", config("prod"))
	w.succeeds(t, planning, "Plan: 0 to add, 3 to change, 0 to destroy")
	w.fails(t, applying, "inconsistent final plan")
	if len(r.repo.Branches(t)) != 1 {
		t.Error("it was written all the same")
	}
	w.mustRun(t, applying...)
	w.settled(t)
	expectFiles(t, r, "prod", fixtureFiles...)
}

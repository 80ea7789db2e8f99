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
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// plannedValue checks a planned value of the commit.
func plannedValue(name string, value knownvalue.Check) plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New(name), value)
}

// The life of a commit: it is created together with the fleet in HCL, changed, repaired, imported, made
// smaller, moved and destroyed. A destroy removes what on_destroy says, and the folders at an earlier
// place stay.
func TestAccGitOpsCommit(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	const deleting = `on_destroy = "delete"`
	config := func(family string) string { return fleetHCL(r, fleetOptions{family: family, commit: deleting}) }
	const object = "    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: all"
	showing := fleetHCL(r.showing(7), fleetOptions{family: "green", commit: deleting})
	commented := strings.Replace(showing, object, "    # A comment.\n"+object, 1)
	smaller := fleetOptions{family: "green", withoutBatch: true, withoutSmall: true, commit: deleting}
	left := withoutPrefix(fixtureFiles, "large/batch-nightly/", "small/")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		CheckDestroy:             expectPaths(t, r, append(below("old", left), "docs/index.md")...),
		Steps: []resource.TestStep{
			{
				Config: config("blue"),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
					plannedValue("packages", fixturePackages()), plannedValue("id", knownvalue.StringExact(r.url+"#prod:.")),
					plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("last_commit")), summary("+3 ~0 -0 packages in 2 cluster types")),
				ConfigStateChecks: checks(
					statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("last_commit"), knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{40}$`))),
					statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("pull_request_url"), knownvalue.Null()),
					statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("status"), knownvalue.StringExact("in_sync")),
					statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("merged_commit"), knownvalue.Null()),
				),
				Check: resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 1)),
			},
			{ // A label is known while its workload is being changed.
				Config: config("green"),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, plannedValue("packages", fixturePackages()),
					plancheck.ExpectResourceAction("kalypso_workload.web", plancheck.ResourceActionUpdate),
					summary("+0 ~2 -0 packages in 2 cluster types")),
				Check: resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 2)),
			},
			{ // A comment is stored, and writes nothing. How many lines a plan shows is not a change.
				Config:           commented,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, plannedValue("packages", fixturePackages())),
				Check:            expectCommits(t, r, 2),
			},
			{ // A foreign file does not drift; an edit, a deletion and a stray file in our folders are repaired.
				PreConfig: func() {
					r.repo.CommitFiles(t, "prod", map[string][]byte{
						"large/web-live/reconciler.yaml": []byte("edited: by hand\n"), "large/batch-nightly/namespace.yaml": nil,
						"small/stray/file.txt": []byte("stray\n"), "docs/index.md": []byte("# Docs\n"),
					}, "behind Terraform's back")
				},
				Config: config("green"),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -1 packages in 2 cluster types"),
					plannedValue("packages", fixturePackages())),
				Check: expectPaths(t, r, append(slices.Clip(fixtureFiles), "docs/index.md")...),
			},
			{
				ResourceName: theCommit, ImportState: true, ImportStateVerify: true,
				// An import makes a new instance, and the branch does not have these settings.
				ImportStateVerifyIgnore: []string{"instance_id", "manifests", "on_destroy", "on_removal", "last_commit", "summary", "notes"},
			},
			{
				Config:           strings.Replace(fleetHCL(r, smaller), deleting, deleting+"\n  path = \"old\"", 1),
				ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate),
				Check:            expectPaths(t, r, append(below("old", left), append(slices.Clip(fixtureFiles), "docs/index.md")...)...),
			},
			{
				PreConfig: func() { removed(t, r, fixtureFiles...) },
				Config:    fleetHCL(r, smaller),
				Check:     expectPaths(t, r, append(below("old", left), append(slices.Clip(left), "docs/index.md")...)...),
			},
		},
	})
}

// removed deletes files of the branch prod.
func removed(t *testing.T, r gitServer, files ...string) {
	t.Helper()
	all := map[string][]byte{}
	for _, file := range files {
		all[file] = nil
	}
	r.repo.CommitFiles(t, "prod", all, "removed")
}

// If an input of the fleet is not known, what follows from it is unknown at plan, and known in the
// end. The place stays that of the state.
func TestAccGitOpsCommit_unknownInput(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(region string) string {
		return strings.Replace(fleetHCL(r, fleetOptions{}), `{REGION: Europe}`, `{REGION: "${terraform_data.region.output}"}`, 1) +
			fmt.Sprintf("resource \"terraform_data\" \"region\" {\n  input = %q\n}\n", region)
	}
	unknown := func(names ...string) (all []plancheck.PlanCheck) {
		for _, name := range names {
			all = append(all, plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New(name)))
		}
		return all
	}
	said := func(text string) []statecheck.StateCheck {
		return checks(statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("summary"), knownvalue.StringExact(text)))
	}
	inSteps(t,
		resource.TestStep{
			Config:            config("Europe"),
			ConfigPlanChecks:  planned(plancheck.ResourceActionCreate, unknown("id", "repo", "branch", "packages", "summary", "last_commit")...),
			ConfigStateChecks: said("+3 ~0 -0 packages in 2 cluster types"),
		},
		resource.TestStep{
			Config: config("Asia"),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, append(unknown("packages", "summary"),
				plannedValue("id", knownvalue.StringExact(r.url+"#prod:.")))...),
			ConfigStateChecks: said("+0 ~3 -0 packages in 2 cluster types"),
		},
	)
}

// expectCommits checks how many commits the branch has.
func expectCommits(t *testing.T, r gitServer, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if log := r.repo.Log(t, "prod"); len(log) != want {
			return fmt.Errorf("want %d commits, got %q", want, log)
		}
		return nil
	}
}

// planned checks the planned action of the commit.
func planned(action plancheck.ResourceActionType, checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(slices.Clip(checks), plancheck.ExpectResourceAction(theCommit, action))}
}

// summary checks the planned summary.
func summary(text string) plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("summary"), knownvalue.StringExact(text))
}

// withoutPrefix returns the paths that begin with none of these.
func withoutPrefix(paths []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestAccGitOpsCommit_movesToAnotherRepository(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"remove", "retain"} {
		t.Run(onDestroy, func(t *testing.T) {
			t.Parallel()
			from, to := transports["file"](t), transports["file"](t)
			from.repo.CommitFiles(t, "prod", map[string][]byte{"docs/index.md": []byte("# Docs\n")}, "foreign")
			config := func(r gitServer, path string) string {
				return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("on_destroy = %q\n  path = %q\n  promoted_commit = %q", onDestroy, path, promoted)})
			}
			left := []string{"docs/index.md"}
			tracked := func(files []string) []string { return append(slices.Clone(files), trackingPath) }
			if onDestroy == "retain" {
				left = append(tracked(fixtureFiles), left...)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: protoV6ProviderFactories,
				Steps: []resource.TestStep{
					{Config: config(from, ".")},
					{
						Config: config(to, "."),
						ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
							plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("id"), knownvalue.StringExact(to.url+"#prod:.")),
							summary("+3 ~0 -0 packages in 2 cluster types")),
						Check: resource.ComposeTestCheckFunc(expectPaths(t, to, tracked(fixtureFiles)...), expectPaths(t, from, left...)),
					},
					{ // Within a branch, the promoted commit's file stays where it is.
						Config:           config(to, "fleet"),
						ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
						Check: func(s *terraform.State) error {
							want := tracked(below("fleet", fixtureFiles))
							if onDestroy == "retain" {
								want = append(want, fixtureFiles...)
							}
							return expectPaths(t, to, want...)(s)
						},
					},
				},
			})
		})
	}
}

// Another spelling of a place is no other place, also where a replacement would
// create before it destroys.
func TestAccGitOpsCommit_anotherSpelling(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(repo, path string) string {
		return fleetHCL(r, fleetOptions{commit: fmt.Sprintf("repo = %q\n  path = %q\n  lifecycle {\n    create_before_destroy = true\n  }", repo, path)})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config(r.url, "fleet")},
			{
				Config:           config(r.repo.Path()+"/", "./fleet/"),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), fixturePackages())),
				Check:            resource.ComposeTestCheckFunc(expectPaths(t, r, below("fleet", fixtureFiles)...), expectCommits(t, r, 1)),
			},
			{
				Config:           config(r.repo.Path()+"/", "./fleet/"),
				ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
			},
		},
	})
}

// One repository behind two servers is one place, whatever the URL says.
func TestAccGitOpsCommit_anotherServerOfTheRepository(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	r := gitServer{repo: repo, url: repo.FileURL(), provider: "provider \"kalypso\" {}\n"}
	server := gittest.ServeHTTP(t, repo)
	moved := gitServer{repo: repo, url: server.URL(), provider: r.provider}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: fleetHCL(r, fleetOptions{})},
			{
				Config:           fleetHCL(moved, fleetOptions{}),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				Check:            resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 1)),
			},
			{ // And back, with a change of the fleet on the way.
				Config:           fleetHCL(r, fleetOptions{family: "green"}),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				Check:            resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 2)),
			},
		},
	})
}

// The old place is left alone as long as the new one cannot be written.
func TestAccGitOpsCommit_moveToATakenPlace(t *testing.T) {
	t.Parallel()
	from, to := transports["file"](t), transports["file"](t)
	theirs := map[string]string{"small/theirs": "theirs\n"}
	to.repo.CommitFiles(t, "prod", map[string][]byte{"small/theirs": []byte("theirs\n")}, "theirs")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: fleetHCL(from, fleetOptions{})},
			{
				Config:      fleetHCL(to, fleetOptions{}),
				ExpectError: regexp.MustCompile(`(?is)already\s+holds\s+folder\s+small.*remove\s+or\s+rename`),
			},
			{
				Config:           fleetHCL(from, fleetOptions{}),
				ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				Check: func(s *terraform.State) error {
					if diff := cmp.Diff(theirs, to.repo.Files(t, "prod")); diff != "" {
						return fmt.Errorf("the new place was changed (-want +got):\n%s", diff)
					}
					return expectPaths(t, from, fixtureFiles...)(s)
				},
			},
		},
	})
}

// Where the old place cannot be cleaned, the new one counts nevertheless.
func TestAccGitOpsCommit_oldPlaceStays(t *testing.T) {
	t.Parallel()
	old := gittest.NewBare(t)
	server := gittest.ServeHTTP(t, old, gittest.WithLogin("deployer", "s3cr3t-password"), gittest.WithReadOnlyLogin("reader", "r34d-password"))
	from := gitServer{repo: old, url: server.URL(), provider: httpProvider(server.URL(), "deployer", "s3cr3t-password")}
	to := transports["file"](t)
	to.provider = httpProvider(server.URL(), "reader", "r34d-password")
	w := newWorkspace(t, fleetHCL(from, fleetOptions{}), nil)
	w.mustRun(t, "apply", "-auto-approve")
	w.write(t, "main.tf", fleetHCL(to, fleetOptions{}))
	out, _, err := w.run("apply", "-auto-approve")
	if err != nil || !strings.Contains(out, "The old place was not cleaned") || !strings.Contains(out, server.URL()) {
		t.Errorf("want a warning that names the old place, got %v:\n%s", err, out)
	}
	for _, r := range []gitServer{from, to} {
		if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
			t.Error(err)
		}
	}
	if out, _, err := w.run("plan", "-detailed-exitcode"); err != nil {
		t.Errorf("the next plan is not empty: %v\n%s", err, out)
	}
}

// A place that is known only after apply is judged then.
func TestAccGitOpsCommit_unknownPlace(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(path, family string) string {
		return fleetHCL(r, fleetOptions{family: family, commit: "path = terraform_data.path.output"}) +
			fmt.Sprintf("resource \"terraform_data\" \"path\" {\n  input = %q\n  triggers_replace = %q\n}\n", path, family)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config("a", "blue"), Check: expectPaths(t, r, below("a", fixtureFiles)...)},
			{ // Unknown, and the same in the end.
				Config:            config("a", "green"),
				ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("id"))),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("summary"), knownvalue.StringExact("+0 ~2 -0 packages in 2 cluster types"))},
				Check:             resource.ComposeTestCheckFunc(expectPaths(t, r, below("a", fixtureFiles)...), expectCommits(t, r, 2)),
			},
			{ // Unknown, and another one in the end.
				Config:           config("b", "green"),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				Check:            expectPaths(t, r, below("b", fixtureFiles)...),
			},
		},
	})
}

// Whoever takes folders over in a run keeps them, also where their former owner
// is destroyed or moves away in the same run.
func TestAccCLI_successor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, more string }{
		"another name":             {`{ one = "." }`, `{ two = "." }`, ""},
		"another name, kept first": {`{ one = "." }`, `{ two = "." }`, "  lifecycle {\n    create_before_destroy = true\n  }\n"},
		"two change places":        {`{ one = "a", two = "b" }`, `{ one = "b", two = "a" }`, ""},
		"one follows another":      {`{ one = "a" }`, `{ one = "c", two = "a" }`, ""},
		"a circle of three":        {`{ x = "a", y = "b", z = "c" }`, `{ x = "b", y = "c", z = "a" }`, ""},
		"to and from the root":     {`{ one = ".", two = "b" }`, `{ one = "b", two = "." }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := transports["file"](t)
			w := newWorkspace(t, "", nil)
			for _, paths := range []string{test.before, test.after} {
				w.write(t, "main.tf", fleetHCL(r, fleetOptions{commit: "path = each.value\n  for_each = " + paths + "\n" + test.more}))
				w.mustRun(t, "apply", "-auto-approve")
			}
			var want []string
			for _, path := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(test.after, -1) {
				want = append(want, below(path[1], fixtureFiles)...)
			}
			for i := range want {
				want[i] = strings.TrimPrefix(want[i], "./")
			}
			if err := expectPaths(t, r, want...)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAccCLI_replace(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(family, path string) string {
		return fleetHCL(r, fleetOptions{family: family, commit: fmt.Sprintf("path = %q\n  lifecycle {\n    create_before_destroy = true\n  }", path)})
	}
	w := newWorkspace(t, config("blue", "."), nil)
	w.mustRun(t, "apply", "-auto-approve")
	w.mustRun(t, "apply", "-auto-approve", "-replace="+theCommit)
	if err := expectPaths(t, r, fixtureFiles...)(nil); err != nil {
		t.Errorf("after a replacement: %v", err)
	}

	// A tainted resource is destroyed without what the provider knew of it.
	w.write(t, "main.tf", strings.ReplaceAll(config("green", "fleet"), "create_before_destroy = true", ""))
	w.mustRun(t, "taint", theCommit)
	w.mustRun(t, "apply", "-auto-approve")
	if err := expectPaths(t, r, below("fleet", fixtureFiles)...)(nil); err != nil {
		t.Errorf("after a replacement of a tainted resource: %v", err)
	}
}

// A branch that has another name is not emptied under that name.
func TestAccGitOpsCommit_branchAlias(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: fleetHCL(r, fleetOptions{})},
			{
				PreConfig: func() { r.repo.Git(t, "symbolic-ref", "refs/heads/alias", "refs/heads/prod") },
				Config:    fleetHCL(r, fleetOptions{commit: `branch = "alias"`}),
				Check:     expectPaths(t, r, fixtureFiles...),
			},
			{ // A branch that starts from the old one is another one.
				Config: fleetHCL(r, fleetOptions{commit: "branch = \"next\"\n  create_branch_from = \"alias\""}),
				Check:  expectPaths(t, r),
			},
		},
	})
}

func TestAccGitOpsCommit_nestedMove(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: fleetHCL(r, fleetOptions{})},
			{Config: fleetHCL(r, fleetOptions{commit: `path = "large/sub"`}), ExpectError: regexp.MustCompile(`lie\s+in\s+each\s+other`)},
			{Config: fleetHCL(r, fleetOptions{commit: `path = "sub/large"`}), Check: expectPaths(t, r, below("sub/large", fixtureFiles)...)},
			{Config: fleetHCL(r, fleetOptions{commit: `path = "sub"`}), ExpectError: regexp.MustCompile(`lie\s+in\s+each\s+other`)},
		},
	})
}

// A GitOpsRepo that is known only after apply can name another place.
func TestAccGitOpsCommit_unknownGitOpsRepo(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(branch string) string {
		fleet := strings.Replace(fleetHCL(r, fleetOptions{}), `branch = "prod"`, `branch = terraform_data.branch.output`, 1)
		return fleet + fmt.Sprintf("resource \"terraform_data\" \"branch\" {\n  input = %q\n}\n", branch)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			{Config: config("first")},
			{Config: config("prod"), Check: expectPaths(t, r, fixtureFiles...)},
		},
	})
}

// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
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

func TestAccGitOpsCommit_lifecycle(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	inSteps(t, []resource.TestStep{
		{ // Everything is known at the plan in which the modelling resources are created.
			Config: fleetHCL(r, fleetOptions{}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(theCommit, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), fixturePackages()),
				plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("id"), knownvalue.StringExact(r.url+"#prod:.")),
				plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("last_commit")),
				summary("+3 ~0 -0 packages in 2 cluster types"),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), fixturePackages()),
				statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("last_commit"), knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{40}$`))),
				hasStatus("in_sync"), hasMerged(knownvalue.Null()),
				statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("notes"), knownvalue.StringExact("{}")),
				statecheck.ExpectKnownValue(theCommit, tfjsonpath.New("pull_request_url"), knownvalue.Null()),
			},
			Check: resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 1)),
		},
		{ // One label: known while the workload itself is being changed.
			Config: fleetHCL(r, fleetOptions{family: "green"}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(theCommit, plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("kalypso_workload.web", plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), fixturePackages()),
				summary("+0 ~2 -0 packages in 2 cluster types"),
			}},
			Check: resource.ComposeTestCheckFunc(expectPaths(t, r, fixtureFiles...), expectCommits(t, r, 2), func(*terraform.State) error {
				if text := r.repo.Files(t, "prod")["small/web-live/reconciler.yaml"]; !strings.Contains(text, "family: green") {
					return fmt.Errorf("the label did not arrive:\n%s", text)
				}
				return nil
			}),
		},
		{ // Remove a workload.
			Config:           fleetHCL(r, fleetOptions{family: "green", withoutBatch: true}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{summary("+0 ~0 -1 packages in 1 cluster type")}},
			Check:            expectPaths(t, r, withoutPrefix(fixtureFiles, "large/batch-nightly/")...),
		},
		{ // Remove a cluster type: its folder goes.
			Config: fleetHCL(r, fleetOptions{family: "green", withoutBatch: true, withoutSmall: true, commit: `on_destroy = "delete"`}),
			Check:  expectPaths(t, r, withoutPrefix(fixtureFiles, "large/batch-nightly/", "small/")...),
		},
		{ // Destroy the commit alone: one commit that removes our folders.
			Config: r.provider,
			Check:  resource.ComposeTestCheckFunc(expectPaths(t, r), expectCommits(t, r, 5)),
		},
	}...)
}

func TestAccGitOpsCommit_drift(t *testing.T) {
	t.Parallel()
	r := transports["ssh"](t)
	foreign := map[string]string{"CODEOWNERS": "* @platform\n", ".github/workflows/ci.yml": "on: push\n", "docs/index.md": "# Docs\n"}
	want := maps.Clone(foreign)
	config := fleetHCL(r, fleetOptions{})
	inSteps(t,
		resource.TestStep{Config: config, Check: check(func() error {
			maps.Copy(want, r.repo.Files(t, "prod"))
			return nil
		})},
		resource.TestStep{ // Foreign files beside our folders are neither drift nor touched.
			PreConfig: func() {
				files := map[string][]byte{}
				for path, text := range foreign {
					files[path] = []byte(text)
				}
				r.repo.CommitFiles(t, "prod", files, "foreign files")
			},
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{ // An edit, a deletion and a stray file inside our folders are drift.
			PreConfig: func() {
				r.repo.CommitFiles(t, "prod", map[string][]byte{
					"large/web-live/reconciler.yaml":     []byte("edited: by hand\n"),
					"large/batch-nightly/namespace.yaml": nil,
					"small/stray/file.txt":               []byte("stray\n"),
				}, "edit behind Terraform's back")
			},
			RefreshState: true, ExpectNonEmptyPlan: true,
			ConfigStateChecks: checks(hasStatus("drifted")),
		},
		resource.TestStep{ // It is repaired.
			Config: config,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -1 packages in 2 cluster types"),
				plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("packages"), fixturePackages())),
			Check: check(func() error {
				if diff := cmp.Diff(want, r.repo.Files(t, "prod")); diff != "" {
					return fmt.Errorf("files after the repair (-want +got):\n%s", diff)
				}
				return nil
			}),
		},
		unchanged(config, "in_sync"),
	)
}

// A repository that somebody wrote by hand, with a folder store, is refused, and taken over by an
// import. The plan shows the difference, and no commit empties the folder.
func TestAccGitOpsCommit_import(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	r.repo.CommitFiles(t, "prod", map[string][]byte{"docs/README.md": []byte("# Docs\n"),
		"store/web-live-prod/reconciler.yaml": []byte("by: hand\n"), "store/web-live-prod/namespace.yaml": []byte("by: hand\n")}, "by hand")
	w := newPlainWorkspace(t, r)
	config := plainFleet("blue", "store", "prod") + plainCommit("prod", "prod", "prod", "")
	w.write(t, "main.tf", config)
	said, _ := w.diagnostics(t, "plan")
	expectSaid(t, said, "warning", "Folders exist already", "folder store", "no record lists them")
	w.isRefused(t, r.repo, "apply -auto-approve", "The GitOps repository was not changed", "folder store", "terraform import")

	w.write(t, "main.tf", config+fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", theCommit, r.url+"#prod:."))
	w.succeeds(t, planning, "Plan: 1 to import, 0 to add, 1 to change, 0 to destroy", "+0 ~1 -0 packages in 1 cluster type", "-by: hand")
	w.mustRun(t, applying...)
	w.settled(t)
	expectFiles(t, r, "prod", append(waveFiles("store"), "docs/README.md")...)
	expectOwner(t, r.repo, "prod", w.instance(t, "prod"), ".", "store")
	expectNeverGone(t, r.repo, "prod", "store/web-live-prod/reconciler.yaml", "store/web-live-prod/namespace.yaml")
}

// Where the branch has what the configuration wants, an import writes only its record.
func TestAccGitOpsCommit_importUnchanged(t *testing.T) {
	t.Parallel()
	r := transports["http"](t)
	w := newPlainWorkspace(t, r)
	config := plainFleet("blue", "a b", "prod") + plainCommit("prod", "prod", "prod", "")
	w.applies(t, config)
	r.edit(t, "prod", ".kalypso/"+w.instance(t, "prod"), "")
	w.forget(t, theCommit)
	content := r.repo.TreeWithout(t, "prod", ".kalypso")
	w.mustRun(t, "import", theCommit, r.url+"#prod:.")
	w.mustRun(t, applying...)
	w.settled(t)
	if now := r.repo.TreeWithout(t, "prod", ".kalypso"); now != content {
		t.Errorf("the content was changed: %v", r.repo.Files(t, "prod"))
	}
	expectOwner(t, r.repo, "prod", w.instance(t, "prod"), ".", "a", "b")
}

// A comment, another order of documents or another element of manifests changes nothing in the
// fleet, so the plan is empty. A text inside an object is compared byte for byte.
func TestAccGitOpsCommit_sameMeaning(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	w := newPlainWorkspace(t, r)
	commit := plainCommit("prod", "prod", "prod", "")
	fleet := plainFleet("blue", "a b", "prod")
	w.applies(t, fleet+commit)
	list, first := strings.Index(fleet, "  fleet"), strings.Index(fleet, "apiVersion")
	documents := strings.Split(strings.TrimSuffix(fleet[first:], "EOT\n  ]\n}\n"), "---\n")
	slices.Reverse(documents)
	for name, text := range map[string]string{
		"a comment":       "locals {\n  fleet = [<<-EOT\n# A comment.\n" + fleet[first:],
		"another order":   "locals {\n  fleet = [<<-EOT\n" + strings.Join(documents, "---\n") + "EOT\n  ]\n}\n",
		"another element": "locals {\n  fleet = [<<-EOT\n" + strings.Join(documents, "EOT\n  , <<-EOT\n") + "EOT\n  ]\n}\n",
		"another file": "locals {\n  fleet = [for text in local.texts : provider::kalypso::files({ \"fleet/all.yaml\" = text })[0]]\n" +
			strings.Replace(fleet[list:], "fleet", "texts", 1),
	} {
		w.succeeds(t, w.written(t, text+commit, "plan", "-detailed-exitcode"), "No changes")
		if name == "a comment" {
			w.succeeds(t, applying, "No changes")
		}
	}
	w.succeeds(t, w.written(t, strings.Replace(fleet, "{kind: Namespace, ", "{kind:  Namespace, ", 1)+commit, "plan"), "1 to change")
}

func TestGitOpsCommit_refusedInputs(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	with := func(old, replacement string) string {
		config := fleetHCL(r, fleetOptions{})
		if !strings.Contains(config, old) {
			t.Fatalf("the fixture does not hold %q", old)
		}
		return strings.Replace(config, old, replacement, 1)
	}
	const manifests = "manifests   = local.fleet"
	expectMistakes(t, map[string]mistake{
		"empty path":    {with(manifests, manifests+"\n  path = \"\""), "path"},
		"null manifest": {with(manifests, "manifests = concat(local.fleet, [null])"), "Null"},
		"token in the URL": {with(manifests, manifests+"\n  repo = \"https://ghp_0123456789@git.example/a/b\""),
			"user name, which may be a token"},
		"another environment's": {with("name   = \"prod\"\n  repo", "name   = \"dev\"\n  repo"), `another environment, "dev"`},
	})
}

// Where an input of the fleet is not known, everything that follows from it is unknown at
// plan, and known in the end.
func TestAccGitOpsCommit_unknownInput(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := strings.Replace(fleetHCL(r, fleetOptions{}), `{REGION: Europe}`, `{REGION: "${terraform_data.region.output}"}`, 1) + `
resource "terraform_data" "region" {
  input = "Europe"
}
`
	var unknown []plancheck.PlanCheck
	for _, name := range []string{"id", "repo", "branch", "packages", "summary", "last_commit"} {
		unknown = append(unknown, plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New(name)))
	}
	known := func(name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(theCommit, tfjsonpath.New(name), value)
	}
	inSteps(t,
		resource.TestStep{
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate, unknown...),
			ConfigStateChecks: checks(
				known("id", knownvalue.StringExact(r.url+"#prod:.")), known("packages", fixturePackages()),
				known("summary", knownvalue.StringExact("+3 ~0 -0 packages in 2 cluster types")),
			),
		},
		resource.TestStep{ // The place stays that of the state: unknown manifests replace nothing.
			Config: strings.Replace(config, `input = "Europe"`, `input = "Asia"`, 1),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, append(slices.Clone(unknown[4:]),
				plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("id"), knownvalue.StringExact(r.url+"#prod:.")))...),
			ConfigStateChecks: checks(known("summary", knownvalue.StringExact("+0 ~3 -0 packages in 2 cluster types"))),
		},
	)
}

func TestAccGitOpsCommit_assignments(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := fleetHCL(r,
		fleetOptions{commit: `assignments = { for key, a in data.kalypso_assignments.prod.assignments : key => a.policies if a.cluster_type == "large" }`}) + `
data "kalypso_assignments" "prod" {
  environment = "prod"
  manifests   = local.fleet
}
`
	inSteps(t, []resource.TestStep{
		{
			Config: config,
			Check:  expectPaths(t, r, withoutPrefix(fixtureFiles, "small/web-live/")...),
		},
		{
			Config: strings.Replace(config, "for key, a in", `for key in ["moon/web-live"] : key => [] } #`,
				1),
			ExpectError: regexp.MustCompile(`(?s)moon/web-live.*no\s+cluster\s+type\s+"moon"`),
		},
	}...)
}

func TestAccGitOpsCommit_refusedAtRemote(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	http := gittest.ServeHTTP(t, repo, gittest.WithLogin("deployer", "s3cr3t-password"))
	ssh := gittest.ServeSSH(t, repo)
	stranger := gittest.ServeSSH(t, repo)
	wrong, none := gitServer{url: http.URL(), provider: httpProvider(http.URL(), "deployer", "wrong-guess")},
		gitServer{url: http.URL(), provider: "provider \"kalypso\" {}\n"}
	strange := gitServer{url: ssh.URL(), provider: sshProvider(ssh.URL(), ssh.PrivateKey(t, ""), stranger.KnownHosts())}
	w := newWorkspace(t, "")
	w.fails(t, w.written(t, fleetHCL(wrong, fleetOptions{}), applying...), "refuses the username and password")
	w.fails(t, w.written(t, fleetHCL(none, fleetOptions{}), applying...), "password")
	w.fails(t, w.written(t, fleetHCL(strange, fleetOptions{}), applying...), "SHA256:")
	if head := repo.Head(t, "prod"); head != "" {
		t.Errorf("something was written: %s", head)
	}
}

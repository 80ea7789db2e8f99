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
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// headBranch is how the branches of requests are called.
var headBranch = regexp.MustCompile(`^kalypso/prod/[0-9a-f]{12}$`)

// A change is proposed, and once it is merged, by whatever method and whatever
// becomes of its branch, nothing is left to do.
func TestAccPullRequest_merged(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash", "rebase"} {
		for _, deleted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deleted %t", method, deleted), func(t *testing.T) {
				t.Parallel()
				h := newGitHub(t)
				h.server.Configure(func(s *githubtest.Settings) { s.DeleteBranchOnMerge = deleted })
				before := h.repo.Head(t, "prod")
				settings := `labels = ["kalypso"], reviewers = ["octocat"], team_reviewers = ["platform"]`
				config := h.proposing("blue", settings)
				inSteps(t,
					resource.TestStep{
						Config: config,
						ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
							plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("status")), plancheck.ExpectUnknownValue(theCommit, tfjsonpath.New("pull_request_number"))),
						ConfigStateChecks: checks(hasStatus("proposed"), hasMerged(knownvalue.Null())),
						Check: check(func() error {
							p := h.only(t)
							if !headBranch.MatchString(p.Head) || !strings.HasSuffix(p.Head, h.repo.Tree(t, p.Head, "")[:12]) || p.Base != "prod" || p.Title != "prod: +3 ~0 -0 packages in 2 cluster types" {
								return fmt.Errorf("the request is %+v", p)
							}
							if !slices.Equal(p.Labels, []string{"kalypso"}) || !slices.Equal(p.Users, []string{"octocat"}) || !slices.Equal(p.Teams, []string{"platform"}) {
								return fmt.Errorf("the request is %+v", p)
							}
							if h.repo.Head(t, "prod") != before {
								return fmt.Errorf("the branch was written")
							}
							return h.holds(t, p.Head, "blue")
						}),
					},
					unchanged(config, "proposed"),
					resource.TestStep{
						PreConfig: func() { h.server.Merge(t, h.only(t).Number, method) },
						Config:    config, ConfigStateChecks: checks(hasStatus("in_sync"), hasMerged(knownvalue.NotNull())),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
						Check:            check(func() error { return h.holds(t, "prod", "blue") }),
					},
					unchanged(config, "in_sync"),
					resource.TestStep{
						Config:            h.proposing("green", settings),
						ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
						ConfigStateChecks: checks(hasStatus("proposed")),
						Check:             check(func() error { return h.holds(t, h.only(t).Head, "green") }),
					},
				)
			})
		}
	}
}

// A request that is closed without a merge shows as a change, which is proposed
// again: as a request of its own, from the same branch.
func TestAccPullRequest_closed(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted %t", deleted), func(t *testing.T) {
			t.Parallel()
			h := newGitHub(t)
			config := h.proposing("blue", "")
			var first githubtest.Pull
			inSteps(t,
				resource.TestStep{Config: config},
				resource.TestStep{
					PreConfig: func() {
						first = h.only(t)
						h.server.ClosePull(t, first.Number)
						if deleted {
							h.repo.DeleteBranch(t, first.Head)
						}
					},
					RefreshState: true, ExpectNonEmptyPlan: true,
					Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr(theCommit, "status", "closed"), resource.TestCheckResourceAttr(theCommit, "packages.%", "0")),
				},
				resource.TestStep{
					Config:            config,
					ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, summary("+3 ~0 -0 packages in 2 cluster types")),
					ConfigStateChecks: checks(hasStatus("proposed")),
					Check: check(func() error {
						if p := h.only(t); p.Number == first.Number || p.Head != first.Head {
							return fmt.Errorf("first %+v, then %+v", first, p)
						}
						return nil
					}),
				},
				unchanged(config, "proposed"),
			)
		})
	}
}

// A closed request is no change any more where the fleet goes back to what is there.
func TestAccPullRequest_closedAndDropped(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", "")},
		resource.TestStep{PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") }, Config: h.proposing("green", "")},
		resource.TestStep{
			PreConfig:        func() { h.server.ClosePull(t, h.only(t).Number) },
			Config:           h.proposing("blue", ""),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: checks(hasStatus("in_sync")),
		},
		unchanged(h.proposing("blue", ""), "in_sync"),
	)
}

// New commits of a reviewer in our folders are drift of the proposal, which the
// next apply puts right in the same request; other commits, as a merge of the
// base branch, are none.
func TestAccPullRequest_edited(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	config := h.proposing("blue", "")
	var first githubtest.Pull
	push := func(path string) func() {
		return func() {
			first = h.only(t)
			h.repo.CommitFiles(t, first.Head, map[string][]byte{path: []byte("edited: true\n")}, "by a reviewer")
		}
	}
	inSteps(t,
		resource.TestStep{Config: config},
		resource.TestStep{PreConfig: push("docs/more.md"), Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{
			PreConfig: push("small/web-live/reconciler.yaml"), RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(theCommit, "status", "drifted"),
		},
		resource.TestStep{
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error {
				if h.repo.Head(t, first.Head) == "" {
					return fmt.Errorf("the reviewer's branch is gone")
				}
				if h.repo.Files(t, first.Head)["docs/more.md"] == "" {
					return fmt.Errorf("what the reviewer did beside our folders is gone")
				}
				return h.holds(t, h.only(t).Head, "blue")
			}),
		},
		unchanged(config, "proposed"),
	)
}

// A change of our folders in the base branch is drift; elsewhere it is none.
func TestAccPullRequest_baseMoved(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	blue, green := h.proposing("blue", ""), h.proposing("green", "")
	base := func(path string) func() {
		return func() {
			h.repo.CommitFiles(t, "prod", map[string][]byte{path: []byte("edited: true\n")}, "in the base")
		}
	}
	inSteps(t,
		resource.TestStep{Config: blue},
		resource.TestStep{PreConfig: func() { h.server.Merge(t, h.only(t).Number, "merge") }, Config: green},
		resource.TestStep{PreConfig: base("docs/more.md"), Config: green, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{
			PreConfig: base("small/web-live/reconciler.yaml"), RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(theCommit, "status", "drifted"),
		},
		resource.TestStep{
			Config:           green,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")), ConfigStateChecks: checks(hasStatus("proposed")),
			Check: check(func() error { return h.holds(t, h.only(t).Head, "green") }),
		},
		resource.TestStep{
			PreConfig: func() { h.server.Merge(t, h.only(t).Number, "rebase") }, Config: green, ConfigStateChecks: checks(hasStatus("in_sync")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

// A newer change closes the older request with a link and deletes its branch.
// What others have opened stays. Going back to what the branch holds closes all of ours.
func TestAccPullRequest_overtaken(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.repo.Git(t, "branch", "feature", "prod")
	h.repo.CommitFiles(t, "feature", map[string][]byte{"docs/feature.md": []byte("x")}, "feature")
	others := h.server.OpenPull("hubot", "prod", "feature", "Another change", "")
	ours := func() []githubtest.Pull {
		return slices.DeleteFunc(h.open(), func(p githubtest.Pull) bool { return p.Number == others })
	}
	var first githubtest.Pull
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", "")},
		resource.TestStep{
			PreConfig:        func() { first = ours()[0] },
			Config:           h.proposing("green", ""),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+3 ~0 -0 packages in 2 cluster types")),
			Check: check(func() error {
				now, old := ours(), h.server.Pull(t, first.Number)
				if len(now) != 1 || now[0].Number == first.Number || old.State != "closed" || h.repo.Head(t, first.Head) != "" {
					return fmt.Errorf("open %+v, the first %+v", now, old)
				}
				if len(old.Comments) != 1 || !strings.Contains(old.Comments[0], fmt.Sprintf("#%d", now[0].Number)) {
					return fmt.Errorf("comments %q", old.Comments)
				}
				return nil
			}),
		},
		resource.TestStep{
			PreConfig:         func() { h.server.Merge(t, ours()[0].Number, "squash") },
			Config:            h.proposing("blue", ""),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types")),
			ConfigStateChecks: checks(hasStatus("proposed")),
		},
		resource.TestStep{
			Config:            h.proposing("green", ""),
			ConfigPlanChecks:  planned(plancheck.ResourceActionUpdate),
			ConfigStateChecks: checks(hasStatus("in_sync")),
			Check: check(func() error {
				if open := h.open(); len(open) != 1 || open[0].Number != others || len(open[0].Comments) > 0 || h.repo.Head(t, "feature") == "" {
					return fmt.Errorf("open %+v", open)
				}
				return nil
			}),
		},
		unchanged(h.proposing("green", ""), "in_sync"),
	)
}

// While a request is open, diff and summary of the next change are still those
// of the base branch; and settings may be unknown at plan.
func TestAccPullRequest_previewWhileOpen(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	shows := func(want string) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(theCommit, tfjsonpath.New("diff"), knownvalue.StringRegexp(regexp.MustCompile(want)))
	}
	unknown := "resource \"terraform_data\" \"title\" { input = \"Title\" }\n" + h.proposing("black", "title = terraform_data.title.output")
	inSteps(t,
		resource.TestStep{Config: h.proposing("blue", "")},
		resource.TestStep{PreConfig: func() { h.server.Merge(t, h.only(t).Number, "squash") }, Config: h.proposing("green", "")},
		resource.TestStep{
			Config: h.proposing("red", ""),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types"),
				shows(`-    family: blue\n\+    family: red`)),
		},
		resource.TestStep{
			Config: unknown,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("+0 ~2 -0 packages in 2 cluster types"),
				shows(`-    family: blue\n\+    family: black`)),
			Check: check(func() error {
				if p := h.only(t); p.Title != "Title" {
					return fmt.Errorf("the request is %+v", p)
				}
				return nil
			}),
		},
		unchanged(unknown, "proposed"),
	)
}

// Requests work the same with the other ways to look after folders: exclusively,
// at the level of cluster types, with a promoted commit, after an import.
func TestAccPullRequest_otherSettings(t *testing.T) {
	t.Parallel()
	h := newGitHub(t)
	h.repo.CommitFiles(t, "prod", map[string][]byte{"foreign/file": []byte("x")}, "a foreign folder")
	config := func(family, commit string) string {
		return fleetHCL(h.gitServer, fleetOptions{family: family, commit: "pull_request = {}\n  exclusive = true\n  detail = \"cluster_type\"\n  promoted_commit = \"" + commit + "\""})
	}
	merge := func() { h.server.Merge(t, h.only(t).Number, "rebase") }
	inSync := func(config string) resource.TestStep {
		return resource.TestStep{
			PreConfig: merge, Config: config, ConfigStateChecks: checks(hasStatus("in_sync")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}
	}
	// The first apply sees foreign folders for the first time, so the second one proposes to remove them.
	blue, green := config("blue", promoted), config("green", "89abcdef0123456789abcdef0123456789abcdef")
	inSteps(t,
		resource.TestStep{Config: blue, ConfigStateChecks: checks(hasStatus("proposed")), ExpectNonEmptyPlan: true},
		resource.TestStep{Config: blue, ConfigStateChecks: checks(hasStatus("proposed")), Check: check(func() error {
			files := h.repo.Files(t, h.only(t).Head)
			if _, there := files["foreign/file"]; there || files[trackingPath] != promoted {
				return fmt.Errorf("the branch holds %v", files)
			}
			return nil
		})},
		unchanged(blue, "proposed"),
		inSync(blue),
		resource.TestStep{Config: green, ConfigStateChecks: checks(hasStatus("proposed")), Check: check(func() error {
			if p := h.only(t); !slices.Contains(p.Labels, "promoted") {
				return fmt.Errorf("the request is %+v", p)
			}
			return nil
		})},
		unchanged(green, "proposed"),
		inSync(green),
		unchanged(green, "in_sync"),
	)
}

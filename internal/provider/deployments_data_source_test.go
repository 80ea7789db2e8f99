// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// deploymentsHCL is a data source of these attributes, with an output of its JSON: packages
// by their places, the history of all environments, and the comparisons.
func deploymentsHCL(attributes string) string {
	return "data \"kalypso_deployments\" \"fleet\" {\n  " + attributes + "\n}\n" + `
locals { told = jsondecode(data.kalypso_deployments.fleet.json) }
output "told" {
  value = {
    packages = merge([for e in local.told.environments : {
      for p in e.packages : "${e.name}/${p.cluster_type}/${p.deployment_target}" => p
    }]...)
    history     = flatten(local.told.environments[*].history)
    comparisons = local.told.comparisons
    unreadable  = { for e in local.told.environments : e.name => e.unreadable }
  }
}
`
}

// branchOf is a block with the branch of an environment, and more attributes.
func branchOf(url, environment string, more ...string) string {
	return block("branch", append([]string{fmt.Sprintf("environment = %q", environment), fmt.Sprintf("repo = %q", url)}, more...)...) + "\n"
}

// branchesOf names branches of a repository after environments.
func branchesOf(url string, environments ...string) string {
	var all strings.Builder
	for _, name := range environments {
		all.WriteString(branchOf(url, name, fmt.Sprintf("branch = %q", name)))
	}
	return all.String()
}

// deployedValue checks a value in the output of deploymentsHCL, or in the attribute
// environments, at a path of keys and numbers.
func deployedValue(want knownvalue.Check, name string, at ...any) statecheck.StateCheck {
	path := tfjsonpath.New(name)
	for _, step := range at {
		switch step := step.(type) {
		case string:
			path = path.AtMapKey(step)
		case int:
			path = path.AtSliceIndex(step)
		}
	}
	if name == "environments" {
		return statecheck.ExpectKnownValue("data.kalypso_deployments.fleet", path, want)
	}
	return statecheck.ExpectKnownOutputValueAtPath("told", path, want)
}

// kalypsoReadme is what Kalypso writes into the folder of a cluster type.
const kalypsoReadme = "This folder contains deployment targets scheduled on the cluster type"

// someText is any text.
func someText() knownvalue.Check { return knownvalue.NotNull() }

// textList is a list of texts.
func textList(texts ...string) knownvalue.Check {
	checks := []knownvalue.Check{}
	for _, text := range texts {
		checks = append(checks, knownvalue.StringExact(text))
	}
	return knownvalue.ListExact(checks)
}

// The data source reports everything that Kalypso's operator has written, on any path that
// leads to it.
func TestDeployments_transports(t *testing.T) {
	t.Parallel()
	for transport, serve := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			writesLikeKalypso(t, s.repo, "dev", "1")
			writesLikeKalypso(t, s.repo, "prod", "1")
			writesLikeKalypso(t, s.repo, "dev", "2")
			config := s.provider + deploymentsHCL(branchesOf(s.url, "dev", "prod"))
			text, null, unknown := knownvalue.StringExact, knownvalue.Null(), knownvalue.StringExact("")
			expectDirectly(t, config,
				deployedValue(knownvalue.ObjectExact(map[string]knownvalue.Check{
					"head": text(s.repo.Head(t, "dev")), "time": someText(), "releases": textList(strings.Repeat("2", 40)),
					"packages": exactly("1"), "silent": textList(), "health": null, "health_reason": null,
				}), "environments", "dev"),
				deployedValue(knownvalue.ObjectExact(map[string]knownvalue.Check{
					"cluster_type": text("large"), "deployment_target": text("shop-live"),
					"id":       text(s.repo.Tree(t, "dev", "large/shop-live")),
					"workload": text("shop"), "workspace": text("team"), "namespace": text("dev-large-shop-live"),
					"sources": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
						"kind": text("GitRepository"), "repo": text("https://git.example/shop"), "ref": text("dev"), "path": text("./live"),
					})}),
					"values":  knownvalue.MapExact(map[string]knownvalue.Check{"RELEASE": text("2"), "DB_PASSWORD": text("(redacted f52f…)")}),
					"version": unknown, "build": unknown, "commit": unknown, "health": unknown, "health_reason": unknown,
					"unreadable": textList(),
					"changed": knownvalue.ObjectExact(map[string]knownvalue.Check{
						"commit": text(s.repo.Head(t, "dev")), "author": text("Kalypso"), "subject": text("Promote 2"), "time": someText(),
					}),
				}), "packages", "dev/large/shop-live"),
				deployedValue(knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
					"left": text("dev"), "right": text("prod"), "rows": knownvalue.ListExact([]knownvalue.Check{
						row("shop", "", "sources.ref", "dev", "prod"), row("shop", "large", "values.RELEASE", "2", "1"),
					}),
				})}), "comparisons"),
				deployedValue(knownvalue.ListSizeExact(3), "history"),
				deployedValue(knownvalue.ObjectExact(map[string]knownvalue.Check{
					"commit": text(s.repo.Head(t, "dev")), "author": text("Kalypso"), "subject": text("Promote 2"),
					"time":     someText(),
					"releases": textList(strings.Repeat("2", 40)), "run": unknown, "added": textList(), "changed": textList("large/shop-live"),
					"removed": textList(),
				}), "history", 0),
			)
		})
	}
}

// row is a row of a comparison.
func row(workload, clusterType, what, left, right string) knownvalue.Check {
	text := knownvalue.StringExact
	return knownvalue.ObjectExact(map[string]knownvalue.Check{"workload": text(workload), "cluster_type": text(clusterType),
		"what": text(what), "left": text(left), "right": text(right)})
}

// writesLikeKalypso makes a commit of an environment as the operator's pull requests leave it.
func writesLikeKalypso(t testing.TB, repo gittest.Repository, environment, release string) {
	t.Helper()
	repo.Commit(t, gittest.Revision{Branch: environment, Author: "Kalypso", Message: "Promote " + release, Time: ago("2h"),
		Files: map[string][]byte{
			engine.PromotedCommitFile:  []byte(strings.Repeat(release, 40)),
			"large/README.md":          []byte(kalypsoReadme),
			"small/README.md":          []byte(kalypsoReadme),
			"docs/README.md":           []byte("# Docs"),
			"docs/web/reconciler.yaml": []byte("a: b"),
			"large/shop-live/namespace.yaml": fmt.Appendf(nil, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: \"%s-large-shop-live\" \n  "+
				"labels:\n    environment: %q\n    workspace: team\n    workload: shop\n    deploymentTarget: shop-live\n", environment, environment),
			"large/shop-live/reconciler.yaml": fmt.Appendf(nil, "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: GitRepository\nmetadata: "+
				"{name: shop-live, namespace: flux-system}\nspec: {interval: 30s, url: \"https://git.example/shop\", ref: {branch: %q}}\n---\n"+
				"apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\nkind: Kustomization\nmetadata: {name: shop-live, namespace: flux-system}\nspec: "+
				"{sourceRef: {kind: GitRepository, name: shop-live}, path: ./live}\n", environment),
			"large/shop-live/platform-config.yaml": fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata: "+
				"{RELEASE: %q, DB_PASSWORD: hunter2}\n", release),
		}})
}

// The user chooses the compared environments, their order and the allowed differences.
func TestDeployments_rules(t *testing.T) {
	t.Parallel()
	s := transports["file"](t)
	writesLikeKalypso(t, s.repo, "dev", "3")
	writesLikeKalypso(t, s.repo, "prod", "1")
	writesLikeKalypso(t, s.repo, "stage", "2")
	config := func(more string) string {
		return s.provider + deploymentsHCL(branchesOf(s.url, "dev", "prod", "stage")+more) +
			"output \"texts\" { value = flatten([for c in local.told.comparisons : [for r in c.rows : " +
			"\"${r.workload} on ${r.cluster_type}: ${r.what} = ${r.left} in ${c.left}, ${r.right} in ${c.right}\"]]) }\n" +
			"output \"read\" { value = [for name, value in data.kalypso_deployments.fleet : name if value != null] }\n"
	}
	chain := "\n  compare = [[\"stage\", \"prod\"], [\"dev\", \"stage\"]]"
	release := func(left, a, right, b string) string {
		return fmt.Sprintf("shop on large: values.RELEASE = %s in %s, %s in %s", a, left, b, right)
	}
	expectDirectly(t, config(chain+"\n  ignore = [\"*/*/sources.ref\"]"),
		statecheck.ExpectKnownOutputValue("texts", textList(release("stage", "2", "prod", "1"), release("stage", "2", "dev", "3"))),
		statecheck.ExpectKnownOutputValue("read", textList("branch", "compare", "environments", "ignore", "json")),
	)
	expectDirectly(t, config("\n  compare = []"), statecheck.ExpectKnownOutputValue("texts", textList()))
	expectDirectly(t, config("\n  ignore = [\"*/*/sources.*\", \"shop/large/values.RELEASE\"]"),
		statecheck.ExpectKnownOutputValue("texts", textList()))
}

// The data source reports the content of our own resource after the write. Before that, the plan says that
// it is not known yet. The page takes the JSON, also if Terraform has changed it.
func TestAccDeployments(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	inSteps(t, resource.TestStep{
		Config: fleetHCL(r, fleetOptions{}) + deploymentsHCL(branchOf(r.url, "prod", `branch = "prod"`, "history = 1")+
			"depends_on = [kalypso_gitops_commit.prod]") + `
output "head" { value = data.kalypso_deployments.fleet.environments["prod"].head }
output "page" {
  value = strcontains(provider::kalypso::fleet_page(jsonencode(merge(local.told, { time = "2026-11-20T10:00:00Z" }))),
    "\"time\":\"2026-11-20T10:00:00Z\"")
}
`,
		ConfigStateChecks: checks(
			deployedValue(knownvalue.MapSizeExact(3), "packages"), deployedValue(knownvalue.ListSizeExact(1), "history"),
			deployedValue(knownvalue.StringExact("web-live"), "packages", "prod/large/web-live", "deployment_target"),
			statecheck.ExpectKnownOutputValue("page", knownvalue.Bool(true)),
		),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("head")}},
	})
}

// Health comes from the forge. A forge that refuses, and health that does not exist, are
// warnings.
func TestDeployments_health(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	writesLikeKalypso(t, c.repo, "dev", "1")
	c.reports(c.repo.Head(t, "dev"), "kalypso/dev/large", "failure", "1h")
	outputs := `
output "health" { value = [for e in data.kalypso_deployments.fleet.environments : "${coalesce(e.health, "null")}: ${coalesce(e.health_reason, "null")}"] }
output "healths" { value = [for p in local.told.environments[0].packages : "${p.deployment_target} is ${p.health}"] }
`
	config := c.provider() + deploymentsHCL(branchesOf(c.url, "dev", "prod")) + outputs
	expected := branchOf(c.url, "dev", `branch = "dev"`, `expected = ["kalypso/dev/large/one"]`)
	silent := c.provider() + deploymentsHCL(expected+fmt.Sprintf("\n  "+
		"reports = jsonencode([{ commit = %q, context = \"ci\", state = \"success\", time = \"2026-03-02T09:00:00Z\" }])",
		c.repo.Head(t, "dev")))
	expectDirectly(t, silent, deployedValue(textList("large/one"), "environments", "dev", "silent"),
		deployedValue(knownvalue.StringExact("failure"), "environments", "dev", "health"))
	told := func(name string, texts ...string) statecheck.StateCheck {
		var all []knownvalue.Check
		for _, text := range texts {
			all = append(all, knownvalue.StringExact(text))
		}
		return statecheck.ExpectKnownOutputValue(name, knownvalue.TupleExact(all))
	}
	d := expectDirectly(t, config, told("health", "failure: kalypso/dev/large: says failure", "null: null"),
		told("healths", "shop-live is failure"))
	d.Warns(t, "environment is not known: prod")
	d.Warns(t, c.url+"#prod does not exist.")
	c.server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/commits/", Times: 100, Status: http.StatusForbidden})
	d = expectDirectly(t, config, told("health", "null: null", "null: null"), told("healths", "shop-live is "))
	d.Warns(t, "environment is not known: dev")
	d.Warns(t, "Health: cannot read the statuses")
}

// An environment whose branch or folder is not there has no number of packages, and does not
// differ from others.
func TestDeployments_missing(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	writesLikeKalypso(t, r.repo, "dev", "1")
	expectDirectly(t, r.provider+deploymentsHCL(branchesOf(r.url, "dev", "prod")+branchOf(r.url, "stage", `branch = "dev"`,
		`path = "stagee"`)),
		deployedValue(exactly("1"), "environments", "dev", "packages"),
		deployedValue(knownvalue.Null(), "environments", "prod", "packages"),
		deployedValue(knownvalue.Null(), "environments", "stage", "packages"),
		deployedValue(textList("The newest commit of "+r.url+`#dev has no folder "stagee".`), "unreadable", "stage"),
		deployedValue(textList(), "comparisons"),
	)
}

func TestDeployments_mistakes(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	config := func(attributes string) string { return r.provider + deploymentsHCL(attributes) }
	at := func(more ...string) string { return branchOf(r.url, "dev", append(more, `branch = "dev"`)...) }
	expectMistakes(t, map[string]mistake{
		"no branches":        {config(""), "branch must have a configuration value"},
		"a misspelled name":  {config(at("hystory = 3")), `An argument named "hystory" is not expected here. Did you mean "history"?`},
		"no repo":            {config("branch {\n environment = \"dev\"\n branch = \"dev\"\n}"), `The argument "repo" is required`},
		"no URL":             {config(branchOf("nowhere", "dev", `branch = "dev"`)), "branch[0].repo"},
		"no branch name":     {config(at(`path = "../x"`)), "path"},
		"too much history":   {config(at("history = 1001")), "must be a whole number from 0 to 1000"},
		"a slash":            {config(branchesOf(r.url, "eu/dev")), "a name without slashes"},
		"an empty name":      {config(branchesOf(r.url, "")), "a name without slashes"},
		"named twice":        {config(at() + at()), `branch have the environment "dev"`},
		"the provider":       {unknownProvider + deploymentsHCL(at()), "is not known yet (git[0].password"},
		"compared with none": {config(at() + "\n  compare = [[\"dev\"]]"), "at least 2 elements"},
		"compared twice":     {config(at() + "\n  compare = [[\"dev\", \"dev\"]]"), `"dev" is in the list`},
		"compared elsewhere": {config(at() + "\n  compare = [[\"dev\", \"prd\"]]"), `branch has the environment "prd"`},
		"a long pattern":     {config(at() + "\n  ignore = [\"a/b/c/d\"]"), "pattern has too many"},
		"reports":            {config(at() + "\n  reports = \"x\""), "Reports is not a list"},
		"no repository": {config(strings.Replace(at(), r.url, r.url+"-gone", 1)),
			"environment dev cannot be read: the repository"},
	})
}

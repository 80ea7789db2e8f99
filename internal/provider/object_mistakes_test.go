// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

func TestClusterType_mistakes(t *testing.T) {
	t.Parallel()
	clusterType := func(name, labels string) string {
		return `resource "kalypso_cluster_type" "test" {
  name              = "` + name + `"
  labels            = ` + labels + `
  reconciler        = "flux"
  namespace_service = "namespace"
}`
	}
	expectMistakes(t, map[string]mistake{
		"name": {clusterType("Large", "null"),
			`letters, digits and hyphens: "Large" is not`},
		"label key":   {clusterType("large", `{ "a b" = "c" }`), `labels["a b"] must be a label's key`},
		"label value": {clusterType("large", `{ a = "b c" }`), `labels["a"] must be a label's value`},
		"null label":  {clusterType("large", `{ a = null }`), "Null"},
	})
}

func TestGitOpsRepo_mistakes(t *testing.T) {
	t.Parallel()
	repo := func(repo, branch, path string) string {
		return `resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "` + repo + `"
  branch = "` + branch + `"
  path   = "` + path + `"
}`
	}
	expectMistakes(t, map[string]mistake{
		"repo":   {repo("kalypso gitops", "dev", "."), "repo must be the URL"},
		"branch": {repo("https://example.com/x", "dev..main", "."), "branch must be a valid"},
		"path":   {repo("https://example.com/x", "dev", "../up"), "path must be a path"},
	})
}

func TestSchedulingPolicy_mistakes(t *testing.T) {
	t.Parallel()
	policy := func(selector string, more ...string) string {
		return "resource \"kalypso_scheduling_policy\" \"test\" {\n  name = \"policy\"\n" +
			block("deployment_target_selector", "match_all = true") + "\n" + selector + "\n" + strings.Join(more, "\n") + "\n}"
	}
	selecting := func(more ...string) string { return policy(block("cluster_type_selector", more...)) }
	expression := func(more ...string) string { return selecting(block("match_expression", more...)) }
	all := block("cluster_type_selector", "match_all = true")
	const key, operatorIn, exists = `key = "a"`, `operator = "In"`, `operator = "Exists"`
	const empty = "cluster_type_selector has neither match_labels nor"
	expectMistakes(t, map[string]mistake{
		"no placement":      {policy(all, `per_deployment_target = true`), "\"placement\" must be specified"},
		"placement":         {policy(all, `placement = "A b"`), "placement must be a name"},
		"no selector":       {policy(""), "Block cluster_type_selector must have a configuration value"},
		"empty":             {selecting(), empty},
		"misspelled labels": {selecting(`match_lables = { a = "b" }`), `An argument named "match_lables" is not expected here`},
		"misspelled block":  {selecting(block("match_expressions", key, exists)), `Blocks of type "match_expressions" are not expected here`},
		"empty labels":      {selecting(`match_labels = {}`), empty},
		"not all":           {selecting(`match_all = false`), empty},
		"all and labels":    {selecting(`match_all = true`, `match_labels = { a = "b" }`), "cluster_type_selector has match_all = true and"},
		"operator":          {expression(key, `operator = "Equals"`, `values = ["b"]`), `"In" "NotIn" "Exists" "DoesNotExist"`},
		"no operator":       {expression(key), `The argument "operator" is required`},
		"no values":         {expression(key, operatorIn), "and NotIn need values"},
		"values":            {expression(key, exists, `values = ["b"]`), "Exists and DoesNotExist take"},
		"key":               {expression(`key = "a b"`, exists), "match_expression[0].key must be a Kubernetes"},
		"value":             {expression(key, operatorIn, `values = ["b c"]`), `match_expression[0].values[Value("b c")] must`},
		"no expressions": {selecting(`dynamic "match_expression" {
  for_each = []
  content {
    key      = match_expression.value
    operator = "Exists"
  }
}`), empty},
	})
}

func TestTemplate_mistakes(t *testing.T) {
	t.Parallel()
	template := func(attributes string) string {
		return `resource "kalypso_template" "test" {
  name = "flux"
  ` + attributes + `
}`
	}
	expectMistakes(t, map[string]mistake{
		"syntax": {template("type = \"config\"\n manifests = [\"a: b\", \"x: y\\nname: {{ .Namespace }\"]"),
			"manifests[1] must be a valid Go template: line 2: "},
		"type":         {template("type = \"policy\"\n manifests = [\"a\"]"), `"reconciler" "namespace" "config"`},
		"content type": {template("type = \"config\"\n content_type = \"bash\"\n manifests = [\"a\"]"), `"yaml" "sh"`},
		"no manifests": {template("type = \"config\"\n manifests = []"), "at least 1 elements"},
	})
}

func TestWorkload_mistakes(t *testing.T) {
	t.Parallel()
	workload := func(attributes string) string {
		return `resource "kalypso_workload" "test" {
  name = "web"
  ` + attributes + `
}`
	}
	target := func(name string, more ...string) string {
		return block("deployment_target", append(more, `name = "`+name+`"`, `environment = "dev"`)...) + "\n"
	}
	const name, environment = `name = "live"`, `environment = "dev"`
	expectMistakes(t, map[string]mistake{
		"no name": {workload(block("deployment_target", environment)), `The argument "name" is required`},
		"misspelled": {workload(block("deployment_target", name, environment, `label = {}`)),
			`An argument named "label" is not expected here`},
		"target name":          {workload(target("a.b")), "deployment_target[0].name must be a DNS"},
		"environment is empty": {workload(block("deployment_target", name, `environment = ""`)), "deployment_target[0].environment"},
		"target label": {workload(target("live", `labels = { a = "-" }`)),
			`deployment_target[0].labels["a"] must be a label's value`},
		"target workload": {workload(target("live", `labels = { workload = "x" }`)), "every target has this"},
		"workspace label": {workload(`labels = { workspace = "team" }`), `Write workspace = "..." instead`},
		"empty workspace": {workload(`workspace = ""`), "workspace string length must be at least 1"},
		"schema":          {workload(`config_schemas = ["{"]`), "config_schemas[0] must be a valid"},
	})
}

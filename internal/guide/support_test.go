// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// supported are the rows of the table in SUPPORT.md: what it is, what our tests do with it, and the file and the pattern of
// each version.
var supported = []struct {
	what, how string
	versions  [][2]string
}{
	{"Terraform", "all acceptance tests, modules and examples", [][2]string{
		{".github/workflows/test.yml", `version: \['(1\.\d+)\.\*', latest\]`},
		{".github/workflows/test.yml", `cli: terraform, version: '(1\.\d+)\.\*'`},
		{"scripts/terraform-cli", `NEWEST_TERRAFORM:-([\d.]+)\} # at least`}, {".github/workflows/test.yml", `, (latest)\]`}}},
	{"OpenTofu", "all acceptance tests", [][2]string{
		{".github/workflows/test.yml", `version: \['(1\.\d+)\.\*', latest\]`},
		{"tools/tofu/go.mod", `opentofu/opentofu v([\d.]+)`}, {".github/workflows/test.yml", `, (latest)\]`}}},
	{"Kubernetes", "a real API server, and the schemas of findings", [][2]string{{"tools/flux/go.mod", `k8s\.io/kubernetes v([\d.]+)`}}},
	{"Flux: source-controller", "the real controller", [][2]string{{"tools/flux/go.mod", `source-controller v([\d.]+)`}}},
	{"Flux: kustomize-controller", "the real controller", [][2]string{{"tools/flux/go.mod", `kustomize-controller v([\d.]+)`}}},
	{"Flux: notification-controller", "the real controller", [][2]string{{"tools/flux/go.mod", `notification-controller v([\d.]+)`}}},
	{"Flux: helm-controller", "its schema", [][2]string{{"internal/testkit/crd/testdata/README.md", "helm-controller/api` v([\\d.]+)"}}},
	{"Argo CD", "its schemas", [][2]string{{"internal/testkit/crd/testdata/README.md", "argo-cd/v3` v([\\d.]+)"}}},
	{"Helm", "the real program", [][2]string{{"tools/helm/go.mod", `helm/v4 v([\d.]+)`}}},
	{"Open Cluster Management", "its own scheduler", [][2]string{{"tools/ocm/go.mod", `open-cluster-management\.io/ocm v([\d.]+)`}}},
	{"Gitea", "the real server", [][2]string{{"tools/gitea/go.mod", `code\.gitea\.io/gitea v([\d.]+)`}}},
	{"GitHub", "a server of our own, checked against GitHub's description", [][2]string{
		{"internal/testkit/githubtest/testdata/README.md", "(@octokit/openapi` [\\d.]+)"}}},
	{"GitHub Enterprise Server", "the same server, at another address", nil},
	{"GitLab", "a server of our own, after GitLab's documentation; `auto_merge` needs this version", [][2]string{
		{"templates/guides/forges.md.tmpl", `GitLab ([\d.]+) or later`}}},
	{"Azure Repos, Azure DevOps Server", "a server of our own, after the description of this version of the interface", [][2]string{
		{"internal/kalypso/forge/azure.go", `"api-version": \{"([\d.]+)"\}`}}},
}

// The versions in SUPPORT.md are those that CI uses. With -update, the test writes the table.
func TestSupportedVersions(t *testing.T) {
	t.Parallel()
	const root = "../.."
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rows := [][]string{{"", "version", "what our tests use"}}
	for _, s := range supported {
		var versions []string
		for _, v := range s.versions {
			found := regexp.MustCompile(v[1]).FindStringSubmatch(read(v[0]))
			if found == nil {
				t.Fatalf("%s: %s has no %s", s.what, v[0], v[1])
			}
			versions = append(versions, strings.ReplaceAll(found[1], "`", ""))
		}
		rows = append(rows, []string{s.what, strings.Join(versions, ", "), s.how})
	}
	page := read("SUPPORT.md")
	want := regexp.MustCompile(`(?s)(<!-- BEGIN_VERSIONS -->\n).*(<!-- END_VERSIONS -->)`).ReplaceAllString(page, "${1}\n"+table(rows)+"\n${2}")
	if *update {
		if err := os.WriteFile(filepath.Join(root, "SUPPORT.md"), []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if page != want {
		t.Error("SUPPORT.md has other versions than CI. Run: go test ./internal/guide -run TestSupportedVersions -update")
	}
}

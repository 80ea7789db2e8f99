// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// served is a repository behind a server, with the credential that reaches it.
type served struct {
	repo *gittest.Repo
	url  string
	// credential is an element of the provider's git.
	credential string
}

// servers serve a repository each, to a login or key that no other one takes.
var servers = map[string]func(t testing.TB) served{
	"http": func(t testing.TB) served {
		repo := gittest.NewBare(t)
		password := "password-of-" + strings.ReplaceAll(repo.Path(), "/", "-")
		server := gittest.ServeHTTP(t, repo, gittest.WithLogin("owner", "unused"), gittest.WithReadOnlyLogin("reader", password))
		return served{repo, server.URL(), fmt.Sprintf("{ url_prefix = %q, username = \"reader\", password = %q }", server.URL(), password)}
	},
	"ssh": func(t testing.TB) served {
		repo := gittest.NewBare(t)
		server := gittest.ServeSSH(t, repo)
		return served{repo, server.URL(), fmt.Sprintf("{\n    url_prefix = %q\n    ssh_private_key = <<-EOT\n%s    EOT\n    ssh_known_hosts = <<-EOT\n%s    EOT\n  }",
			server.URL(), server.PrivateKey(t, ""), server.KnownHosts())}
	},
}

// providerFor is the provider block that reaches all of these.
func providerFor(all ...served) string {
	var credentials []string
	for _, s := range all {
		credentials = append(credentials, s.credential)
	}
	return "provider \"kalypso\" {\n  git = [" + strings.Join(credentials, ", ") + "]\n}\n"
}

// commit puts files on a branch and gives the commit.
func (s served) commit(t testing.TB, branch string, files map[string]string) string {
	t.Helper()
	all := map[string][]byte{}
	for path, text := range files {
		all[path] = []byte(text)
	}
	return s.repo.CommitFiles(t, branch, all, "commit")
}

// controlPlaneHCL reads a control plane, places what it holds, and shows it.
func controlPlaneHCL(attributes string) string {
	return fmt.Sprintf(`
data "kalypso_control_plane" "dev" {
  %s
}

data "kalypso_assignments" "dev" {
  environment = data.kalypso_control_plane.dev.environment
  manifests   = data.kalypso_control_plane.dev.manifests
}

output "assignments" {
  value = join(" ", [for key, a in data.kalypso_assignments.dev.assignments : "${key}:${a.workspace}"])
}
`, attributes)
}

// The objects of the fixtures.

func kalypsoObject(kind, name, labels, spec string) string {
	return fmt.Sprintf("apiVersion: scheduler.kalypso.io/v1alpha1\nkind: %s\nmetadata:\n  name: %s\n  labels: {%s}\nspec: %s\n", kind, name, labels, spec)
}

func baseRepoYAML(name string, s served, branch, path, commit string) string {
	return kalypsoObject("BaseRepo", name, "", fmt.Sprintf("{repo: %q, branch: %q, path: %q, commit: %q}", s.url, branch, path, commit))
}

func registrationYAML(name string, url, branch, path, workspace string) string {
	return kalypsoObject("WorkloadRegistration", name, "", fmt.Sprintf("{workload: {repo: %q, branch: %q, path: %q}, workspace: %q}", url, branch, path, workspace))
}

func workloadYAML(name string) string {
	return kalypsoObject("Workload", name, "type: app", "{deploymentTargets: [{name: live, environment: dev}, {name: later, environment: prod}]}")
}

func clusterTypeYAML(name string) string {
	return kalypsoObject("ClusterType", name, "size: "+name, "{reconciler: reconciler, namespaceService: namespace}")
}

func policyYAML(name, workspace, size string) string {
	return kalypsoObject("SchedulingPolicy", name, "", fmt.Sprintf(
		"{deploymentTargetSelector: {workspace: %q, labelSelector: {}}, clusterTypeSelector: {labelSelector: {matchLabels: {size: %s}}}}", workspace, size))
}

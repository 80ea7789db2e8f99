// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// gitServer is a git server of one transport, with the provider block that reaches it.
type gitServer struct {
	repo *gittest.Repo
	url  string
	// provider is the HCL of the provider block.
	provider string
}

// transports makes a fresh remote for each transport that the provider supports.
var transports = map[string]func(t *testing.T) gitServer{
	"file": func(t *testing.T) gitServer {
		repo := gittest.NewBare(t)
		return gitServer{repo: repo, url: repo.FileURL(), provider: "provider \"kalypso\" {}\n"}
	},
	"http": func(t *testing.T) gitServer {
		repo := gittest.NewBare(t)
		server := gittest.ServeHTTP(t, repo, gittest.WithLogin("deployer", "s3cr3t-password"))
		return gitServer{repo: repo, url: server.URL(), provider: httpProvider(server.URL(), "deployer", "s3cr3t-password")}
	},
	"ssh": func(t *testing.T) gitServer {
		repo := gittest.NewBare(t)
		server := gittest.ServeSSH(t, repo)
		return gitServer{repo: repo, url: server.URL(), provider: sshProvider(server.URL(), server.PrivateKey(t, ""), server.KnownHosts())}
	},
}

func httpProvider(url, username, password string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  git = [{
    url_prefix = %q
    username   = %q
    password   = %q
  }]
  commit_author = { name = "Platform Team", email = "platform@example.com" }
}
`, url, username, password)
}

func sshProvider(url, key, knownHosts string) string {
	return fmt.Sprintf(`
provider "kalypso" {
  git = [{
    url_prefix      = %q
    ssh_private_key = <<-EOT
%s
    EOT
    ssh_known_hosts = <<-EOT
%s
    EOT
  }]
}
`, url, strings.TrimSpace(key), strings.TrimSpace(knownHosts))
}

// fleetOptions vary the fixture fleet.
type fleetOptions struct {
	// family is a label of the workload that every package of it renders.
	family string
	// withoutSmall leaves out the cluster type small; withoutBatch the workload batch.
	withoutSmall, withoutBatch bool
	// commit has further attributes of the commit resource.
	commit string
}

// fleetHCL is a fleet of modelling resources and the commit that writes it:
// cluster types large and small, workloads web (on both) and batch (on large).
func fleetHCL(r gitServer, o fleetOptions) string {
	if o.family == "" {
		o.family = "blue"
	}
	var b strings.Builder
	b.WriteString(r.provider)
	b.WriteString(fixtureTemplates)
	fmt.Fprintf(&b, `
resource "kalypso_workload" "web" {
  name      = "web"
  workspace = "web-team"
  labels    = { family = %q }
  deployment_targets = {
    live = { environment = "prod", labels = { purpose = "live" }, manifests = { repo = "https://git.example/web", branch = "main", path = "./live" } }
    test = { environment = "dev", labels = { purpose = "test" }, manifests = { repo = "https://git.example/web", branch = "dev", path = "./test" } }
  }
}
`, o.family)
	var optional []string
	if !o.withoutSmall {
		b.WriteString(fixtureSmall)
		optional = append(optional, "kalypso_cluster_type.small.manifest")
	}
	if !o.withoutBatch {
		b.WriteString(fixtureBatch)
		optional = append(optional, "kalypso_workload.batch.manifest")
	}
	fmt.Fprintf(&b, `
resource "kalypso_cluster_type" "large" {
  name              = "large"
  labels            = { size = "large", tier = "cloud" }
  reconciler        = kalypso_template.reconciler.name
  namespace_service = kalypso_template.namespace.name
  config_type       = kalypso_template.config.name
}

resource "kalypso_scheduling_policy" "web" {
  name                       = "web-everywhere"
  deployment_target_selector = { workspace = "web-team", match_labels = { purpose = "live" } }
  cluster_type_selector      = { match_labels = { tier = "cloud" } }
}

resource "kalypso_scheduling_policy" "batch" {
  name                       = "batch-on-large"
  deployment_target_selector = { workspace = "batch-team", match_all = true }
  cluster_type_selector      = { match_labels = { size = "large" } }
}

resource "kalypso_config" "all" {
  name = "all"
  data = { REGION = "Europe" }
}

resource "kalypso_gitops_repo" "prod" {
  name   = "prod"
  repo   = %q
  branch = "prod"
  path   = "."
}

locals {
  fleet = concat(
    [%s],
    [
      kalypso_cluster_type.large.manifest,
      kalypso_template.reconciler.manifest, kalypso_template.namespace.manifest, kalypso_template.config.manifest,
      kalypso_workload.web.manifest,
      kalypso_scheduling_policy.web.manifest, kalypso_scheduling_policy.batch.manifest,
      kalypso_config.all.manifest, kalypso_gitops_repo.prod.manifest,
    ],
  )
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  %s
}
`, r.url, strings.Join(optional, ", "), o.commit)
	return b.String()
}

const fixtureSmall = `
resource "kalypso_cluster_type" "small" {
  name              = "small"
  labels            = { size = "small", tier = "cloud" }
  reconciler        = kalypso_template.reconciler.name
  namespace_service = kalypso_template.namespace.name
  config_type       = kalypso_template.config.name
}
`

const fixtureBatch = `
resource "kalypso_workload" "batch" {
  name               = "batch"
  workspace          = "batch-team"
  deployment_targets = { nightly = { environment = "prod" } }
}
`

const fixtureTemplates = `
resource "kalypso_template" "reconciler" {
  name      = "reconciler"
  type      = "reconciler"
  manifests = [<<-EOT
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: {{ .DeploymentTargetName }}
      labels:
        family: {{ index .Labels "family" | default "none" }}
  EOT
  ]
}

resource "kalypso_template" "namespace" {
  name      = "namespace"
  type      = "namespace"
  manifests = [<<-EOT
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .Namespace }}
  EOT
  ]
}

resource "kalypso_template" "config" {
  name      = "config"
  type      = "config"
  manifests = [<<-EOT
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: platform-config
      namespace: {{ .Namespace }}
    data:
    {{ toYaml .ConfigData | indent 2 }}
  EOT
  ]
}
`

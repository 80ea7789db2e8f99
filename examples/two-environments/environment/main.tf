terraform {
  required_providers {
    kalypso = {
      source = "kalypso-gitops/kalypso"
    }
  }
}

locals {
  # Platform configuration has no resource: yamlencode takes the fields of the YAML.
  config = yamlencode({
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "common", labels = { platform-config = "true" } }
    data       = { ENVIRONMENT = var.environment }
  })

  fleet = concat(
    [for r in kalypso_cluster_type.this : r.manifest],
    [for r in kalypso_template.this : r.manifest],
    [
      kalypso_workload.web.manifest,
      kalypso_scheduling_policy.web.manifest,
      local.config,
    ],
  )
}

resource "kalypso_cluster_type" "this" {
  for_each = var.cluster_types

  name              = each.key
  labels            = each.value
  reconciler        = kalypso_template.this["reconciler"].name
  namespace_service = kalypso_template.this["namespace"].name
  # Without config_type, the provider writes the built-in ConfigMap platform-config.
}

resource "kalypso_template" "this" {
  for_each = toset(["reconciler", "namespace"])

  name      = each.key
  type      = each.key
  manifests = [file("${path.module}/templates/${each.key}.yaml.tmpl")]
}

# The workload lists its targets in all environments. An apply uses those of its environment.
resource "kalypso_workload" "web" {
  name      = "web"
  workspace = "shop"

  dynamic "deployment_target" {
    for_each = ["dev", "stage"]
    content {
      name        = "live"
      environment = deployment_target.value
      labels      = { purpose = "live" }
      manifests   = { repo = "https://github.com/contoso/web", branch = deployment_target.value, path = "./deploy" }
    }
  }
}

resource "kalypso_scheduling_policy" "web" {
  name = "web-everywhere"

  deployment_target_selector {
    workspace    = "shop"
    match_labels = { purpose = "live" }
  }

  cluster_type_selector {
    match_all = true
  }
}

resource "kalypso_gitops_commit" "this" {
  environment = var.environment
  manifests   = local.fleet
  repo        = var.gitops_repo
  branch      = var.environment

  lifecycle {
    precondition {
      condition     = length(var.cluster_types) > 0
      error_message = "The environment ${var.environment} has no cluster types. Choose a workspace that has: terraform workspace select -or-create dev"
    }
  }
}

output "packages" {
  value = kalypso_gitops_commit.this.packages
}

output "summary" {
  value = kalypso_gitops_commit.this.summary
}

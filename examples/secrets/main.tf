terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "gitops_repo" {
  description = "URL of the GitOps repository. By default a bare repository in this folder: git init --bare gitops.git"
  type        = string
  default     = null
}

locals {
  # Each cluster type gets the password of the database in another way. Its template writes
  # an object beside the namespace. No template contains the password.
  cluster_types = {
    cloud = "external-secret"
    edge  = "sops"
    store = "secret-provider-class"
  }

  fleet = concat(
    [for r in kalypso_cluster_type.this : r.manifest],
    [for r in kalypso_template.this : r.manifest],
    [kalypso_workload.shop.manifest, kalypso_scheduling_policy.everywhere.manifest],
    provider::kalypso::files({ "config.yaml" = file("${path.module}/config.yaml") }),
  )
}

resource "kalypso_template" "this" {
  for_each = merge({ reconciler = "reconciler" }, { for name in values(local.cluster_types) : name => "namespace" })

  name      = each.key
  type      = each.value
  manifests = [file("${path.module}/templates/${each.key}.yaml.tmpl")]
}

resource "kalypso_cluster_type" "this" {
  for_each = local.cluster_types

  name              = each.key
  reconciler        = kalypso_template.this["reconciler"].name
  namespace_service = kalypso_template.this[each.value].name
}

resource "kalypso_workload" "shop" {
  name      = "shop"
  workspace = "shop-team"

  deployment_target {
    name        = "live"
    environment = "prod"
    manifests   = { repo = "https://github.com/contoso/shop", branch = "main", path = "./live" }
  }
}

resource "kalypso_scheduling_policy" "everywhere" {
  name = "everywhere"

  deployment_target_selector {
    workspace = "shop-team"
    match_all = true
  }

  cluster_type_selector {
    match_all = true
  }
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"
  path        = "."
  fail_on     = ["OUTPUT_NOT_YAML", "OBJECT_INCOMPLETE"]
}

output "summary" {
  value = kalypso_gitops_commit.prod.summary
}

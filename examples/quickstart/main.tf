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
  description = "URL of the GitOps repository. By default gitops.git in this folder: git init --bare gitops.git"
  type        = string
  default     = null
}

locals {
  # The fleet, as one list of Kalypso manifests: resources, and YAML files. Pass the list
  # through a local, so that data sources know the list when Terraform plans.
  fleet = concat(
    [for r in kalypso_cluster_type.this : r.manifest],
    [for r in kalypso_template.this : r.manifest],
    [for r in kalypso_scheduling_policy.this : r.manifest],
    [kalypso_workload.hello_world.manifest],
    provider::kalypso::files({ "configs.yaml" = file("${path.module}/configs.yaml") }),
  )
}

# Places the workload, renders the manifests of every cluster type, and writes them with
# one commit.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "dev"
}

output "packages" {
  description = "What is in the repository: <cluster type>/<deployment target>."
  value       = kalypso_gitops_commit.dev.packages
}

output "summary" {
  value = kalypso_gitops_commit.dev.summary
}

output "commit" {
  value = kalypso_gitops_commit.dev.last_commit
}

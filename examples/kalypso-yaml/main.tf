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
  # An unchanged folder of a Kalypso control plane: YAML files, at any depth.
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# The cluster types of every deployment target, and the policies that place the target.
data "kalypso_assignments" "dev" {
  environment = "dev"
  manifests   = local.fleet
}

# The branch comes from fleet/gitops-repo.yaml. repo overrides the repository of that file,
# so that the example needs no account.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
}

output "assignments" {
  value = { for key, a in data.kalypso_assignments.dev.assignments : key => a.policies }
}

output "unassigned_deployment_targets" {
  value = data.kalypso_assignments.dev.unassigned_deployment_targets
}

output "packages" {
  value = kalypso_gitops_commit.dev.packages
}

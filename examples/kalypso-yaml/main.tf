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

# The branch comes from fleet/gitops-repo.yaml. repo overrides the repository of that file,
# so that the example needs no account.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
}

# The cluster types of every deployment target, and the policies that place the target.
output "assignments" {
  value = { for key, a in provider::kalypso::assignments(local.fleet, "dev") : key => a.policies }
}

output "packages" {
  value = kalypso_gitops_commit.dev.packages
}

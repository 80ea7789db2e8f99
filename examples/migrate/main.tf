# A team that runs Kalypso: a control plane (branches main and dev), two
# applications that are registered with it, and a GitOps repository that
# Kalypso's scheduler writes. setup.sh makes these repositories in a folder.

terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "repositories" {
  description = "Where the repositories are. By default the folder repositories, as setup.sh makes it."
  type        = string
  default     = null
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
}

# What Flux brings into the cluster of Kalypso's operator: the branch of the
# environment, the BaseRepos in it, and the workloads that are registered.
data "kalypso_control_plane" "dev" {
  repo        = "${local.repositories}/control-plane.git"
  branch      = "dev"
  environment = "dev"
}

# The GitOps branch is taken over as Kalypso has left it.
import {
  to = kalypso_gitops_commit.dev
  id = "${local.repositories}/gitops.git#dev:."
}

# The branch is that of the GitOpsRepo. So is repo, but its host gets credentials from
# environment variables only if repo is written here.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = local.fleet
  repo        = "${local.repositories}/gitops.git"
}

output "summary" {
  value = kalypso_gitops_commit.dev.summary
}

# Takes over the GitOps branch dev of a Kalypso control plane. setup.sh makes the
# repositories.
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
  description = "The folder of the repositories, as a URL. By default the folder that setup.sh makes."
  type        = string
  default     = null
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
}

# Reads the environment's branch, its BaseRepos and the registered workloads.
data "kalypso_control_plane" "dev" {
  repo        = "${local.repositories}/control-plane.git"
  branch      = "dev"
  environment = "dev"
}

# Takes over the folders of the fleet's cluster types, which Kalypso has written.
import {
  to = kalypso_gitops_commit.dev
  id = "${local.repositories}/gitops.git#dev:."
}

# The GitOpsRepo in the manifests names the branch. repo is set here too, so that its host
# gets credentials from environment variables.
resource "kalypso_gitops_commit" "dev" {
  environment = "dev"
  manifests   = data.kalypso_control_plane.dev.manifests
  repo        = "${local.repositories}/gitops.git"
}

output "summary" {
  value = kalypso_gitops_commit.dev.summary
}

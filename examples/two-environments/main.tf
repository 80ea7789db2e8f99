# One module, and one workspace for each environment.
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
  description = "URL of the GitOps repository. By default gitops.git in this folder."
  type        = string
  default     = null
}

locals {
  # The differences between the environments.
  cluster_types = {
    dev = {
      test = { region = "north", size = "small" }
    }
    stage = {
      north = { region = "north", size = "large" }
      south = { region = "south", size = "large" }
    }
  }
}

module "environment" {
  source = "./environment"

  environment   = terraform.workspace
  gitops_repo   = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  cluster_types = lookup(local.cluster_types, terraform.workspace, {})
}

output "packages" {
  value = module.environment.packages
}

output "summary" {
  value = module.environment.summary
}

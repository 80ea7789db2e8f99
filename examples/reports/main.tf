# Promotes to stage what the files in the folder reports say about dev. No forge is asked.
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
  description = "URL of the GitOps repository. By default the one that setup.sh makes."
  type        = string
  default     = null
}

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
}

module "reports" {
  source = "./folder"
  folder = "${path.module}/reports"
}

data "kalypso_promotion" "stage" {
  environment = "stage"
  reports     = module.reports.reports
  target {
    repo   = local.gitops
    branch = "stage"
  }
  after {
    environment = "dev"
    repo        = local.gitops
    branch      = "dev"
    check {
      context  = "kalypso/dev/*"
      expected = ["kalypso/dev/cloud", "kalypso/dev/store"]
    }
    check {
      context = "e2e/smoke"
    }
  }
}

output "release" {
  value = data.kalypso_promotion.stage.release
}

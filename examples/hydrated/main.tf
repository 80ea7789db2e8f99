# Branches for GitOps Promoter: the rendered packages of each environment, and hydrator.metadata.
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
  description = "URL of the repository of GitOps Promoter. By default gitops.git in this folder."
  type        = string
  default     = null
}

variable "dry_sha" {
  description = "The full id of the commit of this configuration. CI sets it: TF_VAR_dry_sha=$GITHUB_SHA."
  type        = string
  default     = "0000000000000000000000000000000000000000"
}

locals {
  # A folder of YAML, as in ../kalypso-yaml: cp -R ../kalypso-yaml/fleet .
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/**/*.yaml") : f => file("${path.module}/${f}")
  })
}

# GitOps Promoter opens a pull request from environment/dev-next to environment/dev, and merges it when its gates allow it.
resource "kalypso_gitops_commit" "next" {
  for_each = toset(["dev", "stage"])

  environment = each.key
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "environment/${each.key}-next"

  files = {
    "hydrator.metadata" = jsonencode({ drySha = var.dry_sha, repoURL = "https://github.com/contoso/fleet" })
  }
}

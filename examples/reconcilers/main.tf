# One fleet of eight cluster types with different ways to get their packages: Kubernetes
# clusters with different reconcilers, virtual machines, and devices.
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
  templates = "${path.module}/../templates"

  fleet = concat(
    provider::kalypso::files({ for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}") }),
    provider::kalypso::files({ for f in fileset(local.templates, "*/{template,schema}.yaml") : f => file("${local.templates}/${f}") }),
  )
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"

  # Playbooks and inventories are not Kubernetes objects.
  ignore_findings = ["OBJECT_INCOMPLETE:Template/ansible", "OBJECT_INCOMPLETE:Template/ansible-inventory"]
}

output "packages" {
  value = kalypso_gitops_commit.prod.packages
}

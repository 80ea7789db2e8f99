# Services that every cluster has, such as ingress and metrics, are ordinary workloads. They
# have their own repositories, and belong to the workspace of the platform team.
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
  description = "The URL of the folder with the repositories. By default the folder that setup.sh makes."
  type        = string
  default     = null
}

locals {
  repositories = coalesce(var.repositories, "file://${abspath("${path.module}/repositories")}")
  templates    = "${path.module}/../templates"

  control_plane = concat(
    provider::kalypso::files({ for f in fileset(path.module, "control-plane/*.yaml") : f => file("${path.module}/${f}") }),
    provider::kalypso::files({ for f in fileset(local.templates, "{flux-kustomization,argocd-application,namespace,platform-config}/*.yaml") : f => file("${local.templates}/${f}") }),
  )
}

# Reads the workloads from the repositories of their teams. The registration of each workload
# sets its workspace, and a team can bring nothing but workloads.
data "kalypso_control_plane" "prod" {
  environment     = "prod"
  fleet_manifests = [for m in local.control_plane : replace(m, "https://github.com/contoso/", "${local.repositories}/")]
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = data.kalypso_control_plane.prod.manifests
  repo        = "${local.repositories}/gitops.git"
  branch      = "prod"
  on_error    = "keep" # a broken file, or a repository that is gone, stops no other team
}

output "packages" {
  value = kalypso_gitops_commit.prod.packages
}

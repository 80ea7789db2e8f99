# Adopts a GitOps repository that people wrote by hand: three clusters with ten applications each. bash setup.sh makes it.
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
  gitops       = coalesce(var.gitops_repo, "file://${abspath("${path.module}/repositories/gitops.git")}")
  clusters     = ["north", "south", "west"]
  applications = [for i in range(10) : "app-${i}"]
  api          = "scheduler.kalypso.io/v1alpha1"

  fleet = concat(
    [for f in fileset(path.module, "templates/*.yaml") : file("${path.module}/${f}")],
    [for name in local.clusters : yamlencode({
      apiVersion = local.api, kind = "ClusterType", metadata = { name = name, labels = { site = "cluster" } }
      spec       = { reconciler = "reconciler", namespaceService = "namespace" }
    })],
    [for name in local.applications : yamlencode({
      apiVersion = local.api, kind = "Workload", metadata = { name = name, labels = { workspace = "all" } }
      spec = { deploymentTargets = [{
        name = "live", manifests = { repo = "https://github.com/contoso/${name}", branch = "main", path = "./deploy" }
      }] }
    })],
    [yamlencode({
      apiVersion = local.api, kind = "SchedulingPolicy", metadata = { name = "everywhere" }
      spec = {
        deploymentTargetSelector = { workspace = "all", labelSelector = {} }
        clusterTypeSelector      = { labelSelector = { matchLabels = { site = "cluster" } } }
      }
    })],
  )
}

# The consent to take the folders over. Remove the block after the first apply.
import {
  to = kalypso_gitops_commit.prod
  id = "${local.gitops}#main:."
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = local.gitops
  branch      = "main"

  # Fails if a cluster would lose a package, or an object with what belongs to it.
  limits { max_removed = "0" }
}

output "summary" {
  value = kalypso_gitops_commit.prod.summary
}

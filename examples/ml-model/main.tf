# A model of machine learning is a workload: an OCI artifact or a bucket, and a template that serves it.
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
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"
}

output "models" {
  value = { for path, text in provider::kalypso::render(local.fleet, "prod") :
    path => one([for d in split("\n---\n", text) : yamldecode(d).spec.predictor if yamldecode(d).kind == "InferenceService"]) if endswith(path, "/reconciler.yaml")
  }
}

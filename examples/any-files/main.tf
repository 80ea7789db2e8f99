# Many files in one commit, on any Git host: no fleet, no clusters.
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
  description = "URL of the repository. By default gitops.git in this folder."
  type        = string
  default     = null
}

variable "services" {
  description = "The services, and their numbers of replicas."
  type        = map(number)
  default     = { cart = 2, catalog = 3 }
}

resource "kalypso_gitops_commit" "config" {
  environment    = "config" # a name for messages and for the record
  manifests      = []
  repo           = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch         = "main"
  commit_message = "Update the configuration"

  files = merge(
    { for f in fileset("${path.module}/content", "**") : f => file("${path.module}/content/${f}") },
    { for name, replicas in var.services : "services/${name}.yaml" => yamlencode({ name = name, replicas = replicas }) },
  )

  # With a forge, a pull request instead of a push:
  #
  #   pull_request {
  #     reviewers = ["ann"]
  #   }
}

output "commit" {
  value = kalypso_gitops_commit.config.last_commit
}

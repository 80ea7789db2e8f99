# A platform service with a source repository of its own: a chart from elsewhere, and values for each deployment target.
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
  library = "${path.module}/../templates"
  copied  = setunion(fileset(local.library, "{flux-helmrelease,namespace}/{template,schema}.yaml"), ["platform-config/schema.yaml"])

  fleet = concat(
    provider::kalypso::files({ for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}") }),
    provider::kalypso::files({ for f in local.copied : f => file("${local.library}/${f}") }),
  )
}

resource "kalypso_gitops_commit" "prod" {
  environment = "prod"
  manifests   = local.fleet
  repo        = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  branch      = "prod"
}

output "values" {
  value = { for path, text in provider::kalypso::render(local.fleet, "prod") :
    path => yamldecode(yamldecode(text).data["values.yaml"]) if endswith(path, "/platform-config.yaml")
  }
}

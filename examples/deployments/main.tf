# Two environments of a fleet: their packages, their differences, and their changes.
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
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/gitops.git")}")
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "{fleet,templates}/*.yaml") : f => file("${path.module}/${f}")
  })
}

resource "kalypso_gitops_commit" "environment" {
  for_each    = toset(["dev", "prod"])
  environment = each.key
  manifests   = local.fleet
  repo        = local.gitops
  branch      = each.key
}

# Reads branches, whichever tool wrote them. In this example, Terraform has to apply the
# resources above first.
data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = ["dev", "prod"]
    content {
      environment = branch.value
      repo        = local.gitops
      branch      = branch.value
    }
  }
  depends_on = [kalypso_gitops_commit.environment]
}

locals {
  told = jsondecode(data.kalypso_deployments.fleet.json)
}

# Each plan warns while prod has another version than dev.
check "versions" {
  assert {
    condition     = length(local.behind) == 0
    error_message = join("\n", local.behind)
  }
}

locals {
  behind = [for d in local.told.discrepancies : d.text if d.kind == "version"]
}

output "discrepancies" {
  value = local.told.discrepancies[*].text
}

output "versions" {
  value = { for e in local.told.environments : e.name => { for p in e.packages : "${p.cluster_type}/${p.deployment_target}" => p.version } }
}

output "changes" {
  value = [for c in flatten(local.told.environments[*].history) : "${c.time} ${c.author}: ${c.subject}"]
}

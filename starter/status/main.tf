# Shows on each commit of the fleet how far it is, as the workflows of Kalypso do: fleet/ci, and for each environment
# fleet/<environment>/promoted and fleet/<environment>/runs.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

variable "tested" {
  description = "The state of the rules in tests, by the commit of main."
  type        = map(string)
  default     = {}
}

locals {
  environments = split("\n", trimspace(file("${path.module}/../environments.txt")))
  repositories = jsondecode(file("${path.module}/../repositories.json"))
  promoted     = { for name, e in data.kalypso_deployments.fleet.environments : name => e if length(e.releases) > 0 }
}

data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = local.environments
    content {
      environment = branch.value
      repo        = local.repositories.gitops
      branch      = branch.value
    }
  }
  compare = []
}

resource "kalypso_commit_status" "ci" {
  for_each = var.tested

  repo        = local.repositories.fleet
  commit      = each.key
  context     = "fleet/ci"
  state       = each.value
  description = "terraform test"
}

resource "kalypso_commit_status" "promoted" {
  for_each = local.promoted

  repo        = local.repositories.fleet
  commit      = each.value.releases[0]
  context     = "fleet/${each.key}/promoted"
  state       = "success"
  description = "promoted to ${each.key}"
}

resource "kalypso_commit_status" "runs" {
  for_each = local.promoted

  repo        = local.repositories.fleet
  commit      = each.value.releases[0]
  context     = "fleet/${each.key}/runs"
  state       = coalesce(each.value.health, "pending")
  description = coalesce(each.value.health_reason, each.value.health == "success" ? "runs in ${each.key}" : "no cluster has reported yet")
}

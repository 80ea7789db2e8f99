# Shows on each commit that an environment has whether it runs there: the status fleet/<environment>.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

locals {
  environments = split("\n", trimspace(file("${path.module}/../environments.txt")))
  repositories = jsondecode(file("${path.module}/../repositories.json"))
}

data "kalypso_deployments" "app" {
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

resource "kalypso_commit_status" "runs" {
  for_each = { for name, e in data.kalypso_deployments.app.environments : name => e if length(e.releases) > 0 }

  repo        = local.repositories.app
  commit      = each.value.releases[0]
  context     = "fleet/${each.key}"
  state       = coalesce(each.value.health, "pending")
  description = coalesce(each.value.health_reason, each.value.health == "success" ? "runs in ${each.key}" : "no cluster has reported yet")
}

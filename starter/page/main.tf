# Reads the branches of all environments, and writes nothing.
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

data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = local.environments
    content {
      environment = branch.value
      repo        = local.repositories.gitops
      branch      = branch.value
    }
  }
  compare = [local.environments]
}

output "page" {
  value     = provider::kalypso::fleet_page(data.kalypso_deployments.fleet.json)
  sensitive = true # too long for a log
}

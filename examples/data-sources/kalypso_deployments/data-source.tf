# Reads the branches of three environments, whichever tool wrote them.
data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = ["dev", "stage", "prod"]
    content {
      environment = branch.value
      repo        = "https://github.com/contoso/gitops"
      branch      = branch.value
    }
  }
  compare              = [["dev", "stage", "prod"]]
  ignore_discrepancies = ["source/*/branch", "value/*/LOG_LEVEL"]
}

locals {
  fleet = jsondecode(data.kalypso_deployments.fleet.json)
}

# shop: version 1.5.0 in dev, 1.4.2 in stage
output "discrepancies" {
  value = local.fleet.discrepancies[*].text
}

# The cluster types, version, age and author of a workload.
output "shop" {
  value = {
    for e in local.fleet.environments : e.name => {
      for p in e.packages : "${p.cluster_type}/${p.deployment_target}" => {
        version = p.version
        health  = p.health
        since   = try(p.changed.time, null)
        author  = try(p.changed.author, null)
      } if p.workload == "shop"
    }
  }
}

# Each plan warns while an environment has a failure.
check "health" {
  assert {
    condition     = alltrue([for e in data.kalypso_deployments.fleet.environments : e.health != "failure"])
    error_message = join("\n", compact([for name, e in data.kalypso_deployments.fleet.environments : e.health == "failure" ? "${name}: ${e.health_reason}" : ""]))
  }
}

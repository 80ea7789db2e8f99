# Reads the branches of three environments, whichever tool wrote them.
data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = ["dev", "stage", "prod"]
    content {
      environment = branch.value
      repo        = "https://github.com/contoso/gitops"
      branch      = branch.value
      expected    = ["kalypso/${branch.value}/edge/edge-1", "kalypso/${branch.value}/edge/edge-2"]
    }
  }
  compare = [["dev", "stage", "prod"]]
  ignore  = ["*/*/sources.ref", "*/*/values.LOG_LEVEL"]
}

locals {
  fleet = jsondecode(data.kalypso_deployments.fleet.json)
}

# The rows of each pair: { workload = "shop", what = "version", left = "1.5.0", right = "1.4.2", ... }
output "differences" {
  value = { for c in local.fleet.comparisons : "${c.left} ${c.right}" => c.rows }
}

# The clusters that have not reported.
output "silent" {
  value = { for name, e in data.kalypso_deployments.fleet.environments : name => e.silent }
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

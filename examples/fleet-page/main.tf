# Makes a page from branches that other configurations write. This configuration only reads,
# and you can delete its state.
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
  description = "URL of the GitOps repository. By default the repository of ../deployments."
  type        = string
  default     = null
}

variable "environments" {
  description = "The environments in the order of promotions, each on the branch of its name. Each environment is compared with the next environment."
  type        = list(string)
  default     = ["dev", "prod"]
}

locals {
  gitops = coalesce(var.gitops_repo, "file://${abspath("${path.module}/../deployments/gitops.git")}")
}

data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = var.environments
    content {
      environment = branch.value
      repo        = local.gitops
      branch      = branch.value
    }
  }
  compare = length(var.environments) > 1 ? [var.environments] : []

  # Intended differences: each environment has its own branch of each workload's repository.
  ignore_discrepancies = ["source/*/branch", "value/*/LOG_LEVEL"]
}

locals {
  fleet = jsondecode(data.kalypso_deployments.fleet.json)
}

# terraform output -raw page >fleet.html
output "page" {
  value     = provider::kalypso::fleet_page(data.kalypso_deployments.fleet.json)
  sensitive = true # too long for a log
}

# A line for each package, for scripts: environment, cluster type, deployment target,
# version, health, and time of the last change. An unknown value is a dash. Read it with -raw.
output "table" {
  value = join("\n", flatten([
    for e in local.fleet.environments : [
      for p in e.packages : join("\t", [
        e.name, p.cluster_type, p.deployment_target,
        coalesce(p.version, "-"), coalesce(p.health, "-"), try(p.changed.time, "-"),
      ])
    ]
  ]))
  sensitive = true
}

# A line for each unintended difference, and for each environment that could not be compared.
output "unexpected" {
  value     = join("\n", local.unexpected)
  sensitive = true
}

locals {
  unreadable = [for e in local.fleet.environments : "${e.name}: ${join(" ", e.unreadable)}" if length(e.unreadable) > 0]
  unexpected = concat(local.fleet.discrepancies[*].text, local.unreadable)
}

check "discrepancies" {
  assert {
    condition     = length(local.unexpected) == 0
    error_message = join("\n", concat(["Unexpected lines: ${length(local.unexpected)}. The first ones:"], slice(local.unexpected, 0, min(10, length(local.unexpected)))))
  }
}

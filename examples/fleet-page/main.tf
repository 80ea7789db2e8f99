# Makes a page of what runs where, from branches that another configuration writes. This
# configuration only reads, so you may delete its state.
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
  dynamic "branches" {
    for_each = var.environments
    content {
      environment = branches.value
      repo        = local.gitops
      branch      = branches.value
    }
  }
  compare = length(var.environments) > 1 ? [var.environments] : []

  # Intended differences: the branches of the workloads' repositories, and LOG_LEVEL.
  ignore_discrepancies = ["source/*/branch", "value/*/LOG_LEVEL"]
}

# The whole result. The state has a compressed copy of the result, but does not have locals.
locals {
  fleet = provider::kalypso::deployments(data.kalypso_deployments.fleet)
}

# terraform output -raw page >fleet.html
output "page" {
  value     = provider::kalypso::fleet_page(data.kalypso_deployments.fleet)
  sensitive = true # too long for a log
}

# terraform output -raw summary >>"$GITHUB_STEP_SUMMARY"
output "summary" {
  value     = provider::kalypso::fleet_markdown(data.kalypso_deployments.fleet)
  sensitive = true
}

# For scripts, a line for each package. A dash is an unknown value. Read the output with
# terraform output -raw table.
output "table" {
  value = join("\n", [
    for p in local.fleet.packages : join("\t", [
      p.environment, p.cluster_type, p.deployment_target,
      coalesce(p.version, "-"), coalesce(p.health, "-"), try(p.changed.time, "-"),
    ])
  ])
  sensitive = true
}

# A line for each unintended difference, and for each unreadable part of an environment.
output "unexpected" {
  value     = join("\n", local.unexpected)
  sensitive = true
}

locals {
  unreadable = [for name, e in local.fleet.environments : "${name}: ${join(" ", e.unreadable)}" if length(e.unreadable) > 0]
  unexpected = concat(local.fleet.discrepancies[*].text, local.unreadable)
}

check "discrepancies" {
  assert {
    condition     = length(local.unexpected) == 0
    error_message = join("\n", concat(["${length(local.unexpected)} in all, of which the first:"], slice(local.unexpected, 0, min(10, length(local.unexpected)))))
  }
}

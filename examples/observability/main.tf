# Numbers about a fleet for Prometheus and Grafana, from branches that other configurations write.
# This configuration writes to no repository. Its state keeps when each release was verified.
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
  description = "URL of the GitOps repository."
  type        = string
}

variable "environments" {
  description = "The environments in the order of promotions, each on the branch of its name."
  type        = list(string)
  default     = ["dev", "stage", "prod"]
}

variable "expected" {
  description = "The contexts of all clusters, by environment: { prod = [\"kalypso/prod/store/store-1\"] }"
  type        = map(list(string))
  default     = {}
}

variable "reports" {
  description = "Reports as JSON, on a host without commit statuses."
  type        = string
  default     = null
}

variable "drifted" {
  description = "The environments whose branches somebody changed by hand."
  type        = list(string)
  default     = []
}

variable "time" {
  description = "The time of the run, in seconds since 1970. Without it, nothing shows how old the numbers are."
  type        = number
  default     = null
}

data "kalypso_deployments" "fleet" {
  dynamic "branch" {
    for_each = var.environments
    content {
      environment = branch.value
      repo        = var.gitops_repo
      branch      = branch.value
      expected    = lookup(var.expected, branch.value, null)
      history     = 200
    }
  }
  compare = length(var.environments) > 1 ? [var.environments] : []
  reports = var.reports
}

# When each environment was first seen green with its present release. Only this is in the state.
resource "terraform_data" "verified" {
  for_each         = { for e in local.environments : e.name => join(" ", e.releases) if e.health == "success" }
  input            = plantimestamp()
  triggers_replace = each.value
  lifecycle { ignore_changes = [input] }
}

# terraform output -raw fleet >fleet.json
output "fleet" {
  value     = data.kalypso_deployments.fleet.json
  sensitive = true # too long for a log
}

# terraform output -raw metrics >metrics.txt
output "metrics" {
  value = local.text
}

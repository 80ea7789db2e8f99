# Environments of one fleet in one configuration, each after the one before.
variable "repositories" {
  type = object({ fleet = string, gitops = string })
}

variable "environments" {
  type    = set(string)
  default = ["dev"]
}

variable "report" {
  description = "A new value makes reports that are known only after the apply."
  type        = string
  default     = "first"
}

resource "terraform_data" "reports" {
  input            = "[]"
  triggers_replace = var.report
}

locals {
  after = { dev = {}, stage = { dev = local.works }, prod = { stage = local.works } }
  works = { checks_required = false, soak = "0s" }
}

module "environment" {
  for_each = var.environments
  source   = "../.."

  environment = each.key
  fleet       = { repo = var.repositories.fleet, path = "fleet" }
  gitops      = { repo = var.repositories.gitops }
  after       = local.after[each.key]
  reports     = terraform_data.reports.output
  on_destroy  = "empty"
}

output "waves" {
  value = { for name, environment in module.environment : name => environment.waves.all }
}

output "packages" {
  value = { for name, environment in module.environment : name => keys(environment.packages) }
}

output "release" {
  value = { for name, environment in module.environment : name => environment.release }
}

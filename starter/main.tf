# Answers questions about the fleet, for the tests in the folder tests: terraform test
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = "~> 0.1.0"
    }
  }
}

variable "base" {
  description = "A folder with the fleet of main, with which ci/test.sh compares."
  type        = string
  default     = null
}

locals {
  environments = split("\n", trimspace(file("${path.module}/environments.txt")))
  compared = { for root in compact([path.module, var.base]) : root => {
    for environment in local.environments : environment => provider::kalypso::files({
      for f in flatten([for folder in ["common", "environments/${environment}"] : tolist(fileset(root, "fleet/${folder}/**/*.yaml"))]) :
      f => file("${root}/${f}")
    })
  } }
  fleets = local.compared[path.module]
}

# The tests cannot call provider functions themselves, because OpenTofu does not allow this.
output "packages" {
  description = "The packages of each environment, as <cluster type>/<deployment target>."
  value       = { for environment, fleet in local.fleets : environment => keys(provider::kalypso::assignments(fleet, environment)) }
}

output "consequences" {
  description = "What clusters do in each environment if the fleet takes the place of that in base."
  value = { for environment, fleet in local.fleets : environment =>
    var.base == null ? [] : provider::kalypso::consequences(local.compared[var.base][environment], fleet, environment)
  }
}

output "findings" {
  description = "Probable mistakes and unused objects in each environment."
  value       = { for environment, fleet in local.fleets : environment => provider::kalypso::findings(fleet, environment) }
}

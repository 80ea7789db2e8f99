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

locals {
  fleets = { for environment in split("\n", trimspace(file("${path.module}/environments.txt"))) :
    environment => provider::kalypso::files({
      for f in flatten([for folder in ["common", "environments/${environment}"] : tolist(fileset(path.module, "fleet/${folder}/**/*.yaml"))]) :
      f => file("${path.module}/${f}")
    })
  }
}

# The tests cannot call provider functions themselves, because OpenTofu does not allow this.
output "packages" {
  description = "The packages of each environment, as <cluster type>/<deployment target>."
  value       = { for environment, fleet in local.fleets : environment => keys(provider::kalypso::assignments(fleet, environment)) }
}

output "findings" {
  description = "Probable mistakes and unused objects in each environment."
  value       = { for environment, fleet in local.fleets : environment => provider::kalypso::findings(fleet, environment) }
}

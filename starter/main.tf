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

variable "environment" {
  description = "The environment to place."
  type        = string
  default     = "dev"
}

locals {
  fleet = provider::kalypso::files({
    for f in flatten([for folder in ["common", "environments/${var.environment}"] : tolist(fileset(path.module, "fleet/${folder}/**/*.yaml"))]) :
    f => file("${path.module}/${f}")
  })
}

# The tests cannot call provider functions themselves, because OpenTofu does not allow this.
output "packages" {
  description = "The packages, as <cluster type>/<deployment target>."
  value       = keys(provider::kalypso::assignments(local.fleet, var.environment))
}

output "replicas" {
  description = "The number of replicas of the checkout, by cluster type."
  value = {
    for type in ["cloud", "store"] :
    type => provider::kalypso::effective_config(local.fleet, var.environment, "shop-checkout", type).values.REPLICAS
  }
}

output "findings" {
  description = "Probable mistakes and unused objects."
  value       = provider::kalypso::findings(local.fleet, var.environment)
}

# A fleet with tests of its placements, in the folder tests. The tests check rules that must
# stay true if labels and policies change, and write nothing. Run
#
#   terraform init
#   terraform test

terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = {
      source  = "kalypso-gitops/kalypso"
      version = ">= 0.1"
    }
  }
}

variable "environment" {
  description = "The environment to place: dev or prod."
  type        = string
  default     = "dev"
}

variable "ask" {
  description = "A pair to explain: which deployment target, on which cluster type."
  type        = object({ deployment_target = string, cluster_type = string })
  default     = null
}

locals {
  fleet = provider::kalypso::files({
    for f in fileset(path.module, "fleet/*.yaml") : f => file("${path.module}/${f}")
  })

  # Why the target is placed on the cluster type or not, and its platform configuration.
  explanation = var.ask == null ? null : provider::kalypso::explain(local.fleet, var.environment, var.ask.deployment_target, var.ask.cluster_type)
  config      = var.ask == null ? null : provider::kalypso::effective_config(local.fleet, var.environment, var.ask.deployment_target, var.ask.cluster_type)
}

# The answers that the tests check. The configuration calls the functions, because OpenTofu
# cannot call provider functions in tests.
output "assignments" {
  description = "<cluster type>/<deployment target> => the policies that put it there."
  value       = { for key, a in provider::kalypso::assignments(local.fleet, var.environment) : key => a.policies }
}

output "explanation" {
  value = local.explanation
}

output "config" {
  value = local.config
}

output "files" {
  description = "What would be written, by path."
  value       = provider::kalypso::render(local.fleet, var.environment)
}

output "findings" {
  description = "Probable mistakes and unused objects."
  value       = provider::kalypso::findings(local.fleet, var.environment)
}

# Verifies requests in the GitOps repository, for ci/verify.sh. Each environment here has the same settings as in environments.
terraform {
  required_version = ">= 1.8"
  required_providers {
    kalypso = { source = "kalypso-gitops/kalypso", version = "~> 0.1.0" }
  }
}

module "verify" {
  source = "github.com/kalypso-gitops/terraform-provider-kalypso//modules/verify?ref=v0.1.0"

  environment = var.environment
  request     = var.request
  fleet       = { repo = local.repositories.fleet, path = "fleet" }
  folders     = ["common", "environments/${var.environment}"]
  gitops      = { repo = local.repositories.gitops }
  after       = local.after[var.environment]
  pin         = lookup(local.pin, var.environment, null)
}

variable "environment" { type = string }
variable "request" { type = string }

locals {
  after = {
    stage = { dev = { checks_required = false, soak = "0s" } }
    prod  = { stage = { checks_required = false, soak = "0s" } }
  }
  pin          = {} # such as { prod = "<id of a commit>" }: a pin wins over reports, so a person reviews it
  repositories = jsondecode(file("${path.module}/../repositories.json"))
}

output "release" { value = module.verify.release }

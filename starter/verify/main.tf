# Verifies requests in the GitOps repository, for ci/verify.sh. promotion.json has the rules of both.
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
  after       = jsondecode(file("${path.module}/../promotion.json"))[var.environment]
  pin         = lookup(local.pin, var.environment, null)
}

variable "environment" { type = string }
variable "request" { type = string }

locals {
  pin          = {} # such as { prod = "<id of a commit>" }: a pin wins over reports, so a person reviews it
  repositories = jsondecode(file("${path.module}/../repositories.json"))
}

output "release" { value = module.verify.release }
